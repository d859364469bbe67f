"""ORM statements that are sent together.

The ORM waits for each statement, even if only for its row count. On PostgreSQL, statements made here are sent, in a
transaction, with the next one that needs its result, or with the commit. Errors are raised there.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar, cast

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import AutoField, Model, QuerySet
from django.db.models.sql import DeleteQuery, InsertQuery, UpdateQuery
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


def insert_later(rows: Sequence[Model]) -> None:
    """Insert rows of one model. The database assigns ids that are numbers.

    `create` and `bulk_create` would wait to read back columns that have a database default.
    """
    if not rows:
        return
    model = type(rows[0])
    fields = [one for one in model._meta.local_concrete_fields if not isinstance(one, AutoField)]
    at_once = max(connections[DEFAULT_DB_ALIAS].ops.bulk_batch_size(fields, rows), 1)
    for start in range(0, len(rows), at_once):
        query = InsertQuery(model)
        query.insert_values(fields, [*rows[start : start + at_once]])
        query.get_compiler(DEFAULT_DB_ALIAS).execute_sql()


def update_later(rows: QuerySet[Any, Any], **changes: Any) -> None:
    """Update rows without waiting for the row count."""
    query = cast("UpdateQuery", rows.query.chain(UpdateQuery))
    query.add_update_values(changes)
    query.get_compiler(DEFAULT_DB_ALIAS).execute_sql(NO_RESULTS)


def delete_later(rows: QuerySet[Any, Any]) -> None:
    """Delete rows that have no dependents and no deletion signals."""
    rows.query.chain(DeleteQuery).get_compiler(DEFAULT_DB_ALIAS).execute_sql(NO_RESULTS)
