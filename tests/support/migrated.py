"""Migrated databases, kept between runs: two thirds of the start of a single test went into migrating.

They lie in `.pytest_cache/databases` under a hash of everything that migrations are made of, so a change of any of that
migrates anew. An entry appears by a rename, so a run that is cut off leaves none in part.
"""

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from functools import cache
from pathlib import Path
from uuid import uuid4

ROOT = Path(__file__).resolve().parents[2]
_ENTRIES = ROOT / ".pytest_cache" / "databases"
_MIGRATED_BY = ("*/migrations/*.py", "studyservice/database/**/*.py", "requirements.txt")
_KEPT = 3
"""Entries of each kind; the others, which earlier trees have left, are removed."""


@cache
def digest() -> str:
    """SHA-256 of the migrations and of what they run on."""
    found = hashlib.sha256(sys.version.encode() + sqlite3.sqlite_version.encode())
    for path in sorted({path for pattern in _MIGRATED_BY for path in ROOT.glob(pattern)}):
        found.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return found.hexdigest()[:32]


def restore(kind: str, target: Path) -> bool:
    """Copy the entry of this kind to `target`, a file or a directory; False if there is none."""
    entry = _entry(kind)
    try:
        _copy(entry, target)
    except subprocess.CalledProcessError:  # there is none, or another run has just removed it
        shutil.rmtree(target, ignore_errors=True)
        target.unlink(missing_ok=True)
        return False
    os.utime(entry)
    return True


def keep(kind: str, source: Path) -> None:
    """Make the file or directory `source` the entry of this kind, in place of an earlier one."""
    _ENTRIES.mkdir(parents=True, exist_ok=True)
    part = _ENTRIES / f"part-{uuid4().hex}"
    _copy(source, part)
    discard(kind)
    try:
        part.rename(_entry(kind))
    except OSError:  # another run was first
        _remove(part)
    for old in sorted(_ENTRIES.glob(f"{kind}-*"), key=_age)[_KEPT:]:
        _remove(old)


def discard(kind: str) -> None:
    """Remove the entry of this kind, if there is one."""
    _remove(_entry(kind))


def _entry(kind: str) -> Path:
    return _ENTRIES / f"{kind}-{digest()}"


def _copy(source: Path, target: Path) -> None:
    """As it is, with the owners of the files, without copying their bytes where the file system can share them."""
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
