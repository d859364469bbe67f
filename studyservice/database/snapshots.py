"""Read large parts of the database as of one moment, in pieces."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import connection, transaction
from django.db.models import Model, QuerySet

_CHUNK = 2000
"""Maximum number of rows in memory at a time."""

_ModelT = TypeVar("_ModelT", bound=Model)
_Row = TypeVar("_Row")


@contextmanager
def snapshot() -> Iterator[None]:
    """Open a read-only transaction that sees nothing committed after its first statement. It waits for no lock.

    Within a transaction, use that one and its view of the data.
    """
    if connection.in_atomic_block:
        yield
        return
    if connection.vendor == "sqlite":
        with _deferred(), transaction.atomic():
            yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


@contextmanager
def _deferred() -> Iterator[None]:
    """Begin transactions of this connection without SQLite's write lock."""
    sqlite: Any = connection
    usual = sqlite.transaction_mode
    sqlite.transaction_mode = "DEFERRED"
    try:
        yield
    finally:
        sqlite.transaction_mode = usual


def in_pieces(rows: "QuerySet[_ModelT, _Row]") -> Iterator[_Row]:
    """Yield the rows, with few in memory at a time.

    A server-side cursor takes at least three round trips, so it is used only for more than one piece. Behind a pooler
    Django does not read in pieces, because a cursor may meet another connection. Within a transaction that cannot
    happen.
    """
    if connection.vendor == "postgresql":
        piece = list(rows[: _CHUNK + 1])
        if len(piece) <= _CHUNK:
            return iter(piece)
        del piece
    if connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS") and connection.in_atomic_block:
        fetched: Iterator[Any] = rows._iterator(True, _CHUNK)  # type: ignore[attr-defined]  # noqa: SLF001  # as `iterator` does
        return fetched
    return rows.iterator(chunk_size=_CHUNK)
