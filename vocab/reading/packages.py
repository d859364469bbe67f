"""Cards out of Anki's packages (`.apkg`): a ZIP with a SQLite database, in both formats that Anki writes today.

`collection.anki21b` is compressed with zstd; beside it stands a `collection.anki2` that only says that a newer Anki is
needed. `collection.anki21` and, of old versions, `collection.anki2` are the database as it is. `meta` says which of
the three counts. The tables are those of Anki's `rslib/src/storage`, the state in FSRS is in `cards.data`.
"""

import json
import math
import re
import sqlite3
import sys
import zipfile
import zlib
from contextlib import closing
from typing import IO, Any, NamedTuple

from courses.syllabi.reading.html import read_html
from courses.syllabi.reading.limits import TooLargeError
from vocab.reading.found import (
    MAX_CARDS,
    MAX_REVIEWS,
    BrokenFileError,
    FoundCard,
    FoundDeck,
    FoundSchedule,
    TooLargeFileError,
    TooManyError,
    fits,
    told,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAX_DATABASE = 96 * 1024 * 1024
"""Bytes of the unpacked database, which is twice in memory while it is opened."""

_MAX_FIELD = 1_000_000
"""Characters of a field's HTML; a picture that stands in it as text is shorter."""

_LATEST, _LEGACY, _OLDEST = "collection.anki21b", "collection.anki21", "collection.anki2"
_VERSIONS = {3: (_LATEST,), 2: (_LEGACY,), 1: (_OLDEST,)}
"""What counts by the version in `meta` (Anki's `PackageMetadata.Version`)."""

_OTHERS = frozenset({_LATEST, _LEGACY, _OLDEST, "meta", "media"})
_BROKEN = (zipfile.BadZipFile, zlib.error, sqlite3.Error, RuntimeError, KeyError, EOFError, OSError, ValueError)
_WAL, _ROLLBACK = b"\x02\x02", b"\x01\x01"

_CARDS = """
    SELECT notes.id, CAST(notes.flds AS TEXT), cards.did, cards.odid,
           CAST(cards.type AS INTEGER), CAST(cards.due AS INTEGER), CAST(cards.odue AS INTEGER),
           CAST(cards.ivl AS INTEGER), CAST(cards.reps AS INTEGER), CAST(cards.lapses AS INTEGER),
           CAST(cards.data AS TEXT)
    FROM notes JOIN cards ON cards.nid = notes.id
    WHERE notes.flds IS NOT NULL
    ORDER BY notes.id, cards.ord
"""
"""SQLite puts values of any kind into any column; these are of the kinds of `_CardColumns`, or none."""


class _CardColumns(NamedTuple):
    """Of the table `cards`.

    Attributes:
        due: of type 2 in days, of the others in seconds; a filtered deck has orders of its own here.
        ivl: days between the last review and the due day; below 0 seconds.
    """

    type: int
    due: int
    odue: int
    ivl: int
    reps: int
    lapses: int
    data: str


_STATES = {1: "learning", 2: "review", 3: "relearning"}
_DAY = 86_400
_FIRST_TIMESTAMP = 1_000_000_000
"""A due day is far below, a due second above."""

_LAST_TIME = 253_370_764_800
"""The year 9999, in seconds."""

_SOUND = re.compile(r"\[sound:[^\]]*\]")


def is_package(file: IO[bytes]) -> bool:
    """Whether the file is a ZIP."""
    file.seek(0)
    return file.read(4) in {b"PK\x03\x04", b"PK\x05\x06"}


def read_package(file: IO[bytes]) -> dict[str, Any]:
    """The decks of a package; notes whose first two fields make no card are counted as skipped.

    Raises:
        BrokenFileError: it is no package of Anki's, or a broken one.
        TooLargeFileError: its database has more than `MAX_DATABASE` bytes.
        TooManyError: it has more than `MAX_CARDS` notes.
    """
    try:
        with zipfile.ZipFile(file) as package:
            database = bytearray(_database(package))
            media = len(set(package.namelist()) - _OTHERS)
        if database[18:20] == _WAL:  # a database in memory has no log beside it
            database[18:20] = _ROLLBACK
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.deserialize(bytes(database))
            del database
            return _decks(connection, media)
    except _BROKEN as fault:
        raise BrokenFileError from fault


def _database(package: zipfile.ZipFile) -> bytes:
    names = set(package.namelist())
    wanted = _VERSIONS.get(_version(package), (_LATEST, _LEGACY, _OLDEST)) if "meta" in names else None
    name = next((name for name in wanted or (_LATEST, _LEGACY, _OLDEST) if name in names), None)
    if name is None:
        raise BrokenFileError
    with package.open(name) as stream:
        if name != _LATEST:
            return _bounded(stream)
        try:
            with zstd.ZstdFile(stream) as unpacked:
                return _bounded(unpacked)
        except zstd.ZstdError as fault:
            raise BrokenFileError from fault


def _version(package: zipfile.ZipFile) -> int:
    """The first field of the message in `meta`, a number (Protocol Buffers, encoding); 0 if there is none."""
    with package.open("meta") as stream:
        start = stream.read(2)
    return start[1] if len(start) == 2 and start[0] == 0x08 else 0


def _bounded(stream: Any) -> bytes:
    data: bytes = stream.read(MAX_DATABASE + 1)
    if len(data) > MAX_DATABASE:
        raise TooLargeFileError
    return data


def _decks(connection: sqlite3.Connection, media: int) -> dict[str, Any]:
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    connection.create_collation("unicase", lambda one, other: (one > other) - (one < other))
    connection.execute("PRAGMA trusted_schema = OFF")
    collection = connection.execute("SELECT CAST(crt AS INTEGER), CAST(decks AS TEXT) FROM col").fetchone()
    if collection is None or collection[0] is None:
        raise BrokenFileError
    crt, decks_as_json = collection
    names = _names(connection, decks_as_json)
    found: dict[int, FoundDeck] = {}
    skipped = number = 0
    last = None
    for note, fields, did, odid, *columns in connection.execute(_CARDS):
        if note == last:  # a note is one card here, its first
            continue
        last = note
        number += 1
        if number > MAX_CARDS:
            raise TooManyError
        texts = [_text(field) for field in fields.split("\x1f")[:2]]
        if len(texts) < 2 or not fits(*texts):
            skipped += 1
            continue
        made: FoundCard = {"term": texts[0], "definition": texts[1]}
        schedule = _schedule(crt, _CardColumns(*columns), is_filtered=bool(odid))
        if schedule is not None:
            made["schedule"] = schedule
        home = odid or did
        deck = found.setdefault(home, {"name": names.get(home), "cards": []})
        deck["cards"].append(made)
    decks = sorted(found.values(), key=lambda deck: deck["name"] or "")
    return told(decks, skipped=skipped, media=media)


def _names(connection: sqlite3.Connection, as_json: str | None) -> dict[int, str]:
    """The decks' names, with Anki's `::` between the parts of one; older databases have them as JSON."""
    if connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'decks'").fetchone():
        rows = connection.execute("SELECT id, CAST(name AS TEXT) FROM decks WHERE name IS NOT NULL")
        return {id_: name.replace("\x1f", "::").strip() for id_, name in rows}
    decks = json.loads(as_json or "{}")
    if not isinstance(decks, dict) or not all(isinstance(deck, dict) for deck in decks.values()):
        raise BrokenFileError
    return {int(id_): str(deck["name"]).strip() for id_, deck in decks.items()}


def _text(field: str) -> str:
    """A field's HTML as text, without what is media; empty of one that is too long to be looked into."""
    if len(field) > _MAX_FIELD:
        return ""
    text = _SOUND.sub("", field)
    if "<" not in text and "&" not in text:
        return text.strip()
    try:
        return read_html(text).strip()
    except TooLargeError:
        return ""


def _schedule(crt: int, card: _CardColumns, *, is_filtered: bool) -> FoundSchedule | None:
    """Where the card stands in FSRS; None of one that is new, or was never scheduled by FSRS.

    Args:
        crt: when the collection was made, in seconds; due days are counted from it.
        is_filtered: whether it is in a filtered deck, and its true due day is `odue`.
    """
    stability, difficulty, last = _memory(card.data)
    if card.type not in _STATES or stability is None or difficulty is None:
        return None
    due = card.odue if is_filtered and card.odue else card.due
    due_at = due if due >= _FIRST_TIMESTAMP else crt + due * _DAY
    last_at = last or due_at - (card.ivl * _DAY if card.ivl > 0 else -card.ivl)
    if not (0 < due_at < _LAST_TIME and 0 < last_at < _LAST_TIME):
        return None
    return {
        "state": _STATES[card.type],
        "stability": stability,
        "difficulty": difficulty,
        "due": due_at,
        "last_reviewed": min(last_at, due_at),
        "reps": _count(card.reps),
        "lapses": _count(card.lapses),
    }


def _memory(data: str) -> tuple[float | None, float | None, float | None]:
    """Stability, difficulty and the time of the last review out of `cards.data`; None what is not there or no such."""
    try:
        values = json.loads(data or "{}")
    except ValueError:
        return None, None, None
    if not isinstance(values, dict):
        return None, None, None
    stability, difficulty, last = (_number(values.get(name)) for name in ("s", "d", "lrt"))
    if stability is None or difficulty is None or stability <= 0 or not 1 <= difficulty <= 10:
        return None, None, None
    return stability, difficulty, last


def _number(value: object) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None  # type: ignore[arg-type]  # it is one


def _count(value: object) -> int:
    """A column of reviews; what is no number of any is 0."""
    return value if isinstance(value, int) and 0 <= value <= MAX_REVIEWS else 0
