"""Partitions every table with members' rows by member, with native hash partitions of PostgreSQL and foreign keys."""

from collections.abc import Callable, Iterable
from typing import Any

PARTITIONS = 4

STAY = {
    "accounts_browsersession",
    "accounts_memberaddress",
    "accounts_secretowner",
    "accounts_signincode",
    "django_admin_log",
    "accounts_member_groups",
    "accounts_member_user_permissions",
    "oauth2_provider_devicegrant",
    "oauth2_provider_idtoken",
}
"""Unpartitioned tables that refer to members: those read before the member is known, and operators' own."""

_OWNED = """
    SELECT key.conrelid::regclass::text, owner.attname FROM pg_constraint key
    JOIN pg_attribute owner ON owner.attrelid = key.conrelid AND owner.attnum = key.conkey[1]
    WHERE key.contype = 'f' AND key.confrelid = 'accounts_member'::regclass AND cardinality(key.conkey) = 1
    ORDER BY 1
"""
_FOREIGN_KEYS = """
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE contype = 'f' AND (conrelid::regclass::text = ANY(%s) OR confrelid::regclass::text = ANY(%s)) ORDER BY conname
"""
_UNIQUE = """
    SELECT conname, array_agg(attname::text ORDER BY place) FROM pg_constraint
    CROSS JOIN unnest(conkey) WITH ORDINALITY AS of (number, place)
    JOIN pg_attribute ON attrelid = conrelid AND attnum = number
    WHERE contype = 'u' AND conrelid = %s::regclass GROUP BY conname
"""
_INDEXES = """
    SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = %s::regclass
    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid)
"""

Execute = Callable[..., list[tuple[Any, ...]]]
"""Execute a statement, with or without parameters. Return its rows, if any."""


def owned(execute: Execute) -> dict[str, str]:
    """The tables with members' rows, and their member column."""
    return {"accounts_member": "id"} | {table: owner for table, owner in execute(_OWNED) if table not in STAY}


def spread(execute: Execute) -> list[str]:
    """Partition every such table and return their names. Unique columns become unique per member."""
    tables = owned(execute)
    keys = execute(_FOREIGN_KEYS, [list(tables), list(tables)])
    for table, name, _ in keys:
        execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    for table, owner in tables.items():
        for statement in _spread(execute, table, owner):
            execute(statement)
    for table, name, definition in keys:
        execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
    return list(tables)


def _spread(execute: Execute, table: str, owner: str) -> Iterable[str]:
    unique = {name: columns for name, columns in execute(_UNIQUE, [table]) if columns != [owner, "id"]}
    indexes = [definition for (definition,) in execute(_INDEXES, [table])]
    yield f"ALTER TABLE {table} RENAME TO {table}_whole"
    yield (
        f"CREATE TABLE {table} (LIKE {table}_whole INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING IDENTITY) "
        f"PARTITION BY HASH ({owner})"
    )
    for number in range(PARTITIONS):
        yield (
            f"CREATE TABLE {table}_p{number} PARTITION OF {table} "
            f"FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {number})"
        )
    yield f"INSERT INTO {table} TABLE {table}_whole"
    yield f"DROP TABLE {table}_whole"
    yield f"ALTER TABLE {table} ADD PRIMARY KEY ({', '.join(dict.fromkeys([owner, 'id']))})"
    for name, columns in unique.items():
        yield f"ALTER TABLE {table} ADD CONSTRAINT {name} UNIQUE ({', '.join(dict.fromkeys([owner, *columns]))})"
    for definition in indexes:
        if " UNIQUE " not in definition or f"({owner}, " in definition:
            yield definition
    if execute("SELECT pg_get_serial_sequence(%s, 'id')", [table]) != [(None,)]:
        newest = f"SELECT coalesce(max(id), 0) + 1 FROM {table}"  # noqa: S608  # names alone
        yield f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), ({newest}))"


def read_of_several(counted: Iterable[tuple[str]]) -> dict[str, list[str]]:
    """Group the read partitions by table, and return tables with more than one."""
    found: dict[str, list[str]] = {}
    for (name,) in counted:
        found.setdefault(name.rpartition("_p")[0], []).append(name)
    return {table: names for table, names in found.items() if len(names) > 1}
