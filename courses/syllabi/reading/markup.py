"""Reads XML documents in a package (DOCX and ODT) with expat, piece by piece, and builds lines.

Document types, and with them entities, are rejected. Depth and unpacked length are limited.
"""

import lzma
import zipfile
import zlib
from abc import ABC, abstractmethod
from typing import IO
from xml.parsers import expat

from courses.syllabi.reading.limits import MAX_CHARACTERS, MAX_DEPTH, MAX_MARKUP_BYTES, TooLargeError, UnreadableError
from courses.syllabi.reading.tidy import row

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


class Lines:
    """Lines of text. A table row becomes one line of its cells, whatever paragraphs are in them."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._line: list[str] = []
        self._rows: list[list[str]] = []
        self._cells: list[list[str]] = []
        self._length = 0

    def add(self, text: str) -> None:
        """Add text to the current line or cell.

        Raises:
            TooLargeError: there are more than `MAX_CHARACTERS` in total.
        """
        self._length += len(text)
        if self._length > MAX_CHARACTERS:
            raise TooLargeError
        (self._cells[-1] if self._cells else self._line).append(text)

    def end_line(self) -> None:
        """End the line; in a cell it becomes a space."""
        if self._cells:
            self._cells[-1].append(" ")
        else:
            self._lines.append("".join(self._line))
            self._line = []

    @property
    def at_start(self) -> bool:
        """Whether the current line or cell has no text yet."""
        return not any(self._cells[-1] if self._cells else self._line)

    def end_block(self) -> None:
        """End the line, but add no second empty line, and none at the beginning."""
        if self._cells or not self.at_start or (self._lines and self._lines[-1]):
            self.end_line()

    def start_row(self) -> None:
        """Start a table row."""
        if self._line and not self._cells:
            self.end_line()
        self._rows.append([])

    def start_cell(self) -> None:
        """Start a cell."""
        self._cells.append([])

    def end_cell(self) -> None:
        """End the cell. Outside a row it is ordinary text."""
        if not self._cells:
            return
        text = "".join(self._cells.pop())
        if self._rows:
            self._rows[-1].append(text)
        else:
            self.add(text)

    def end_row(self) -> None:
        """End the row. In a nested table it becomes part of the outer cell."""
        if not self._rows:
            return
        line = row(self._rows.pop())
        if self._cells:
            self._cells[-1].append(f" {line} ")
        elif line:
            self._lines.append(line)

    def text(self) -> str:
        """All lines."""
        while self._cells:
            self.end_cell()
        while self._rows:
            self.end_row()
        self.end_line()
        return "\n".join(self._lines)


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
