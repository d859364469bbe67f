"""Reading much of the database as it was at one moment, in pieces."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import connection, transaction
from django.db.models import Model, QuerySet

_CHUNK = 2000
"""Rows that are in memory at a time."""

_ModelT = TypeVar("_ModelT", bound=Model)
_Row = TypeVar("_Row")


@contextmanager
def snapshot() -> Iterator[None]:
    """A transaction that reads alone and sees nothing that is committed after its first statement; it waits for nobody.

    Inside of a transaction it is that one, with what that one sees.
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
    """Transactions of this connection do not begin by locking the database for writing."""
    sqlite: Any = connection
    usual = sqlite.transaction_mode
    sqlite.transaction_mode = "DEFERRED"
    try:
        yield
    finally:
        sqlite.transaction_mode = usual


def in_pieces(rows: "QuerySet[_ModelT, _Row]") -> Iterator[_Row]:
    """The rows, of which few are in memory at a time.

    A cursor of the server takes three exchanges at least, so it is asked only where one piece is not all.
    Django does not read in pieces behind a pooler, as a cursor there may meet another connection. Inside a transaction
    it does not.
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
