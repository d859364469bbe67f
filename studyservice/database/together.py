"""Send independent writes to the database in one round trip.

A round trip costs about a tenth of a whole write, and the member's lock is held during it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import methodcaller
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from studyservice.database.executing import run_sql, run_sql_later
from studyservice.database.limiting import WholeMember
from studyservice.database.postgresql.base import DatabaseWrapper as PostgreSQL
from studyservice.database.statements import Insert, RawStatement, Update

_FETCHALL: Callable[[Any], list[tuple[Any, ...]]] = methodcaller("fetchall")


_LATER = WholeMember("writes at the end of a call are of rows that the call has found within its limits")


class Bound(NamedTuple):
    """A statement with the values of one execution."""

    statement: Insert | Update | RawStatement
    values: Mapping[str, Any]


@_LATER.rows()
def rows_together(writes: Sequence[Bound], last: Bound) -> list[tuple[Any, ...]]:
    """Execute `writes` and `last`, and return the rows of `last`. None may read data written by another.

    PostgreSQL runs them as parts of one statement, in an undefined order (its manual, "Data-Modifying Statements in
    WITH"). SQLite, which has no round trip to save, runs them one by one.
    """
    rows: list[tuple[Any, ...]] = []
    for database, sql, params in _statements([*writes, last]):
        rows = run_sql(database, sql, params, _FETCHALL)
    return rows


@_LATER.rows()
def run_together(writes: Sequence[Bound]) -> None:
    """Execute `writes` likewise, with the next statement that needs its result, or with the commit."""
    for database, sql, params in _statements(writes):
        run_sql_later(database, sql, params)


def _statements(writes: Sequence[Bound]) -> list[tuple[BaseDatabaseWrapper, str, list[Any]]]:
    """Yield the statements with their values: one in all for PostgreSQL, one for each write for others."""
    database = connections[DEFAULT_DB_ALIAS]
    compiled = [(one.statement.compiled_for(database), one.values) for one in writes]
    parts = [(statement.sql, statement.bound(values)) for statement, values in compiled]
    if isinstance(database, PostgreSQL):
        return [(database, _joined(tuple(sql for sql, _ in parts)), [value for _, values in parts for value in values])]
    return [(database, sql, values) for sql, values in parts]


@lru_cache(maxsize=64)
def _joined(parts: tuple[str, ...]) -> str:
    """Join `parts` into one PostgreSQL statement. Cached for each group of writes."""
    before = ", ".join(f"write_{place} AS ({sql.strip()})" for place, sql in enumerate(parts[:-1]))
    return f"WITH {before} {parts[-1].strip()}" if before else parts[-1]
