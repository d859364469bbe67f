"""Telling a lock that was not had in time from everything else that a database may fail with."""

import sqlite3

from django.db import OperationalError
from psycopg.errors import LockNotAvailable


def ended_waiting(error: OperationalError) -> bool:
    """Whether the statement failed because another transaction held what it waited for, for longer than it may wait.

    That is `DATABASE_LOCK_TIMEOUT`. Nothing was done, and the transaction is rolled back.
    """
    cause = error.__cause__
    if isinstance(cause, sqlite3.OperationalError):
        return cause.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY  # the rest says which of its kinds
    return isinstance(cause, LockNotAvailable)
