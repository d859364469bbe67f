"""Execute SQL on either database: now, or with the next statement that is waited for."""

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
    """`value` as the driver takes it; PostgreSQL's takes every value as it is."""
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
    """What `fetch` takes from the cursor."""
    if isinstance(database, PostgreSQL):
        return database.run(sql, params, fetch)
    with database.cursor() as cursor:
        cursor.execute(sql, [_adapted(param, database) for param in params])
        return fetch(cursor)


def run_sql_later(
    database: BaseDatabaseWrapper, sql: str, params: list[Any], then: Callable[[Any], None] | None = None
) -> None:
    """Execute a statement whose result nobody waits for.

    In a transaction on PostgreSQL it leaves with the next statement that is waited for, or with the commit; an error
    is raised there. SQLite, which has no exchange to save, executes it at once.

    Args:
        then: is given the cursor, before that next statement gives its result.
    """
    if isinstance(database, PostgreSQL):
        database.run_later(sql, params, then)
        return
    with database.cursor() as cursor:
        cursor.execute(sql, [_adapted(param, database) for param in params])
        if then is not None:
            then(cursor)


def wait_for_statements() -> None:
    """Execute what was left for later."""
    database = connections[DEFAULT_DB_ALIAS]
    if isinstance(database, PostgreSQL):
        database.flush()
