"""Counts round trips to PostgreSQL: how often a process sends something and waits for the answer."""

import os
import tempfile
from collections.abc import Callable
from itertools import groupby
from typing import Any, TypeVar

from django.db import connection
from psycopg.pq import Trace

T = TypeVar("T")

_FROM_SERVER = "B"


def counted(call: Callable[[], T]) -> tuple[T, int]:
    """The result of `call`, and its round trips on this thread's open connection.

    libpq logs each message with its direction, so the count does not depend on the project's own code. A round trip
    ends where the server answers.
    """
    connection.ensure_connection()
    driver: Any = connection.connection
    with tempfile.TemporaryFile("w+") as log:
        driver.pgconn.trace(os.dup(log.fileno()))
        driver.pgconn.set_trace_flags(Trace.SUPPRESS_TIMESTAMPS)
        try:
            result = call()
        finally:
            driver.pgconn.untrace()
        assert connection.connection is driver, "the connection was replaced"
        log.seek(0)
        directions = [line.partition("\t")[0] for line in log]
    return result, sum(direction == _FROM_SERVER for direction, _ in groupby(directions))
