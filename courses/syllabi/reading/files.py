"""Reading a file that a member brought, from the service's side."""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath, PureWindowsPath
from typing import IO

from courses.syllabi.reading.media_types import PLAIN, decoded
from courses.syllabi.reading.tidy import tidied
from studyservice.operations.errors import InvalidRequest
from studyservice.reading.process import read_in_child

_READER = "courses.syllabi.reading.reader.read"
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
MAX_FILENAME = 255
"""Maximum length of a file name, in characters."""


class TextStatus(StrEnum):
    """The outcome of reading a file."""

    READ = "read"
    NO_TEXT = "no_text"
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class FileText:
    """The contents of a file.

    Attributes:
        media_type: by its content.
        text_status: whether there is a text.
        text: the whole of it, where it was read.
        pages: of a PDF that was read.
        hit_limit: whether the reading cost as much as one may; for the rate of uploads.
    """

    media_type: str
    text_status: TextStatus
    text: str | None
    pages: int | None
    hit_limit: bool


class UnknownTypeError(InvalidRequest):
    """No type that is read here.

    Attributes:
        hit_limit: whether finding that out cost as much as a reading may.
    """

    default_message = "This type of file is not read here. Send a PDF, DOCX, ODT, HTML, Markdown or plain text file."

    def __init__(self, message: str | None = None, *, hit_limit: bool = False) -> None:
        self.hit_limit = hit_limit
        super().__init__(message)


def clean_filename(filename: str) -> str:
    """The last segment of a path of any system, without control and invisible characters. `file` if nothing remains.

    Cut to `MAX_FILENAME` before the ending, which is kept.
    """
    name = PureWindowsPath(PurePosixPath(_CONTROL.sub("", filename)).name).name
    name = unicodedata.normalize("NFC", name).strip().strip(".").strip() or "file"
    if len(name) <= MAX_FILENAME:
        return name
    suffix = PurePosixPath(name).suffix[:20]
    return name[: MAX_FILENAME - len(suffix)] + suffix


def read_file(file: IO[bytes], filename: str) -> FileText:
    """Read a file in the child process; must not be called inside a transaction.

    Args:
        file: open, with a file descriptor.
        filename: which tells Markdown from plain text, and a broken document from what is none.

    Raises:
        UnknownTypeError: another type.
        ReadingBusy: others are reading.
    """
    outcome = read_in_child(_READER, file, {"filename": filename})
    media_type = outcome.found.get("media_type")
    if media_type is None:
        raise UnknownTypeError(hit_limit=outcome.hit_limit)
    status = TextStatus(outcome.found.get("text_status", TextStatus.UNREADABLE))
    return FileText(
        media_type=media_type,
        text_status=status if outcome.complete else TextStatus.UNREADABLE,
        text=outcome.found.get("text") if outcome.complete else None,
        pages=outcome.found.get("pages") if outcome.complete else None,
        hit_limit=outcome.hit_limit,
    )


def plain_text(text: str) -> FileText:
    """Store a text that was sent as text. It needs no child process.

    Raises:
        UnknownTypeError: what a file of these bytes would be refused for.
    """
    if decoded(text.encode()) is None:
        raise UnknownTypeError("This is no plain text: it has control characters, or the marks of another type.")
    kept = tidied(text)
    return FileText(PLAIN, TextStatus.READ if kept else TextStatus.NO_TEXT, kept or None, None, hit_limit=False)
