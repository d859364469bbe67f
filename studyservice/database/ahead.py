"""Statements of the ORM that leave together.

The ORM waits for each of its statements, if only to hear how many rows one changed. On PostgreSQL these here leave, in
a transaction, with the next one that is waited for, or with the commit; an error is raised there.
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
"""Rows that are in memory at a time."""


class Ahead(Generic[_Row]):
    """The rows of a query of `values_list`, with more than one column.

    Iterating waits for all queries that were made before. What is many rows is read again in pieces, by a cursor of the
    server.
    """

    def __init__(self, rows: "QuerySet[_ModelT, _Row]") -> None:
        self._rows = rows
        self._compiler = rows[: _AT_ONCE + 1].query.get_compiler(DEFAULT_DB_ALIAS)
        self._cursor = self._compiler.execute_sql(CURSOR)

    def __iter__(self) -> Iterator[_Row]:
        if self._cursor is None:  # the query can find nothing
            return
        with self._cursor as cursor:
            found = cursor.fetchall()
        if len(found) > _AT_ONCE:
            yield from self._rows.iterator(chunk_size=_AT_ONCE)
        else:
            yield from cast("Iterator[_Row]", self._compiler.results_iter([found], tuple_expected=True))


def update_later(rows: QuerySet[Any, Any], **changes: Any) -> None:
    """Change rows, whose number nobody asks for."""
    query = cast("UpdateQuery", rows.query.chain(UpdateQuery))
    query.add_update_values(changes)
    query.get_compiler(DEFAULT_DB_ALIAS).execute_sql(NO_RESULTS)


def delete_later(rows: QuerySet[Any, Any]) -> None:
    """Delete rows, below which nothing is, and for which nobody listens."""
    rows.query.chain(DeleteQuery).get_compiler(DEFAULT_DB_ALIAS).execute_sql(NO_RESULTS)
