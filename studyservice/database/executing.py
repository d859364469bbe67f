"""Execute SQL on either database: now, or together with a later statement."""

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from studyservice.database.postgresql.base import DatabaseWrapper as PostgreSQL

T = TypeVar("T")


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

    In a transaction on PostgreSQL it is sent with the next statement that needs its result, or with the commit. Errors
    are raised there. SQLite has no round trip to save and executes it at once.

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
