"""The driver as Django takes it (PEP 249), with connections that do not wait for ever."""

import time
from typing import Any, ClassVar, Self, TypeVar

import psycopg

# What a backend of Django asks of its driver: the exceptions of PEP 249, `Binary`, and `connect`.
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
"""For how long a process makes no new connection to a server that has just not answered in time."""

INTERVAL_SECONDS = 0.1
"""How often the driver looks up from its waiting, for Ctrl-C: its own default."""


class Connection(psycopg.Connection[tuple[object, ...]]):
    """A connection that is closed when its server has not answered in time.

    The timeouts of the server need a server that runs. When its machine or its processes are frozen, the kernel there
    may go on acknowledging what is sent, so that no timeout of TCP ends the wait either.

    Attributes:
        deadline: seconds for one exchange with the server; None waits for ever.
    """

    deadline: float | None = None
    _pause_until: ClassVar[float] = 0.0

    @classmethod
    def connect(cls, *args: Any, **kwargs: Any) -> Self:
        """A new connection.

        Raises:
            OperationalError: none can be had, or the server has just not answered: whoever waits for their turn behind
                those who found that out is told at once, and does not hold a thread for as long again.
        """
        if time.monotonic() < Connection._pause_until:
            raise OperationalError("The server has just not answered in time; it is asked again in a second")
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
        """What `gen` gives, which speaks with the server.

        Raises:
            OperationalError: there was no answer in time, and the connection is closed: an answer that came later would
                be taken for that of the next statement. Whether the server did what it was told is unknown.
        """
        if timeout is not None:  # the caller's own, who goes on with the connection
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
