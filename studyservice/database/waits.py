"""Limits on how long a database may keep a process waiting, and the errors at these limits."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import OperationalError
from django.dispatch import Signal
from psycopg.errors import LockNotAvailable

DEADLINE_MARGIN_SECONDS = 2
"""How much longer than the statement timeout a connection waits for the answer."""


@dataclass(frozen=True, slots=True)
class Waits:
    """Timeouts of PostgreSQL in whole seconds, at least 1.

    Attributes:
        lock: for a lock that another transaction holds; then the statement fails.
        statement: for a statement, including waits for locks; then it fails.
        idle: between two statements of a transaction; then PostgreSQL closes the connection.
    """

    lock: int
    statement: int
    idle: int

    @property
    def deadline(self) -> int:
        """Seconds after which an unresponsive server is given up.

        A running server ends the statement before that. A frozen one, or one behind a broken network, does not, and its
        kernel may still acknowledge data.
        """
        return self.statement + DEADLINE_MARGIN_SECONDS

    def parameters(self) -> Iterator[tuple[str, str]]:
        """Yield name and value of each parameter (PostgreSQL documentation, Client Connection Defaults)."""
        yield "lock_timeout", f"{self.lock}s"
        yield "statement_timeout", f"{self.statement}s"
        yield "idle_in_transaction_session_timeout", f"{self.idle}s"

    def startup_options(self, more: str = "") -> str:
        """Return the start-up option of a connection that sets them, followed by `more`."""
        ours = " ".join(f"-c {name}={value}" for name, value in self.parameters())
        return f"{ours} {more}".rstrip()


_SQLITE_BUSY = 5
"""SQLite's result code, defined here so that its library is not loaded on PostgreSQL."""

gave_up = Signal()
"""Sent for each call that must be repeated because it waited too long. Other errors are logged as faults."""


def ended_waiting(error: OperationalError) -> bool:
    """Return whether the statement failed because it waited too long for another transaction's lock.

    The limit is `DATABASE_LOCK_TIMEOUT`. Nothing was changed, and the transaction is rolled back.
    """
    cause = error.__cause__
    code: int | None = getattr(cause, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF == _SQLITE_BUSY  # the other bits are the extended code
    return isinstance(cause, LockNotAvailable)
