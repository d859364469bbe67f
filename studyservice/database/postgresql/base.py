"""Django's PostgreSQL backend: deadlines, a health check that costs no round trip, a kept cursor for statements."""

import re
import select
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count
from typing import Any, TypeVar

import psycopg
from django.db.backends.postgresql import base, features
from psycopg.pq import Format

from studyservice.database.limiting import current_limiter, limit
from studyservice.database.postgresql import driver
from studyservice.database.postgresql.schema import DatabaseSchemaEditor

T = TypeVar("T")

_PLACE = re.compile("%[s%]")


@lru_cache(maxsize=512)
def numbered(sql: str) -> bytes:
    """`sql` with PostgreSQL's own `$1`, `$2`, … where Django's `%s` stand, made once for each statement.

    The driver would do so itself, and anew each time for a statement with more than 50 values or 4,096 characters.
    """
    numbers = count(1)
    return _PLACE.sub(lambda place: "%" if place[0] == "%%" else f"${next(numbers)}", sql).encode()


class DatabaseFeatures(features.DatabaseFeatures):
    """Django's, with a GROUP BY that partitioned tables take."""

    allows_group_by_selected_pks = False
    """Django would name only the primary key in GROUP BY. In a table that is partitioned by member the primary key has
    another column, and the statement would be an error."""


class DatabaseWrapper(base.DatabaseWrapper):
    """One connection, as Django uses it, and as `studyservice.database.statements` does.

    Its `OPTIONS` are those of Django's, and `deadline`: seconds for one exchange with the server.
    """

    Database = driver
    features_class = DatabaseFeatures
    SchemaEditorClass = DatabaseSchemaEditor

    _kept_cursor: "psycopg.RawCursor[tuple[Any, ...]] | None" = None

    def get_connection_params(self) -> dict[str, Any]:
        params: dict[str, Any] = super().get_connection_params()
        params.pop("deadline", None)
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> driver.Connection:
        """Return a connection with the deadline."""
        connection: driver.Connection = super().get_new_connection(conn_params)
        connection.deadline = self.settings_dict["OPTIONS"].get("deadline")
        return connection

    def is_usable(self) -> bool:
        """Whether the connection can be used; Django replaces it if not.

        Checked before its first use in a request, by looking at its socket. An idle connection has nothing to read. One
        that the server closed reads its end, and one with a notice pending is asked the long way (`SELECT 1`). Django
        asks the long way always: a round trip on every request.
        """
        if self.connection is None or self.connection.closed:
            return False
        poll = select.poll()
        poll.register(self.connection.fileno(), select.POLLIN)
        return not poll.poll(0) or super().is_usable()

    def run(self, sql: str, params: Sequence[Any], fetch: Callable[[Any], T]) -> T:
        """Execute a statement and give what `fetch` takes from its cursor.

        Values arrive in PostgreSQL's binary format, which the driver's C code turns into Python objects. The cursor is
        the driver's own and kept with the connection: Django makes and wraps one for each statement, which takes twice
        the CPU time. Its wrapper serves where something listens, such as a count of queries in a test.
        """
        limiter = current_limiter()
        if self.queries_logged or self.execute_wrappers not in ([], [limit]):
            with self.cursor() as wrapped:
                wrapped.cursor.format = Format.BINARY
                wrapped.execute(sql, params)
                return fetch(wrapped)
        if limiter is not None:
            sql, params = limiter.limited(self.vendor, sql, params)
        with self.wrap_database_errors:
            self.ensure_connection()
            cursor = self._kept_cursor
            if cursor is None or cursor.connection is not self.connection:
                cursor = self._kept_cursor = psycopg.RawCursor(self.connection)
                cursor.format = Format.BINARY
            return fetch(cursor.execute(numbered(sql), params))
