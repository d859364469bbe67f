"""Reads XML documents in a package (DOCX and ODT) with expat, piece by piece, and builds lines.

Document types, and with them entities, are rejected. Depth and unpacked length are limited.
"""

import lzma
import zipfile
import zlib
from abc import ABC, abstractmethod
from typing import IO
from xml.parsers import expat

from courses.syllabi.reading.lines import MAX_DEPTH, MAX_MARKUP_BYTES, Lines, TooLargeError, UnreadableError

_PIECE = 65_536
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    expat.ExpatError,
    RuntimeError,
    KeyError,
    EOFError,
    OSError,
    ValueError,
)
"""Exceptions for a package that is broken, encrypted or compressed in an unknown way (`NotImplementedError`)."""


class MarkupReader(ABC):
    """Reads the text of one file in a package. Names are `namespace local`, separated by a space."""

    def __init__(self) -> None:
        self.lines = Lines()
        self._depth = 0
        self._skipping = 0

    @abstractmethod
    def started(self, name: str, attributes: dict[str, str]) -> bool:
        """Handle the start of an element. Return whether to read its content."""

    @abstractmethod
    def ended(self, name: str) -> None:
        """Handle the end of an element whose content was read."""

    @abstractmethod
    def said(self, text: str) -> None:
        """Handle characters."""

    def read(self, file: IO[bytes], part: str) -> str:
        """The text of `part` of the package.

        Raises:
            TooLargeError: the text exceeds the limit.
            UnreadableError: the part is missing, encrypted, or not XML.
        """
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        try:
            with zipfile.ZipFile(file) as package, package.open(part) as stream:
                unpacked = 0
                while piece := stream.read(_PIECE):
                    unpacked += len(piece)
                    if unpacked > MAX_MARKUP_BYTES:
                        raise TooLargeError
                    parser.Parse(piece, False)
                parser.Parse(b"", True)
        except _BROKEN as fault:
            raise UnreadableError from fault
        return self.lines.text()

    def _refuse(self, *_: object) -> None:
        raise UnreadableError

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise UnreadableError
        if self._skipping or not self.started(name, attributes):
            self._skipping += 1

    def _end(self, name: str) -> None:
        self._depth -= 1
        if self._skipping:
            self._skipping -= 1
        else:
            self.ended(name)

    def _characters(self, text: str) -> None:
        if not self._skipping:
            self.said(text)
