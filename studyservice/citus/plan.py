"""The statements that place each table, and a check that all tables are placed.

Each server sees only its own rows, so foreign keys and unique keys must include the member. The keys of a table change
with its place. The primary key `id` becomes `(member_id, id)` and replaces a unique key of that form. Other unique keys
get the member as last column, so that their indexes still serve queries by the first columns. References to members
from tables on the coordinator lose their foreign keys. Citus does not support PostgreSQL's `ON DELETE SET NULL
(column)`, so the service empties such references itself.
"""

import re
from collections.abc import Iterator
from typing import Any

from studyservice.citus.catalogue import (
    ForeignKey,
    UniqueIndex,
    foreign_keys,
    places,
    tables,
    unique_indexes,
)
from studyservice.citus.layout import Layout

_SEQUENTIALLY = "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'"
"""Use one connection to each server for the whole transaction, for the foreign keys between the tables."""

_SETS_NULL = re.compile(r" ON DELETE SET NULL(?: \([^)]*\))?")


def plan(cursor: Any, layout: Layout, shards: int) -> list[str]:
    """Return the statements, for one transaction. Empty if every existing table is in place.

    Args:
        shards: number of shards, if members are not distributed yet. A shard moves as a whole.
    """
    moved = to_be_moved(cursor, layout)
    by_member = {name: column for name, column in layout.by_member.items() if name in moved}
    everywhere = [name for name in layout.everywhere if name in moved]
    if not moved:
        return []
    keys = [key for key in foreign_keys(cursor) if key.table in moved or key.target in moved]
    indexes = [index for index in unique_indexes(cursor) if index.table in by_member]
    return [
        _SEQUENTIALLY,
        *(f"ALTER TABLE {key.table} DROP CONSTRAINT {_quoted(key.name)}" for key in keys),
        *(sql for index in indexes for sql in _with_member(index, by_member[index.table])),
        *(f"SELECT create_reference_table('{name}')" for name in everywhere),
        *(f"SELECT create_distributed_table({_place(layout, name, shards)})" for name in by_member),
        *(f"SELECT truncate_local_data_after_distributing_table('{name}')" for name in (*everywhere, *by_member)),
        *(
            f"ALTER TABLE {key.table} ADD CONSTRAINT {_quoted(key.name)} {_SETS_NULL.sub('', key.definition)}"
            for key in keys
            if can_hold(key, layout)
        ),
    ]


def to_be_moved(cursor: Any, layout: Layout) -> set[str]:
    """Return the tables that exist and are still on the coordinator."""
    return (tables(cursor) - places(cursor).keys()) & {*layout.by_member, *layout.everywhere}


def can_hold(key: ForeignKey, layout: Layout) -> bool:
    """Return whether a foreign key stays on one server: it contains the member or refers to a reference table."""
    own = layout.by_member.get(key.table)
    if key.target in layout.everywhere:
        return True
    if own is None or key.target not in layout.by_member:
        return key.target not in layout.by_member
    return (own, layout.by_member[key.target]) in zip(key.columns, key.target_columns, strict=True)


def faults(cursor: Any, layout: Layout) -> Iterator[str]:
    """Describe the tables that are not in place."""
    there, placed = tables(cursor), places(cursor)
    group = placed[layout.members].group if layout.members in placed else None
    for name, column in layout.by_member.items():
        if name in there and (name not in placed or (placed[name].column, placed[name].group) != (column, group)):
            yield f"{name} is not placed with its members, by {column}"
    for name in layout.everywhere:
        if name in there and (name not in placed or not placed[name].is_everywhere):
            yield f"{name} is not on every server"
    for name in sorted(layout.coordinator & placed.keys()):
        if placed[name].column is not None or placed[name].is_everywhere:
            yield f"{name} is not only on the coordinator"
    for key in foreign_keys(cursor):
        if key.table in there and not can_hold(key, layout):
            yield f"{key.name} of {key.table} refers to rows of other servers"


def _place(layout: Layout, name: str, shards: int) -> str:
    where = f"'{name}', '{layout.by_member[name]}'"
    if name == layout.members:
        return f"{where}, shard_count => {shards}"
    return f"{where}, colocate_with => '{layout.members}'"


def _with_member(index: UniqueIndex, column: str) -> Iterator[str]:
    """Return the statements that add the member to a unique index without it. See the module docstring."""
    drop = f"ALTER TABLE {index.table} DROP CONSTRAINT {_quoted(index.name)}"
    if index.is_primary and column not in index.keys:
        yield drop
        yield _added(index, f"PRIMARY KEY ({', '.join((column, *index.keys))})")
    elif set(index.keys) == {column, "id"} and index.is_constraint and not index.is_primary:
        yield drop  # equal to the new primary key
    elif column not in index.keys:
        keys = ", ".join((*index.keys, column))
        if index.is_constraint:
            yield drop
            yield _added(index, f"UNIQUE ({keys})")
        else:
            condition = f" WHERE {index.condition}" if index.condition else ""
            yield f"DROP INDEX {_quoted(index.name)}"
            yield f"CREATE UNIQUE INDEX {_quoted(index.name)} ON {index.table} ({keys}){condition}"


def _added(index: UniqueIndex, definition: str) -> str:
    return f"ALTER TABLE {index.table} ADD CONSTRAINT {_quoted(index.name)} {definition}"


def _quoted(name: str) -> str:
    return f'"{name}"'
