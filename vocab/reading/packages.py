"""Cards from Anki packages (`.apkg`): a ZIP with a SQLite database, in both formats that Anki currently writes.

`collection.anki21b` is compressed with zstd. A `collection.anki2` beside it only says that a newer Anki is required.
`collection.anki21` and, in old versions, `collection.anki2` are uncompressed databases. `meta` says which of the three
counts. The tables are those of Anki's `rslib/src/storage`, and the FSRS state is in `cards.data`.
"""

import json
import math
import sqlite3
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from itertools import groupby
from operator import itemgetter
from typing import IO, Any, NamedTuple

from vocab.reading.found import (
    MAX_REVIEWS,
    BrokenFileError,
    FoundCard,
    FoundSchedule,
    NoteCards,
    TooLargeFileError,
)
from vocab.reading.notes import note_id, note_texts

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAX_DATABASE = 96 * 1024 * 1024
"""Maximum bytes of the unpacked database, which is in memory twice while it is opened."""

_LATEST, _LEGACY, _OLDEST = "collection.anki21b", "collection.anki21", "collection.anki2"
_VERSIONS = {3: (_LATEST,), 2: (_LEGACY,), 1: (_OLDEST,)}
"""The collection file for each version in `meta` (Anki's `PackageMetadata.Version`)."""

_OTHERS = frozenset({_LATEST, _LEGACY, _OLDEST, "meta", "media"})
_BROKEN = (zipfile.BadZipFile, zlib.error, sqlite3.Error, RuntimeError, KeyError, EOFError, OSError, ValueError)
_WAL, _ROLLBACK = b"\x02\x02", b"\x01\x01"

_CARDS = """
    SELECT notes.id, notes.mid, CAST(notes.flds AS TEXT), CAST(cards.ord AS INTEGER), cards.did, cards.odid,
           CAST(cards.type AS INTEGER), CAST(cards.due AS INTEGER), CAST(cards.odue AS INTEGER),
           CAST(cards.ivl AS INTEGER), CAST(cards.reps AS INTEGER), CAST(cards.lapses AS INTEGER),
           CAST(cards.data AS TEXT), CAST(cards.queue AS INTEGER)
    FROM notes JOIN cards ON cards.nid = notes.id
    WHERE notes.flds IS NOT NULL
    ORDER BY notes.id, cards.ord
"""
"""SQLite allows any type in any column. Values are converted to the types of `_CardColumns`, or null."""

_CARDS_WITHOUT_QUEUE = _CARDS.replace("cards.queue", "NULL")


class _CardColumns(NamedTuple):
    """Columns of the table `cards`.

    Attributes:
        ord: for a cloze note, the number of its gap minus 1.
        odid: for a card in a filtered deck, its original deck.
        due: in days for type 2, in seconds for others; a filtered deck stores its own order here.
        queue: negative for inactive cards; -1 for suspended ones; None if the table has no such column.
        ivl: days between the last review and the due day; negative values are seconds.
    """

    ord: int
    did: int
    odid: int
    type: int
    due: int
    odue: int
    ivl: int
    reps: int
    lapses: int
    data: str
    queue: int | None


_CLOZE = 1
_SUSPENDED = -1
_CLOZE_CONFIG = b"\x08\x01"
_STATES = {1: "learning", 2: "review", 3: "relearning"}
_DAY = 86_400
_FIRST_TIMESTAMP = 1_000_000_000
"""Due days are far below this number, and due seconds above."""

_LAST_TIME = 253_370_764_800
"""The year 9999, in seconds."""


def is_package(file: IO[bytes]) -> bool:
    """Return whether the file is a ZIP."""
    file.seek(0)
    return file.read(4) in {b"PK\x03\x04", b"PK\x05\x06"}


def read_package(file: IO[bytes]) -> dict[str, Any]:
    """The decks of a package. Notes and gaps without a card are counted as skipped.

    Raises:
        BrokenFileError: it is not an Anki package, or it is broken.
        TooLargeFileError: its database has more than `MAX_DATABASE` bytes.
        TooManyError: its notes make more than `MAX_CARDS` cards.
    """
    try:
        with zipfile.ZipFile(file) as package:
            database = bytearray(_database(package))
            media = len(set(package.namelist()) - _OTHERS)
        if database[18:20] == _WAL:  # an in-memory database has no journal file
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
    """The first field of the message in `meta`, a number (Protocol Buffers, encoding); 0 if missing."""
    with package.open("meta") as stream:
        start = stream.read(2)
    return start[1] if len(start) == 2 and start[0] == 0x08 else 0


def _bounded(stream: Any) -> bytes:
    data: bytes = stream.read(MAX_DATABASE + 1)
    if len(data) > MAX_DATABASE:
        raise TooLargeFileError
    return data


def _decks(connection: sqlite3.Connection, media: int) -> dict[str, Any]:
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace").replace("\ufeff", "")
    connection.create_collation("unicase", lambda one, other: (one > other) - (one < other))
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA temp_store = MEMORY")  # the process cannot write files, not even for sorting
    collection = connection.execute(
        "SELECT CAST(crt AS INTEGER), CAST(decks AS TEXT), CAST(models AS TEXT) FROM col"
    ).fetchone()
    if collection is None or collection[0] is None:
        raise BrokenFileError
    crt, decks_as_json, types_as_json = collection
    names = _names(connection, decks_as_json)
    cloze_types = _cloze_types(connection, types_as_json)
    query = _CARDS if _has_queue(connection) else _CARDS_WITHOUT_QUEUE
    cards = NoteCards()
    for (note, note_type, fields), rows in groupby(connection.execute(query), key=itemgetter(0, 1, 2)):
        first, *others = (_CardColumns(*row[3:]) for row in rows)
        is_cloze = note_type in cloze_types
        by_gap = {card.ord: card for card in (first, *others)} if is_cloze else {0: first}
        for gap, term, definition in note_texts(fields.split("\x1f"), is_cloze=is_cloze):
            made: FoundCard = {"term": term, "definition": definition}
            if is_cloze:
                made["note"] = note_id(note)
            stored = by_gap.get(gap - 1)
            schedule = None if stored is None else _schedule(crt, stored)
            if schedule is not None:
                made["schedule"] = schedule
            if stored is not None and stored.queue == _SUSPENDED:
                made["suspended"] = True
            home = (stored or first).odid or (stored or first).did
            cards.add(home, names.get(home), made)
    output = cards.output(media)
    output["decks"].sort(key=lambda deck: deck["name"] or "")
    return output


def _names(connection: sqlite3.Connection, as_json: str | None) -> dict[int, str]:
    """The deck names with Anki's `::` between levels. Older databases store them as JSON."""
    if _has_table(connection, "decks"):
        rows = connection.execute("SELECT id, CAST(name AS TEXT) FROM decks WHERE name IS NOT NULL")
        return {id_: name.replace("\x1f", "::").strip() for id_, name in rows}
    return {id_: str(deck["name"]).strip() for id_, deck in _objects(as_json)}


def _cloze_types(connection: sqlite3.Connection, as_json: str | None) -> set[int]:
    """The note types with gaps. Older databases store types as JSON.

    Newer ones store a message, whose first field is the kind if it is not the default (Anki's `Notetype.Config`).
    """
    if _has_table(connection, "notetypes"):
        rows = connection.execute("SELECT id, CAST(substr(config, 1, 2) AS BLOB) FROM notetypes")
        return {id_ for id_, config in rows if config == _CLOZE_CONFIG}
    return {id_ for id_, note_type in _objects(as_json) if note_type.get("type") == _CLOZE}


def _has_table(connection: sqlite3.Connection, name: str) -> bool:
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [name])
    return found.fetchone() is not None


def _has_queue(connection: sqlite3.Connection) -> bool:
    found = connection.execute("SELECT 1 FROM pragma_table_info('cards') WHERE name = 'queue' COLLATE NOCASE")
    return found.fetchone() is not None


def _objects(as_json: str | None) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects in a JSON object whose keys are ids."""
    found = json.loads(as_json or "{}")
    if not isinstance(found, dict) or not all(isinstance(value, dict) for value in found.values()):
        raise BrokenFileError
    for id_, value in found.items():
        yield int(id_), value


def _schedule(crt: int, card: _CardColumns) -> FoundSchedule | None:
    """The card's FSRS state. None for a new card, and for one that FSRS never scheduled.

    Args:
        crt: creation time of the collection in seconds; due days count from it.
        card: in a filtered deck, its true due day is `odue`.
    """
    stability, difficulty, last = _memory(card.data)
    if card.type not in _STATES or stability is None or difficulty is None:
        return None
    due = card.odue if card.odid and card.odue else card.due
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
    """Stability, difficulty and time of the last review from `cards.data`; None for missing or invalid values."""
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
    """A column about reviews; 0 for values that are not valid counts."""
    return value if isinstance(value, int) and 0 <= value <= MAX_REVIEWS else 0
