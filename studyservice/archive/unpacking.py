"""Read an uploaded archive as an untrusted ZIP: its files and lines."""

import hashlib
import io
import stat
import time
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import IO, Any

import orjson

from studyservice.archive.tables import (
    CHANGES,
    EVENTS,
    FILES,
    FORMAT,
    MANIFEST,
    PROFILE,
    README,
    archive_tables,
    archive_version,
)
from studyservice.operations.errors import InvalidRequest
from studyservice.reading.process import read_in_child

MAX_UNPACKED = 500 * 1024 * 1024
"""Maximum total bytes of the unpacked files."""

MAX_ENTRIES = 2000
"""Maximum number of files. A member has at most some hundred."""

MAX_DIRECTORY = 1024 * 1024
"""Maximum bytes of the directory. `MAX_ENTRIES` files of our own archives need 200,000."""

READING_SECONDS = 300
"""Timeout for reading lines. A million of them takes less."""

_DIRECTORY_READER = "studyservice.reading.zip_directory.read"
_FOLDERS = frozenset({"data/", FILES})
_MAX_MANIFEST = 64 * 1024
_BUFFER = 256 * 1024
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError)
"""The exceptions of `zipfile` for a broken file."""


class NoArchive(InvalidRequest):
    """The file is not a complete archive of this service."""

    def __init__(self, why: str) -> None:
        super().__init__(f"This archive cannot be imported: {why} Nothing was changed.")


class Archive:
    """An open archive whose names and sizes have been checked.

    Attributes:
        version: of the format.
        counts: lines by table, from the manifest.
        files: the names of the stored files in it.
    """

    def __init__(self, opened: zipfile.ZipFile) -> None:
        self._opened = opened
        self._deadline = time.monotonic() + READING_SECONDS
        entries = opened.infolist()
        names = [entry.filename for entry in entries]
        _require_names(names)
        _require_plain(entries)
        self.version, self.counts = self._read_manifest()
        _require_files(self.version, names)
        self.files = frozenset(
            entry.filename for entry in entries if entry.filename.startswith(FILES) and not entry.is_dir()
        )

    def lines(self, path: str, long_line: int) -> Iterator[Any]:
        """Yield the JSON values of the lines of a file; None for what is not JSON.

        Args:
            long_line: most bytes of a line. A longer line has no value and ends the iteration.
        """
        with self.opened(path) as entry:
            while raw := entry.readline(long_line + 1):
                self._require_time()
                yield _json(raw) if len(raw) <= long_line else None
                if len(raw) > long_line:
                    return

    @contextmanager
    def opened(self, path: str) -> Iterator[IO[bytes]]:
        """Open a file of the archive. The block must not raise a `ValueError` itself."""
        with _refused_if_broken(), self._opened.open(path) as entry, io.BufferedReader(entry, _BUFFER) as buffered:  # type: ignore[type-var]  # it reads
            yield buffered

    def require_whole(self, path: str) -> tuple[int, str]:
        """Read a file to its end, which checks its checksum. Return its size in bytes and its SHA-256 in hexadecimal.

        Raises:
            NoArchive: the file is damaged.
        """
        size, digest = 0, hashlib.sha256()
        with self.opened(path) as entry:
            while piece := entry.read(_BUFFER):
                size += len(piece)
                digest.update(piece)
                self._require_time()
        return size, digest.hexdigest()

    def _read_manifest(self) -> tuple[int, Mapping[str, int]]:
        if self._opened.getinfo(MANIFEST).file_size > _MAX_MANIFEST:
            raise NoArchive(f"{MANIFEST} is too long.")
        with self.opened(MANIFEST) as entry:
            manifest = _json(entry.read())
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise NoArchive(f"{MANIFEST} does not identify an archive.")
        version, counts = manifest.get("version"), manifest.get("counts")
        if type(version) is not int or not version >= 1:
            raise NoArchive(f"{MANIFEST} has no version.")
        if version > (newest := archive_version()):
            raise NoArchive(f"its version is {version}, and this service reads versions up to {newest}.")
        if not isinstance(counts, dict) or any(type(count) is not int for count in counts.values()):
            raise NoArchive(f"{MANIFEST} has no counts.")
        return version, counts

    def _require_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise NoArchive("reading it takes too long.")


@contextmanager
def open_archive(file: IO[bytes]) -> Iterator[Archive]:
    """Open the archive in a file with a descriptor.

    A child process checks the directory first. This process only opens a ZIP whose directory is within the limits, so
    that no directory can exhaust its memory.

    Raises:
        NoArchive: the file is not an archive.
        ReadingBusy: other files are being read.
    """
    outcome = read_in_child(_DIRECTORY_READER, file)
    if outcome.hit_limit or outcome.found.get("bytes", 0) > MAX_DIRECTORY:
        raise NoArchive(f"its directory is longer than {MAX_DIRECTORY // 1024 // 1024} MiB, or too costly to read.")
    if not outcome.complete:
        raise NoArchive("it is not a valid ZIP file.")
    if outcome.found["entries"] > MAX_ENTRIES:
        raise NoArchive(f"it contains more than {MAX_ENTRIES} files.")
    file.seek(0)
    with _refused_if_broken():
        opened = zipfile.ZipFile(file)
    with opened:
        yield Archive(opened)


@contextmanager
def _refused_if_broken() -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise NoArchive("it is damaged.") from error


def _require_names(names: list[str]) -> None:
    """Raise unless there is a manifest and every file is known and unique."""
    tables = {name for table in archive_tables() for name in (table.path, *table.how.also)}
    known = tables | {MANIFEST, PROFILE, README, CHANGES, EVENTS, *_FOLDERS}
    if MANIFEST not in names:
        raise NoArchive(f"it has no {MANIFEST}.")
    for name in names:
        if name not in known and not (name.startswith(FILES) and name.count("/") == 1):
            raise NoArchive(f"{name[:100]!r} does not belong in an archive.")
    if len(set(names)) < len(names):
        raise NoArchive("it contains a name twice.")


def _require_files(version: int, names: list[str]) -> None:
    """Raise unless every file of this version exists."""
    needed = {PROFILE, *(table.path for table in archive_tables() if table.exists_in(version))}
    for name in sorted(needed - set(names)):
        raise NoArchive(f"it has no {name}.")


def _require_plain(entries: list[zipfile.ZipInfo]) -> None:
    """Check that all files are safe to read."""
    for entry in entries:
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in {0, stat.S_IFREG, stat.S_IFDIR} or entry.is_dir() is not (entry.filename in _FOLDERS):
            raise NoArchive(f"{entry.filename} is not a plain file.")
        if entry.flag_bits & 0x1 or entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise NoArchive(f"{entry.filename} is encrypted or uses an unusual compression.")
    if sum(entry.file_size for entry in entries) > MAX_UNPACKED:
        raise NoArchive(f"it unpacks to more than {MAX_UNPACKED // 1024 // 1024} MiB.")


def _json(raw: bytes) -> Any:
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError:
        return None
