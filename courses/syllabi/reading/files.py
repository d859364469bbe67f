"""Reading an uploaded file, on the side of the service."""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath, PureWindowsPath
from typing import IO

from courses.syllabi.reading.media_types import PLAIN, decoded
from courses.syllabi.reading.tidy import tidied
from studyservice.operations.errors import InvalidRequest
from studyservice.rates.limiter import Rate
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
        media_type: detected from the content.
        text_status: the outcome of reading.
        text: the whole text, if it was read.
        pages: number of pages of a PDF.
    """

    media_type: str
    text_status: TextStatus
    text: str | None
    pages: int | None


class UnknownTypeError(InvalidRequest):
    """The file type is not supported."""

    default_message = "This type of file is not read here. Send a PDF, DOCX, ODT, HTML, Markdown or plain text file."


def clean_filename(filename: str) -> str:
    """The last segment of a path of any system, without control and invisible characters; `file` if nothing remains.

    Cut to `MAX_FILENAME`, keeping the extension.
    """
    name = PureWindowsPath(PurePosixPath(_CONTROL.sub("", filename)).name).name
    name = unicodedata.normalize("NFC", name).strip().strip(".").strip() or "file"
    if len(name) <= MAX_FILENAME:
        return name
    suffix = PurePosixPath(name).suffix[:20]
    return name[: MAX_FILENAME - len(suffix)] + suffix


def read_file(file: IO[bytes], filename: str, charged: tuple[Rate, str] | None = None) -> FileText:
    """Read a file in the child process. Must not be called inside a transaction.

    Args:
        file: open, with a file descriptor.
        filename: distinguishes Markdown from plain text, and a broken document from an unknown type.
        charged: as in `read_in_child`.

    Raises:
        UnknownTypeError: the type is not supported.
        ReadingBusy: other files are being read.
    """
    outcome = read_in_child(_READER, file, {"filename": filename}, charged=charged)
    media_type = outcome.found.get("media_type")
    if media_type is None:
        raise UnknownTypeError
    status = TextStatus(outcome.found.get("text_status", TextStatus.UNREADABLE))
    return FileText(
        media_type=media_type,
        text_status=status if outcome.complete else TextStatus.UNREADABLE,
        text=outcome.found.get("text") if outcome.complete else None,
        pages=outcome.found.get("pages") if outcome.complete else None,
    )


def plain_text(text: str) -> FileText:
    """Clean a syllabus sent as text, which needs no child process.

    Raises:
        UnknownTypeError: a file with these bytes would be rejected.
    """
    if decoded(text.encode()) is None:
        raise UnknownTypeError("This is no plain text: it has control characters, or the marks of another type.")
    kept = tidied(text)
    return FileText(PLAIN, TextStatus.READ if kept else TextStatus.NO_TEXT, kept or None, None)
