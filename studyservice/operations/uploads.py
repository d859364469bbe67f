"""Files in operations: declaration and received file."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import IO

from studyservice.operations.errors import ValidationFailed

PART = "file"
"""The name of the part of `multipart/form-data` that has the file."""

_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that an operation accepts: a part of `multipart/form-data`, or a body of one of `media_types`.

    An operation that declares a `body` as well takes that as JSON instead of a file.

    Attributes:
        max_bytes: of the file.
        seconds: within which a large one must have come as a whole; None if it may come as slowly as any body.
        turn: held from before the file is read until the request is answered, as by who takes few at a time; raises
            where it is not to be had.
        fields: those of the operation's `body`, or else of its query, that may stand beside the file in a form.
    """

    max_bytes: int
    media_types: tuple[str, ...] = ()
    seconds: int | None = None
    turn: Callable[[], AbstractContextManager[None]] | None = None
    fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A complete received file.

    Attributes:
        file: open, with a file descriptor; closed when the request is answered.
        filename: as the client called it, without a path; empty where it did not.
        size: in bytes.
    """

    file: IO[bytes]
    filename: str
    size: int

    def digest(self) -> bytes:
        """A fingerprint of this file."""
        found = hashlib.sha256(self.filename.encode() + b"\n")
        self.file.seek(0)
        while chunk := self.file.read(_CHUNK):
            found.update(chunk)
        return found.digest()


@dataclass(frozen=True, slots=True)
class Received:
    """All files of a request.

    Attributes:
        fields: what stood beside them in a form, of what may.
        turn: what is held as long as they are.
    """

    files: Sequence[UploadedFile]
    fields: Mapping[str, str] = field(default_factory=dict)
    turn: ExitStack = field(default_factory=ExitStack)

    def one(self) -> UploadedFile:
        """The one file that there must be.

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
        """A fingerprint of these files and of the fields that were sent with them."""
        beside = sorted(self.fields.items())
        return b"".join(file.digest() for file in self.files) + (repr(beside).encode() if beside else b"")

    def close(self) -> None:
        """Let the files go."""
        with self.turn:
            for file in self.files:
                file.file.close()
