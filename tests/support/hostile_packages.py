"""Anki packages that attack their reader. Each function returns the bytes of one."""

import io
import json
import sqlite3
import struct
import sys
import zipfile
from collections.abc import Iterable
from contextlib import closing

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_MIB = 1024 * 1024
_TABLES = """
    CREATE TABLE col (crt INTEGER, decks TEXT, models TEXT);
    CREATE TABLE notes (id INTEGER PRIMARY KEY, mid INTEGER, flds);
    CREATE TABLE cards (nid, ord, did, odid, type, due, odue, ivl, reps, lapses, data, queue);
"""
_ROWS = """
    INSERT INTO notes (id, flds) VALUES (1, 'Pore' || char(31) || 'Hole');
    INSERT INTO cards VALUES (1, 0, 1, 0, 0, 1, 0, 0, 0, 0, '{}', 0);
"""
_DECKS = json.dumps({"1": {"name": "Cells"}})


def _database(*scripts: str, crt: object = 0, decks: object = _DECKS, has_tables: bool = True) -> bytes:
    """A collection in SQLite's format."""
    with closing(sqlite3.connect(":memory:")) as connection:
        if has_tables:
            connection.executescript(_TABLES)
            connection.execute("INSERT INTO col VALUES (?, ?, '{}')", (crt, decks))
        for script in scripts:
            connection.executescript(script)
        connection.commit()
        return bytes(connection.serialize())


def _package(content: bytes, name: str = "collection.anki21", more: Iterable[tuple[str, bytes]] = ()) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as written:
        for member, data in ((name, content), *more):
            written.writestr(member, data)
    return buffer.getvalue()


def harmless() -> bytes:
    """A valid package with one card."""
    return _package(_database(_ROWS))


def zip_bomb() -> bytes:
    """A database that unpacks to 100 MiB."""
    return _package(bytes(100 * _MIB))


def zstd_bomb() -> bytes:
    """400 MiB in the current format, compressed to 13 kB."""
    packer = zstd.ZstdCompressor()
    frame = b"".join(packer.compress(bytes(_MIB)) for _ in range(400)) + packer.flush()
    return _package(frame, "collection.anki21b")


def two_gigabyte_claim() -> bytes:
    """A member whose two headers claim 2 GB."""
    package = bytearray(harmless())
    central = package.index(b"PK\x01\x02")
    for place in (22, central + 24):
        struct.pack_into("<I", package, place, 2**31 - 1)
    return bytes(package)


def two_gigabyte_window() -> bytes:
    """A zstd frame that demands a window of 2 GB."""
    return _package(b"\x28\xb5\x2f\xfd\x00\xa8" + b"\x01\x00\x00" * 9, "collection.anki21b")


def broken_zstd() -> bytes:
    """A zstd frame cut off in the middle."""
    return _package(zstd.compress(_database(_ROWS))[:-40], "collection.anki21b")


def encrypted() -> bytes:
    """A package with a member marked as encrypted."""
    package = bytearray(harmless())
    for place in (6, package.index(b"PK\x01\x02") + 8):
        package[place] |= 1
    return bytes(package)


def overlapping_members() -> bytes:
    """Two directory entries that point to the same bytes."""
    package = bytearray(_package(_database(_ROWS), more=[("meta", b"\x08\x02")]))
    second = package.index(b"PK\x01\x02", package.index(b"PK\x01\x02") + 1)
    struct.pack_into("<I", package, second + 42, 0)
    return bytes(package)


def endless_cards() -> bytes:
    """A view that returns endless cards."""
    return _package(
        _database(
            """
            DROP TABLE cards;
            CREATE VIEW cards AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
            SELECT 1 nid, x ord, 1 did, 0 odid, 0 type, 0 due, 0 odue, 0 ivl, 0 reps, 0 lapses, '' data, 0 queue FROM n;
            """,
            _ROWS.partition(";")[0] + ";",
        )
    )


def cyclic_view() -> bytes:
    """A package with notes that include themselves."""
    return _package(_database("DROP TABLE notes; CREATE VIEW notes AS SELECT * FROM notes;"))


def cyclic_pages() -> bytes:
    """A database tree whose root is its own child."""
    many = """
        WITH RECURSIVE n(x) AS (SELECT 2 UNION ALL SELECT x + 1 FROM n WHERE x < 900)
        INSERT INTO notes (id, flds) SELECT x, x || char(31) || 'Hole' FROM n;
    """
    database = bytearray(_database(_ROWS, many))
    size = struct.unpack_from(">H", database, 16)[0]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(bytes(database))
        [root] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'notes'").fetchone()
    start = (root - 1) * size
    assert database[start] == 5  # an interior page
    [cell] = struct.unpack_from(">H", database, start + 12)
    for place in (start + 8, start + cell):
        struct.pack_into(">I", database, place, root)
    return _package(bytes(database))


def other_schema() -> bytes:
    """A database of another program."""
    return _package(_database("CREATE TABLE bookmarks (url TEXT);", has_tables=False))


def other_columns() -> bytes:
    """The right tables with the wrong columns."""
    return _package(_database("DROP TABLE cards; CREATE TABLE cards (nid, price);"))


def no_collection() -> bytes:
    """A collection without its only row."""
    return _package(_database(_ROWS, "DELETE FROM col;"))


def time_that_is_text() -> bytes:
    """A collection with text as its creation time, and a card whose due date depends on it."""
    scheduled = 'UPDATE cards SET type = 2, data = \'{"s": 3, "d": 5}\';'
    return _package(_database(_ROWS, scheduled, crt="yesterday"))


def extreme_numbers() -> bytes:
    """A card due in 8,000 years, reviewed in the year 1000, with the largest possible stability."""
    far = 'UPDATE cards SET type = 2, due = 2900000, ivl = 1, data = \'{"s": 1e300, "d": 5, "lrt": 40000000000}\';'
    return _package(_database(_ROWS, far))


def forgotten_at_once() -> bytes:
    """A card with the smallest stability, reviewed long before its due date."""
    soon = 'UPDATE cards SET type = 2, due = 20000, ivl = 19999, data = \'{"s": 1e-9, "d": 5}\';'
    return _package(_database(_ROWS, soon))


def cards_without_queue() -> bytes:
    """A table of cards without the column for suspended cards."""
    return _package(_database(_ROWS, "ALTER TABLE cards DROP COLUMN queue;"))


def textual_queue() -> bytes:
    """A card with text as its queue."""
    return _package(_database(_ROWS, "UPDATE cards SET queue = 'asleep';"))


def null_queue() -> bytes:
    """A card without a queue."""
    return _package(_database(_ROWS, "UPDATE cards SET queue = NULL;"))


def deck_that_is_not_an_object() -> bytes:
    """Decks that are numbers."""
    return _package(_database(_ROWS, decks='{"1": 5}'))


def decks_that_are_a_list() -> bytes:
    """Decks without ids."""
    return _package(_database(_ROWS, decks="[1]"))


def deep_decks() -> bytes:
    """JSON, 100,000 levels deep."""
    return _package(_database(_ROWS, decks="[" * 100_000))


def decks_without_names() -> bytes:
    """A package with a table of decks with empty names."""
    return _package(_database(_ROWS, "CREATE TABLE decks (id, name); INSERT INTO decks VALUES (1, NULL);"))


def cut() -> bytes:
    """A database without its second half."""
    database = _database(_ROWS)
    return _package(database[: len(database) // 2])


def values_of_wrong_types() -> bytes:
    """Numbers in place of texts, and texts in place of numbers."""
    return _package(
        _database(
            "INSERT INTO notes (id, flds) VALUES (1, 5), (2, NULL), (3, x'ff');",
            "INSERT INTO cards SELECT id, 'x', 1, 'y', 'z', NULL, 'due', x'00', 1e300, 'often', 7, 'q' FROM notes;",
        )
    )


def long_field() -> bytes:
    """A note of 40 MiB, half of it tags."""
    return _package(
        _database(
            "INSERT INTO notes (id, flds)"
            " VALUES (1, replace(hex(zeroblob(2500000)), '00', '<i>a</i>') || char(31) || 'Hole');",
            _ROWS.partition(";")[2],
        )
    )


def zip_slip() -> bytes:
    """A package with paths outside of it, and one card."""
    names = ("../../tmp/slipped", "/tmp/slipped", "..\\slipped")  # noqa: S108  # what is refused
    return _package(_database(_ROWS), more=[(name, b"slipped") for name in names])


def too_many_notes() -> bytes:
    """50,001 notes."""
    return _package(
        _database(
            """
            WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 50001)
            INSERT INTO notes (id, flds) SELECT x, x || char(31) || 'a' FROM n;
            INSERT INTO cards SELECT id, 0, 1, 0, 0, 0, 0, 0, 0, 0, '', 0 FROM notes;
            """
        )
    )
