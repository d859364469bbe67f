"""Operations that answer with a file to save."""

from typing import IO, TypedDict


class DownloadRow(TypedDict):
    """A file.

    Attributes:
        content: its bytes, or an open file at its beginning, which is closed once it is sent.
        media_type: one of those that the operation declares.
    """

    content: bytes | IO[bytes]
    filename: str
    media_type: str
