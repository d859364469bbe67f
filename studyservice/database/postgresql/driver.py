"""The driver for Django (PEP 249), with connections that never wait without limit."""

import time
from typing import Any, ClassVar, Self, TypeVar

import psycopg

# The names that Django's backend needs from its driver: PEP 249's exceptions, `Binary` and `connect`.
from psycopg import (
    Binary,
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
)
from psycopg.abc import PQGen
from psycopg.errors import ConnectionTimeout
from psycopg.pq import TransactionStatus

__all__ = [
    "Binary",
    "Connection",
    "DataError",
    "DatabaseError",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "connect",
]

RV = TypeVar("RV")

PAUSE_SECONDS = 1
"""How long a process opens no new connection to a server that has just not answered in time."""

INTERVAL_SECONDS = 0.1
"""How often the driver interrupts its waiting to check for Ctrl-C. Its own default."""


class Connection(psycopg.Connection[tuple[object, ...]]):
    """A connection that is closed if its server does not answer in time.

    The server's own timeouts need a running server. If its machine or processes are frozen, its kernel may still
    acknowledge data, so TCP timeouts do not help either.

    Attributes:
        deadline: seconds for one round trip; None means no limit.
    """

    deadline: float | None = None
    _pause_until: ClassVar[float] = 0.0

    @classmethod
    def connect(cls, *args: Any, **kwargs: Any) -> Self:
        """Return a new connection.

        Raises:
            OperationalError: the connection failed, or the server has just not answered. Then threads that queue behind
                those that found out fail at once, rather than wait as long again.
        """
        if time.monotonic() < Connection._pause_until:
            raise OperationalError("The server did not answer in time; the next try is in a second")
        try:
            return super().connect(*args, **kwargs)
        except ConnectionTimeout:
            cls._pause()
            raise

    def note_silence(self) -> None:
        """Refuse new connections for a while."""
        self._pause()

    @staticmethod
    def _pause() -> None:
        Connection._pause_until = time.monotonic() + PAUSE_SECONDS

    def wait(self, gen: PQGen[RV], interval: float = INTERVAL_SECONDS, timeout: float | None = None) -> RV:
        """Return the result of `gen`, which communicates with the server.

        Raises:
            OperationalError: no answer arrived in time. The connection is closed, because a late answer would be read
                as that of the next statement. It is unknown whether the server executed the statement.
        """
        if timeout is not None:  # the caller's own timeout; it continues with the connection
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, self.deadline)
        except OperationalError as error:
            if self.pgconn.transaction_status != TransactionStatus.ACTIVE:
                raise
            self.close()
            self.note_silence()
            raise OperationalError(f"No answer in {self.deadline} s; the connection was closed") from error


connect = Connection.connect
