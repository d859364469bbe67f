"""ORM statements that are sent together.

The ORM waits for each statement, even if only for its row count. On PostgreSQL, statements made here are sent, in a
transaction, with the next one that needs its result, or with the commit. Errors are raised there.
"""

from collections.abc import Iterator
from typing import Any, Generic, TypeVar, cast

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Model, QuerySet
from django.db.models.sql import DeleteQuery, UpdateQuery
from django.db.models.sql.constants import CURSOR, NO_RESULTS

_ModelT = TypeVar("_ModelT", bound=Model)
_Row = TypeVar("_Row")

_AT_ONCE = 2000
"""Maximum number of rows in memory at a time."""


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
