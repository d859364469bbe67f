"""Counting what is in a ZIP, in the child process: a directory may name millions, each of which takes memory."""

import zipfile
from collections.abc import Iterator
from typing import IO, Any


def read(file: IO[bytes], options: Any) -> Iterator[dict[str, int]]:
    """Gives `entries`, their number; raises what `zipfile` does if it is no ZIP."""
    with zipfile.ZipFile(file) as archive:
        yield {"entries": len(archive.infolist())}
