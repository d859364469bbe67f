"""Measure the directory of a ZIP, in the child process, because it can be nearly as long as the file."""

import zipfile
from collections.abc import Iterator
from typing import IO, Any

_RECORD = 46
"""Bytes of a file's entry in the directory, without its name, extra fields and comment (APPNOTE 4.3.12)."""


def read(file: IO[bytes], options: Any) -> Iterator[dict[str, int]]:
    """Yield `entries`, the number of files, and `bytes`, the maximum size of the directory.

    Raises zipfile's errors if the file is not a ZIP.
    """
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        yield {
            "entries": len(entries),
            "bytes": sum(
                _RECORD + len(entry.orig_filename.encode()) + len(entry.extra) + len(entry.comment) for entry in entries
            ),
        }
