"""Recognize errors caused by waiting too long for a lock."""

from django.db import OperationalError
from django.dispatch import Signal
from psycopg.errors import LockNotAvailable

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
