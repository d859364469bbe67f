"""Send independent writes to the database in one round trip.

A round trip costs about a tenth of a whole write, and the member's lock is held during it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import methodcaller
from typing import Any, NamedTuple

from django.db import DEFAULT_DB_ALIAS, connections

from studyservice.database.limiting import WholeMember
from studyservice.database.postgresql.base import DatabaseWrapper as PostgreSQL
from studyservice.database.statements import Insert, RawStatement, Update, run_sql

_FETCHALL: Callable[[Any], list[tuple[Any, ...]]] = methodcaller("fetchall")


_LATER = WholeMember("writes at the end of a call are of rows that the call has found within its limits")


class Bound(NamedTuple):
    """A statement with the values of one execution."""

    statement: Insert | Update | RawStatement
    values: Mapping[str, Any]


@_LATER.rows()
def run_together(writes: Sequence[Bound]) -> list[tuple[Any, ...]]:
    """Execute `writes`, none of which reads what another writes, and return the rows of the last.

    PostgreSQL runs them as parts of one statement, in an undefined order (its manual, "Data-Modifying Statements in
    WITH"). SQLite, which has no round trip to save, runs them one by one.
    """
    database = connections[DEFAULT_DB_ALIAS]
    compiled = [(one.statement.compiled_for(database), one.values) for one in writes]
    fetch = _FETCHALL if isinstance(writes[-1].statement, RawStatement) else _no_rows
    if isinstance(database, PostgreSQL):
        sql = _joined(tuple(statement.sql for statement, _ in compiled))
        bound = [value for statement, values in compiled for value in statement.bound(values)]
        return run_sql(database, sql, bound, fetch)
    for statement, values in compiled[:-1]:
        run_sql(database, statement.sql, statement.bound(values), _no_rows)
    last, values = compiled[-1]
    return run_sql(database, last.sql, last.bound(values), fetch)


def _no_rows(_cursor: Any) -> list[tuple[Any, ...]]:
    return []


@lru_cache(maxsize=64)
def _joined(parts: tuple[str, ...]) -> str:
    """Join `parts` into one PostgreSQL statement, once per group of writes."""
    before = ", ".join(f"write_{place} AS ({sql.strip()})" for place, sql in enumerate(parts[:-1]))
    return f"WITH {before} {parts[-1].strip()}" if before else parts[-1]
