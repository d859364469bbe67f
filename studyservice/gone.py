"""The record of what must stay gone after a restore: `gone.jsonl` in `DATA_DIR`.

A backup still has what was erased, revoked or blocked after it was made. Each such end adds a line after its
commit, and `redo-gone` repeats the lines in a restored database. They hold ids only, no names and no secrets.
"""

import json
import logging
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from studyservice.hooks import HookTable

logger = logging.getLogger(__name__)

MAX_ID = 255
"""Maximum characters of a client id, the longest id of a line."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How `redo-gone` repeats one kind of line.

    Attributes:
        find: returns what a line ended, by its id and time, if it is back; None otherwise.
        end: ends what `find` returned.
        by_uuid: whether ids are UUIDs. Other ids are client ids of apps.
    """

    find: Callable[[str, datetime], Any]
    end: Callable[[Any], object]
    by_uuid: bool = True


ENDINGS = HookTable[Ending]("ENDINGS")
"""Endings by the `what` of their lines."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line: when `what` was done to the object with this id."""

    at: datetime
    what: str
    id: str

    def __str__(self) -> str:
        return json.dumps({"at": self.at.isoformat(), "what": self.what, "id": self.id})


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line that is not one of ours, and the reason."""

    file: str
    line: int
    message: str


def path() -> Path:
    """Return the path of the file, which exists from the first line on."""
    return Path(settings.DATA_DIR) / "gone.jsonl"


def note_gone(what: str, *ids: object) -> None:
    """Add a line for each id after the commit. `what` is a key of `ENDINGS`."""
    now = timezone.now()
    transaction.on_commit(partial(append, [Line(now, what, str(one)) for one in ids]))


def append(lines: Iterable[Line]) -> None:
    """Write `lines` to the end of the file. If that fails, log them: what they name has ended already."""
    text = "".join(f"{line}\n" for line in lines)
    if not text:
        return
    try:
        _write(text.encode())
    except OSError:
        logger.exception("%s could not be written. Add these lines to it: %s", path(), text)


def _write(text: bytes) -> None:
    """Append in one write, on a new line even if a crash left half a line, and wait for the disk."""
    with open(path(), "ab+", buffering=0, opener=partial(os.open, mode=0o600)) as file:
        size = file.seek(0, os.SEEK_END)
        if size and os.pread(file.fileno(), 1, size - 1) != b"\n":
            text = b"\n" + text
        if file.write(text) != len(text):
            raise OSError("The disk is full.")
        os.fsync(file.fileno())


def read(file: Path) -> Iterator[Line | Unreadable]:
    """Yield each line of `file`, empty ones left out. Raises OSError if it cannot be read."""
    with file.open("rb") as rows:
        for number, row in enumerate(rows, 1):
            if row.strip():
                try:
                    yield _parsed(row)
                except ValueError as error:
                    yield Unreadable(str(file), number, str(error))


def _parsed(row: bytes) -> Line:
    """Parse one line. Raises ValueError with a sentence for operators."""
    try:
        found = json.loads(row)
        at, what, id_ = datetime.fromisoformat(found["at"]), found["what"], found["id"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ValueError(
            'Not a line like {"at": "2026-11-27T12:00:00+00:00", "what": "key_revoked", "id": "…"}.'
        ) from None
    ending = ENDINGS.get(what) if isinstance(what, str) else None
    if ending is None:
        raise ValueError(f"what must be one of {', '.join(sorted(ENDINGS))}.")
    if at.tzinfo is None:
        raise ValueError("at must have a time zone, like 2026-11-27T12:00:00+00:00.")
    if not isinstance(id_, str) or not 1 <= len(id_) <= MAX_ID or "\x00" in id_:
        raise ValueError(f"id must be text of 1 to {MAX_ID} characters.")
    if not ending.by_uuid:
        return Line(at, what, id_)
    try:
        return Line(at, what, str(UUID(id_)))
    except ValueError:
        raise ValueError("id must be a UUID.") from None


def latest(lines: Iterable[Line]) -> list[Line]:
    """Return the last line about each id, in the order of time: an app may be blocked, unblocked, and blocked again."""
    return list({line.id: line for line in sorted(lines, key=lambda line: line.at)}.values())
