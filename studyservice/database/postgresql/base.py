"""Django's PostgreSQL backend with deadlines, a health check without a round trip, and pipelined statements."""

import select
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.db.backends.postgresql import base, features
from django.db.backends.utils import debug_transaction
from psycopg.pq import Format

from studyservice.database.member_keys import DatabaseSchemaEditor
from studyservice.database.postgresql import driver
from studyservice.database.postgresql.cursor import Cursor, numbered
from studyservice.database.postgresql.exchanges import Exchanges

T = TypeVar("T")


class DatabaseFeatures(features.DatabaseFeatures):
    """Django's features, with a GROUP BY that partitioned tables support."""

    allows_group_by_selected_pks = False
    """Django would name only the primary key in GROUP BY. A table partitioned by member has another primary key, and
    the statement would fail.
    """


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection for Django and for `studyservice.database.statements`.

    Its `OPTIONS` are Django's, and `deadline`: seconds for one round trip.
    """

    Database = driver
    features_class = DatabaseFeatures
    SchemaEditorClass = DatabaseSchemaEditor

    exchanges: Exchanges

    def get_connection_params(self) -> dict[str, Any]:
        params: dict[str, Any] = super().get_connection_params()
        params.pop("deadline", None)
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> driver.Connection:
        """Return a connection with the deadline. `exchanges` prepares its statements, not psycopg."""
        connection: driver.Connection = super().get_new_connection(conn_params)
        connection.deadline = self.settings_dict["OPTIONS"].get("deadline")
        prepared_after, connection.prepare_threshold = connection.prepare_threshold, None
        self.exchanges = Exchanges(connection, prepared_after)
        return connection

    def is_usable(self) -> bool:
        """Return whether the connection can be used. If not, Django replaces it.

        Checked before its first use in a request, by reading its socket. An idle connection has nothing to read. If the
        server closed it, it reads the end of the stream. If a notice is pending, `SELECT 1` decides. Django always
        sends `SELECT 1`, a round trip on every request.
        """
        if self.connection is None or self.connection.closed:
            return False
        poll = select.poll()
        poll.register(self.connection.fileno(), select.POLLIN)
        return not poll.poll(0) or super().is_usable()

    def create_cursor(self, name: str | None = None) -> Any:
        """Return a cursor. A named one is psycopg's server-side cursor."""
        if name is None:
            return Cursor(self.connection, self.exchanges, self.wrap_database_errors)
        self.exchanges.flush()
        return super().create_cursor(name)

    def run(self, sql: str, params: Sequence[Any], fetch: Callable[[Any], T]) -> T:
        """Execute a statement. Return the result of `fetch`.

        Values arrive in PostgreSQL's binary format, which the driver's C code converts to Python objects. Django's
        wrapped cursor, which takes twice the CPU time, is used only if a wrapper is installed, like a query counter in
        a test.
        """
        if self._is_listened_to():
            with self._listened_to(sql, params) as cursor:
                return fetch(cursor)
        with self.wrap_database_errors:
            self.ensure_connection()
            result = self.exchanges.queue(numbered(sql), params, binary=True)
            self.exchanges.flush()
            return fetch(result)

    def run_later(self, sql: str, params: Sequence[Any], then: Callable[[Any], None] | None = None) -> None:
        """Execute a statement with the next one that needs its result, or with the commit.

        Outside a transaction it is executed at once.

        Args:
            then: called with the result, before the later statement returns its own.
        """
        if self._is_listened_to():
            with self._listened_to(sql, params) as cursor:
                if then is not None:
                    then(cursor)
            return
        with self.wrap_database_errors:
            self.ensure_connection()
            self.exchanges.queue(numbered(sql), params, binary=True, then=then)
            if self.get_autocommit():
                self.exchanges.flush()

    def flush(self) -> None:
        """Execute the deferred statements."""
        if self.connection is not None:
            with self.wrap_database_errors:
                self.exchanges.flush()

    def _is_listened_to(self) -> bool:
        """Whether anything wraps executions or logs them."""
        return bool(self.queries_logged or self.execute_wrappers)

    def _listened_to(self, sql: str, params: Sequence[Any]) -> Any:
        wrapped = self.cursor()
        wrapped.cursor.format = Format.BINARY
        wrapped.execute(sql, params)
        return wrapped

    # Django calls these. There each is a round trip, here part of one.

    def _commit(self) -> None:
        if self.connection is not None:
            with debug_transaction(self, "COMMIT"), self.wrap_database_errors:
                self.exchanges.commit()

    def _rollback(self) -> None:
        if self.connection is not None:
            self.exchanges.discard()
        super()._rollback()  # type: ignore[misc]  # the stubs leave out what backends override

    def _savepoint(self, sid: str) -> None:
        self._of_savepoint(sid, super()._savepoint, Exchanges.savepoint)  # type: ignore[misc]  # as above

    def _savepoint_commit(self, sid: str) -> None:
        self._of_savepoint(sid, super()._savepoint_commit, Exchanges.release)  # type: ignore[misc]  # as above

    def _savepoint_rollback(self, sid: str) -> None:
        self._of_savepoint(sid, super()._savepoint_rollback, Exchanges.back_to)  # type: ignore[misc]  # as above

    def _of_savepoint(self, sid: str, usual: Callable[[str], None], queued: Callable[[Exchanges, str], None]) -> None:
        if self._is_listened_to():
            usual(sid)
        else:
            with self.wrap_database_errors:
                queued(self.exchanges, sid)
