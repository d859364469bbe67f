"""Read the catalogs of PostgreSQL and Citus: keys, unique indexes and placement of tables."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A foreign key in the database.

    Attributes:
        columns: of `table`, in the order of `target_columns`.
        definition: as SQL, from `FOREIGN KEY` on.
    """

    name: str
    table: str
    columns: tuple[str, ...]
    target: str
    target_columns: tuple[str, ...]
    definition: str


@dataclass(frozen=True, slots=True)
class UniqueIndex:
    """A unique index, or the constraint that uses it.

    Attributes:
        keys: its columns or expressions, as SQL.
        condition: of a partial index, as SQL, or None.
        is_constraint: whether it belongs to a constraint of the same name.
    """

    name: str
    table: str
    keys: tuple[str, ...]
    condition: str | None
    is_primary: bool
    is_constraint: bool


_COLUMNS = """
    (SELECT array_agg(attname::text ORDER BY place) FROM unnest({key}) WITH ORDINALITY AS one(number, place)
     JOIN pg_attribute ON attrelid = {table} AND attnum = number)
"""

_FOREIGN_KEYS = " ".join(
    [
        "SELECT conname, conrelid::regclass::text,",
        _COLUMNS.format(table="conrelid", key="conkey"),
        ", confrelid::regclass::text,",
        _COLUMNS.format(table="confrelid", key="confkey"),
        ", pg_get_constraintdef(oid) FROM pg_constraint",
        "WHERE contype = 'f' AND connamespace = 'public'::regnamespace ORDER BY conrelid::regclass::text, conname",
    ]
)

_UNIQUE_INDEXES = """
    SELECT named.relname::text, indrelid::regclass::text,
           (SELECT array_agg(pg_get_indexdef(indexrelid, place, true) ORDER BY place)
            FROM generate_series(1, indnkeyatts) AS place),
           pg_get_expr(indpred, indrelid), indisprimary,
           EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u'))
    FROM pg_index JOIN pg_class AS named ON named.oid = indexrelid
    WHERE indisunique AND named.relnamespace = 'public'::regnamespace
    ORDER BY indrelid::regclass::text, named.relname
"""

_PLACES = """
    SELECT logicalrelid::regclass::text,
           CASE WHEN partmethod = 'h' THEN column_to_column_name(logicalrelid, partkey) END, colocationid, repmodel
    FROM pg_dist_partition
"""

REFERENCE = "t"
"""The value in `pg_dist_partition` for a table with a copy on every server (Citus, metadata tables: repmodel)."""


@dataclass(frozen=True, slots=True)
class Place:
    """The placement of a table in Citus.

    Attributes:
        column: the distribution column; None for a table that is not distributed.
        group: of tables that are placed together.
        is_everywhere: whether every server has a copy.
    """

    column: str | None
    group: int
    is_everywhere: bool


def foreign_keys(cursor: Any) -> list[ForeignKey]:
    """Return all foreign keys."""
    cursor.execute(_FOREIGN_KEYS)
    return [
        ForeignKey(name, table, tuple(columns), target, tuple(target_columns), definition)
        for name, table, columns, target, target_columns, definition in cursor.fetchall()
    ]


def unique_indexes(cursor: Any) -> list[UniqueIndex]:
    """Return all unique indexes, including those of primary keys."""
    cursor.execute(_UNIQUE_INDEXES)
    return [UniqueIndex(name, table, tuple(keys), *rest) for name, table, keys, *rest in cursor.fetchall()]


def tables(cursor: Any) -> set[str]:
    """Return the tables that exist."""
    cursor.execute("SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
    return {name for (name,) in cursor.fetchall()}


def has_citus(cursor: Any) -> bool:
    """Return whether the extension is in this database."""
    cursor.execute("SELECT count(*) FROM pg_extension WHERE extname = 'citus'")
    return bool(cursor.fetchone()[0])


def places(cursor: Any) -> dict[str, Place]:
    """Return the placement of each table that Citus manages. Empty without the extension."""
    if not has_citus(cursor):
        return {}
    cursor.execute(_PLACES)
    return {name: Place(column, group, model == REFERENCE) for name, column, group, model in cursor.fetchall()}


def row_counts(cursor: Any, names: list[str]) -> dict[str, int]:
    """Return the number of rows of each table. Reads all rows."""
    counted = {}
    for name in names:
        cursor.execute(f"SELECT count(*) FROM {name}")  # noqa: S608 # nosec  # a name of the catalogue
        counted[name] = int(cursor.fetchone()[0])
    return counted
