"""Execute SQL on either database: now, or together with a later statement.

On PostgreSQL, a deferred statement is sent, in a transaction, with the next one that needs its result, or with the
commit. Errors are raised there. SQLite has no round trip to save and executes it at once.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from decimal import Decimal
from itertools import islice
from typing import Any, Generic, TypeVar, cast
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet
from django.db.models.sql import DeleteQuery, UpdateQuery
from django.db.models.sql.constants import CURSOR, NO_RESULTS
from django.dispatch import Signal

from studyservice.database.postgresql.base import DatabaseWrapper as PostgreSQL

T = TypeVar("T")
_ModelT = TypeVar("_ModelT", bound=Model)
_Row = TypeVar("_Row")

_AT_ONCE = 2000
"""Maximum number of rows in memory at a time."""

BATCH = 1000
"""Number of ids per statement. PostgreSQL accepts 65,535 values, SQLite 32,766."""

member_known = Signal()
"""Sent with `member_id` (a UUID) before the first statement of a request that names the member.

A receiver that raises an `OperationalError` ends the request.
"""


def batches(values: Iterable[T]) -> Iterator[list[T]]:
    """Yield `values` in lists of at most `BATCH`."""
    left = iter(values)
    while batch := list(islice(left, BATCH)):
        yield batch


def inserts_from_query(database: BaseDatabaseWrapper) -> bool:
    """Return whether INSERT can take rows from a SELECT, and values from subqueries. A backend says so if not."""
    return bool(getattr(database.features, "inserts_from_query", True))


def _adapted(value: Any, database: BaseDatabaseWrapper) -> Any:
    """Convert `value` for the driver. PostgreSQL's accepts every value unchanged."""
    if isinstance(value, datetime):
        return database.ops.adapt_datetimefield_value(value)
    if isinstance(value, date):
        return database.ops.adapt_datefield_value(value)
    if isinstance(value, Decimal):
        return database.ops.adapt_decimalfield_value(value)
    if isinstance(value, UUID):
        return value.hex
    return value


def run_sql(database: BaseDatabaseWrapper, sql: str, params: list[Any], fetch: Callable[[Any], T]) -> T:
    """Execute a statement. Return the result of `fetch` for the cursor."""
    if isinstance(database, PostgreSQL):
        return database.run(sql, params, fetch)
    with database.cursor() as cursor:
        cursor.execute(sql, [_adapted(param, database) for param in params])
        return fetch(cursor)


def run_sql_later(
    database: BaseDatabaseWrapper, sql: str, params: list[Any], then: Callable[[Any], None] | None = None
) -> None:
    """Execute a statement without waiting for its result.

    Args:
        then: called with the cursor, before that next statement returns its result.
    """
    if isinstance(database, PostgreSQL):
        database.run_later(sql, params, then)
        return
    with database.cursor() as cursor:
        cursor.execute(sql, [_adapted(param, database) for param in params])
        if then is not None:
            then(cursor)


def wait_for_statements() -> None:
    """Execute the deferred statements."""
    database = connections[DEFAULT_DB_ALIAS]
    if isinstance(database, PostgreSQL):
        database.flush()


class Ahead(Generic[_Row]):
    """The rows of a `values_list` query with several columns.

    Iterating waits for all queries created before. A long result is read again in pieces, through a server-side cursor.
    """

    def __init__(self, rows: "QuerySet[_ModelT, _Row]") -> None:
        self._rows = rows
        self._compiler = rows[: _AT_ONCE + 1].query.get_compiler(DEFAULT_DB_ALIAS)
        self._cursor = self._compiler.execute_sql(CURSOR)

    def __iter__(self) -> Iterator[_Row]:
        if self._cursor is None:  # the query is known to return nothing
            return
        with self._cursor as cursor:
            found = cursor.fetchall()
        if len(found) > _AT_ONCE:
            yield from self._rows.iterator(chunk_size=_AT_ONCE)
        else:
            yield from cast("Iterator[_Row]", self._compiler.results_iter([found], tuple_expected=True))


def update_later(rows: QuerySet[Any, Any], **changes: Any) -> None:
    """Update rows without waiting for the row count."""
    query = cast("UpdateQuery", rows.query.chain(UpdateQuery))
    query.add_update_values(changes)
    query.get_compiler(DEFAULT_DB_ALIAS).execute_sql(NO_RESULTS)


def delete_later(rows: QuerySet[Any, Any]) -> None:
    """Delete rows that have no dependents and no deletion signals."""
    rows.query.chain(DeleteQuery).get_compiler(DEFAULT_DB_ALIAS).execute_sql(NO_RESULTS)
