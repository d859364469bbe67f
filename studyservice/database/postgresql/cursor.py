"""The cursor that Django's ORM uses, whose statements leave with those that are queued before."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import psycopg
from psycopg.pq import Format

from studyservice.database.postgresql.driver import Connection
from studyservice.database.postgresql.exchanges import Exchanges, Result
from studyservice.database.postgresql.numbering import numbered

_CHANGES_TABLES = ("ALTER", "CREATE", "DEALLOCATE", "DISCARD", "DROP")


class Cursor:
    """A cursor of PEP 249, as far as Django uses one.

    In a transaction a statement is executed when its result is asked for, or with the next one that needs its own, and
    at the latest with the commit, of a savepoint too. So the insertion of a row costs no exchange. A statement without
    values may be several; psycopg's own cursor executes it at once, as it does with names for values.

    Args:
        errors: makes Django's exceptions of the driver's. Django does so where it executes, not where it asks for a
            number of rows.

    Attributes:
        connection: the driver's, which Django asks for.
        format: of the values received; Django's ORM reads text.
    """

    def __init__(
        self, connection: Connection, exchanges: Exchanges, errors: AbstractContextManager[None, None]
    ) -> None:
        self.format = Format.TEXT
        self.connection = connection
        self._exchanges = exchanges
        self._errors = errors
        self._result: Result | psycopg.Cursor[Any] | None = None
        self._is_closed = False

    def execute(self, sql: Any, params: Sequence[Any] | Mapping[str, Any] | None = None) -> "Cursor":
        """Execute or queue a statement; gives the cursor, as psycopg's does."""
        if self._is_closed:
            raise psycopg.InterfaceError("the cursor is closed")
        if params is None or isinstance(params, Mapping) or not isinstance(sql, str):
            found = self._plain()
            found.execute(sql, params)
            if (found.statusmessage or "").startswith(_CHANGES_TABLES):
                self._exchanges.forget_prepared()
            return self
        self._result = self._exchanges.queue(numbered(sql), params, binary=self.format is Format.BINARY)
        if self.connection.autocommit:
            self._exchanges.flush()
        return self

    def executemany(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute a statement with each of `rows`."""
        self._plain().executemany(sql, rows)

    def copy(self, sql: str) -> Any:
        """Stream rows into a table or out of it."""
        return self._plain().copy(sql)

    @property
    def rowcount(self) -> int:
        """The rows returned or changed."""
        return -1 if self._result is None else self._executed().rowcount

    @property
    def description(self) -> Any:
        """Of each column its name, its type and five times None; of a statement without rows None."""
        if not isinstance(self._result, Result):
            return None if self._result is None else self._result.description
        return [(name, type_, None, None, None, None, None) for name, type_ in self._executed().names] or None

    def fetchone(self) -> tuple[Any, ...] | None:
        """The next row."""
        row: tuple[Any, ...] | None = self._executed().fetchone()
        return row

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        """So many of the next rows, or what there is."""
        rows: list[tuple[Any, ...]] = self._executed().fetchmany(size)
        return rows

    def fetchall(self) -> list[tuple[Any, ...]]:
        """The other rows."""
        rows: list[tuple[Any, ...]] = self._executed().fetchall()
        return rows

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.fetchall())

    def close(self) -> None:
        """Let go of the result; the statement stays queued."""
        self._is_closed = True
        self._result = None

    def __enter__(self) -> "Cursor":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _executed(self) -> Any:
        if self._result is None:
            raise psycopg.ProgrammingError("no statement was executed")
        with self._errors:
            self._exchanges.flush()
        return self._result

    def _plain(self) -> psycopg.Cursor[Any]:
        self._exchanges.flush()
        found = self._result = self.connection.cursor()
        found.format = self.format
        return found
