"""Migrated databases, kept between runs: migrating took two thirds of the start of a single test.

They are stored in `.pytest_cache/databases` under a hash of all inputs of migrations, so a change of any input migrates
again. An entry is created by a rename, so an interrupted run leaves no partial entry.
"""

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from uuid import uuid4

ROOT = Path(__file__).resolve().parents[2]
ENTRIES = ROOT / ".pytest_cache" / "databases"
_MIGRATED_BY = (
    "*/migrations/*.py",
    "studyservice/database/**/*.py",
    "studyservice/management/commands/migrate.py",
    "requirements/runtime.txt",
)
_KEPT = 3
"""Number of kept entries per kind. Older ones are removed."""


@cache
def digest() -> str:
    """SHA-256 of the migrations and the code they run on."""
    found = hashlib.sha256(sys.version.encode() + sqlite3.sqlite_version.encode())
    for path in sorted({path for pattern in _MIGRATED_BY for path in ROOT.glob(pattern)}):
        found.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return found.hexdigest()[:32]


def restore(kind: str, target: Path, is_whole: Callable[[Path], bool]) -> bool:
    """Copy the entry of this kind to `target`, a file or a directory. Return False if it is missing or damaged.

    Args:
        is_whole: checks the copy.
    """
    entry = _entry(kind)
    try:
        copied = entry.stat().st_ino
        _copy(entry, target)
        os.utime(entry)
        # Another run may have replaced the entry meanwhile, leaving a partial copy.
        if entry.stat().st_ino == copied and is_whole(target):
            return True
    except (subprocess.CalledProcessError, FileNotFoundError):  # it is missing, or another run has just removed it
        pass
    _remove(target)
    return False


def keep(kind: str, source: Path) -> None:
    """Store the file or directory `source` as the entry of this kind, replacing an earlier one."""
    ENTRIES.mkdir(parents=True, exist_ok=True)
    part = ENTRIES / f"part-{uuid4().hex}"
    _copy(source, part)
    _discard(_entry(kind))
    try:
        part.rename(_entry(kind))
    except OSError:  # another run was faster
        _remove(part)
    for old in sorted(ENTRIES.glob(f"{kind}-*"), key=_age)[_KEPT:]:
        _discard(old)


def _discard(entry: Path) -> None:
    """Remove an entry if it exists. It is renamed first, so that no other run copies it half deleted."""
    part = ENTRIES / f"part-{uuid4().hex}"
    with suppress(FileNotFoundError):  # it is missing, or another run was faster
        entry.rename(part)
        _remove(part)


def _entry(kind: str) -> Path:
    return ENTRIES / f"{kind}-{digest()}"


def _copy(source: Path, target: Path) -> None:
    """Copy it with file owners, sharing the bytes where the file system can."""
    subprocess.run(["cp", "-a", str(source), str(target)], check=True, stderr=subprocess.DEVNULL)  # noqa: S607


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _age(path: Path) -> float:
    try:
        return -path.stat().st_mtime
    except FileNotFoundError:  # another run has just removed it
        return 0
