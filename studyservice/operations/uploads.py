"""Files in operations: the declaration and the received file."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import IO

from studyservice.operations.errors import ValidationFailed

PART = "file"
"""The name of the file's part in `multipart/form-data`."""

_FORM_OVERHEAD = 64 * 1024
"""Bytes of a form besides its file: boundaries, names, other fields."""

_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that an operation accepts: a part of `multipart/form-data`, or a body of one of `media_types`.

    An operation that also declares a `body` accepts that as JSON instead of a file.

    Attributes:
        max_bytes: of the file.
        turn: entered before the file is read and held until the answer, to limit concurrent uploads; raises if
            unavailable.
        fields: form fields allowed beside the file, from the operation's `body` or else its query.
    """

    max_bytes: int
    media_types: tuple[str, ...] = ()
    turn: Callable[[], AbstractContextManager[None]] | None = None
    fields: tuple[str, ...] = ()

    @property
    def max_body_bytes(self) -> int:
        """Return the largest form with such a file."""
        return self.max_bytes + _FORM_OVERHEAD


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A complete received file.

    Attributes:
        file: open, with a file descriptor; closed after the answer.
        filename: from the client, without a path; may be empty.
        size: in bytes.
    """

    file: IO[bytes]
    filename: str
    size: int

    def digest(self) -> bytes:
        """Return a fingerprint of this file."""
        found = hashlib.sha256(self.filename.encode() + b"\n")
        self.file.seek(0)
        while chunk := self.file.read(_CHUNK):
            found.update(chunk)
        return found.digest()


@dataclass(frozen=True, slots=True)
class Received:
    """All files of a request.

    Attributes:
        fields: the allowed form fields beside them.
        turn: resources held as long as the files.
    """

    files: Sequence[UploadedFile]
    fields: Mapping[str, str] = field(default_factory=dict)
    turn: ExitStack = field(default_factory=ExitStack)

    def one(self) -> UploadedFile:
        """Return the only file.

        Raises:
            ValidationFailed: there is none, more than one, or an empty one.
        """
        if not self.files:
            raise ValidationFailed.of(PART, "This file is required.")
        if len(self.files) > 1:
            raise ValidationFailed.of(PART, "Send one file.")
        if not self.files[0].size:
            raise ValidationFailed.of(PART, "This file is empty.")
        return self.files[0]

    def digest(self) -> bytes:
        """Return a fingerprint of these files and of the fields sent with them."""
        beside = sorted(self.fields.items())
        return b"".join(file.digest() for file in self.files) + (repr(beside).encode() if beside else b"")

    def close(self) -> None:
        """Close the files."""
        with self.turn:
            for file in self.files:
                file.file.close()
