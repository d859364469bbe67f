"""Telling a lock that was not had in time from everything else that a database may fail with."""

from django.db import OperationalError
from django.dispatch import Signal
from psycopg.errors import LockNotAvailable

_SQLITE_BUSY = 5
"""SQLite's result code; its library is not loaded for that where PostgreSQL is the database."""

gave_up = Signal()
"""Sent for each call that is told to come again, as it waited in vain; others are faults, and logged."""


def ended_waiting(error: OperationalError) -> bool:
    """Whether the statement failed because another transaction held what it waited for, for longer than it may wait.

    That is `DATABASE_LOCK_TIMEOUT`. Nothing was done, and the transaction is rolled back.
    """
    cause = error.__cause__
    code: int | None = getattr(cause, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF == _SQLITE_BUSY  # the rest says which of its kinds
    return isinstance(cause, LockNotAvailable)
