"""A full disk under SQLite during writes: a small tmpfs, or a limit on file sizes if mounting is not permitted."""

import os
import resource
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from tools.bench.drills.client import Client
from tools.bench.drills.load import Load
from tools.bench.drills.report import Report
from tools.bench.drills.stored import compare
from tools.bench.drills.watch import items
from tools.bench.servers import Server
from tools.bench.site import Site


def drill(site: Site) -> Iterator[Report]:
    """Fill the disk, wait, and free it."""
    report = Report("disk full, SQLite")
    disk = site.directory / "small-disk"
    disk.mkdir()
    mounted = _mount(disk)
    if mounted:
        site.stack.callback(_run, "umount", str(disk))
    url, data, cast = site.fresh("sqlite", disk / "data")
    instance = site.serve(url, data)
    fill, free = _tmpfs(disk) if mounted else _file_sizes(instance, data)
    report.notes.append("the disk is a tmpfs" if mounted else "mounting was refused; a limit on file sizes was used")
    with Load(instance.port, cast.members) as load:
        time.sleep(1)
        fill()
        time.sleep(3)
        read = items(Client(instance.port, cast.heavy[0].key))
        report.check(f"reads still work: {read.status}", read.status == 200)
        free()
        freed = time.monotonic()
        load.goes_on(freed)
    compare(report, load.journal, url, freed)
    report.check("writes failed with internal_error", report.errors["500 internal_error"])
    yield report


def _run(program: str, *arguments: str) -> None:
    subprocess.run([shutil.which(program) or program, *arguments], capture_output=True, check=True)


def _mount(disk: Path) -> bool:
    try:
        _run("mount", "-t", "tmpfs", "-o", "size=24m", "studyservice-drill", str(disk))
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


_Step = Callable[[], object]


def _tmpfs(disk: Path) -> tuple[_Step, _Step]:
    """Return functions that fill the disk to its last byte, and free it."""
    ballast = disk / "ballast"

    def fill() -> None:
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"\0" * 4096)

    return fill, ballast.unlink


def _file_sizes(instance: Server, data: Path) -> tuple[_Step, _Step]:
    """Return functions that prevent the workers' files from growing, and lift that limit."""

    def limit(size: int) -> None:
        for worker in instance.workers():
            resource.prlimit(worker, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def largest() -> int:
        return max(os.path.getsize(file) for file in data.iterdir())  # noqa: PTH202  # Path has no shorter way

    return lambda: limit(largest()), lambda: limit(resource.RLIM_INFINITY)
