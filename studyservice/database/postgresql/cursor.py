"""The cursor of Django's ORM. Its statements are sent together with queued ones."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from itertools import count
from typing import Any

import psycopg
from psycopg.pq import Format

from studyservice.database.postgresql.driver import Connection
from studyservice.database.postgresql.exchanges import Exchanges, Result

_CHANGES_TABLES = ("ALTER", "CREATE", "DEALLOCATE", "DISCARD", "DROP")
_PLACE = re.compile("%[s%]")
_NUMBERED = re.compile(r"\$([0-9]+)")


@lru_cache(maxsize=512)
def numbered(sql: str) -> bytes:
    """Replace Django's `%s` with PostgreSQL's `$1`, `$2`, … Numbers that `sql` already has come first."""
    numbers = count(max(map(int, _NUMBERED.findall(sql)), default=0) + 1)
    return _PLACE.sub(lambda place: "%" if place[0] == "%%" else f"${next(numbers)}", sql).encode()


class Cursor:
    """A PEP 249 cursor with the features that Django uses.

    In a transaction a statement is executed when its result is needed, or with the next one that needs its own, or at
    the latest with the commit or the end of a savepoint. So inserting a row costs no round trip. Without values, the
    text may contain several statements; psycopg's own cursor executes it at once. The same cursor handles named values.

    Args:
        errors: converts the driver's exceptions to Django's. Django does so on execution, but not when it reads a row
            count.

    Attributes:
        connection: the driver's, for Django.
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
        """Execute or queue a statement. Return the cursor, like psycopg."""
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
        """The number of rows returned or changed."""
        return -1 if self._result is None else self._executed().rowcount

    @property
    def description(self) -> Any:
        """Name, type and five times None for each column; None for a statement without rows."""
        if not isinstance(self._result, Result):
            return None if self._result is None else self._result.description
        return [(name, type_, None, None, None, None, None) for name, type_ in self._executed().names] or None

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the next row."""
        row: tuple[Any, ...] | None = self._executed().fetchone()
        return row

    def fetchmany(self, size: int = 1) -> list[tuple[Any, ...]]:
        """Return up to this many of the next rows."""
        rows: list[tuple[Any, ...]] = self._executed().fetchmany(size)
        return rows

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return the remaining rows."""
        rows: list[tuple[Any, ...]] = self._executed().fetchall()
        return rows

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.fetchall())

    def close(self) -> None:
        """Drop the result. The statement stays queued."""
        self._is_closed = True
        self._result = None

    def __enter__(self) -> "Cursor":
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def _executed(self) -> Any:
        if self._result is None:
            raise psycopg.ProgrammingError("no statement was executed")
        if isinstance(self._result, Result) and self._result.result is None:
            with self._errors:
                self._exchanges.flush()
        return self._result

    def _plain(self) -> psycopg.Cursor[Any]:
        self._exchanges.flush()
        found = self._result = self.connection.cursor()
        found.format = self.format
        return found
