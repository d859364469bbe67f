"""Bound the memory of PostgreSQL, cached files included, and time reads of the disk."""

import mmap
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tools.bench import machine
from tools.bench.servers import wait_until

MIB = 1024 * 1024
PAGE = 8192
"""Bytes of a page of PostgreSQL."""

_READS = 500


class NoControlGroupError(Exception):
    """The system has no memory control groups, or the user may not make one."""


@dataclass(frozen=True, slots=True)
class MemoryGroup:
    """A memory control group of Linux (cgroups(7)), of version 1 or 2.

    A page of a file counts in the group whose process read it first. So a bound holds only for files that were not in
    memory when the processes came in.
    """

    directory: Path
    version: int

    def add(self, processes: Iterable[int]) -> None:
        """Move processes into it. Those that they start are in it too."""
        for process in processes:
            (self.directory / "cgroup.procs").write_text(str(process))

    def limit(self, size: int) -> None:
        """Bound the memory of all processes together to `size` bytes. What is above goes, files first."""
        name = "memory.limit_in_bytes" if self.version == 1 else "memory.max"
        (self.directory / name).write_text(str(size))

    def limit_files(self, size: int) -> None:
        """Bound it so that the processes keep their own memory of this moment, and `size` bytes are for files."""
        used = "memory.usage_in_bytes" if self.version == 1 else "memory.current"
        own = int((self.directory / used).read_text()) - self.files()
        self.limit(own + size)

    def files(self) -> int:
        """Return the bytes of files in memory, without shared memory."""
        lines = (self.directory / "memory.stat").read_text().splitlines()
        counted = {name: int(value) for name, value in map(str.split, lines)}
        return counted["cache" if self.version == 1 else "file"] - counted["shmem"]


@contextmanager
def memory_group() -> Iterator[MemoryGroup]:
    """Make a group, and remove it at the end, when its processes have ended."""
    of_1, of_2 = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")
    version = 1 if (of_1 / "memory.limit_in_bytes").exists() else 2
    directory = (of_1 if version == 1 else of_2) / f"studyservice-bench-{os.getpid()}"
    try:
        directory.mkdir()
    except OSError as error:
        raise NoControlGroupError(f"{directory}: {error.strerror}. Run it as root on Linux.") from error
    try:
        if not (directory / "memory.stat").exists():
            raise NoControlGroupError(f"{directory} counts no memory: it is not delegated to the group above.")
        yield MemoryGroup(directory, version)
    finally:
        wait_until("the processes of the group to end", lambda: not (directory / "cgroup.procs").read_text())
        directory.rmdir()


def family(process: int) -> list[int]:
    """Return a process and its children."""
    return [process, *machine.children(process)]


def write_out(directory: Path) -> None:
    """Wait until all files of a directory are on the disk."""
    for file in _files(directory):
        with file.open("rb") as opened:
            os.fsync(opened)


def drop_cached(directory: Path) -> None:
    """Take them out of memory."""
    write_out(directory)
    for file in _files(directory):
        with file.open("rb") as opened:
            os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _files(directory: Path) -> list[Path]:
    return [path for path in directory.rglob("*") if path.is_file()]


def disk_reads(directory: Path) -> list[float]:
    """Time reads of single pages at random places of its largest file, past the system's cache; returns seconds."""
    chance = Random(1)  # noqa: S311  # picks positions in a file, no secrets
    path = max(_files(directory), key=lambda path: path.stat().st_size)
    pages = path.stat().st_size // PAGE
    seconds = []
    file = os.open(path, os.O_RDONLY | os.O_DIRECT)
    try:
        with mmap.mmap(-1, PAGE) as buffer:
            for _ in range(_READS):
                started = time.perf_counter()
                os.preadv(file, [buffer], chance.randrange(pages) * PAGE)
                seconds.append(time.perf_counter() - started)
    finally:
        os.close(file)
    return seconds
