"""What is not counted as it happens, but looked at now and then; with `METRICS_ADDRESS` alone.

The threads and their queue are looked at by the main loop, once a second. The database is asked by a thread of its own,
which may wait for it as long as calls do and holds a connection only while it asks.
"""

import logging
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

from django.conf import settings
from django.db import Error, connection, connections

import studyservice
from studyservice.database.server_clock import drift
from studyservice.server import metrics
from studyservice.server.signals import LAST_PURGE, OVERDUE_CALENDARS

logger = logging.getLogger(__name__)

EVERY_SECONDS = 15.0
"""How often each process asks the database."""

_LOCK_WAITS = """
    SELECT count(*), extract(epoch FROM clock_timestamp()) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


class Watched(Protocol):
    """A worker, as far as it is looked at."""

    def load(self) -> tuple[int, int]:
        """How many requests are being answered, and how many wait for a thread."""

    def watched_by(self, look: Callable[[], None], waited: Callable[[float], None]) -> None:
        """Call `look` once a second, and `waited` with the seconds that each request waited for a thread."""


def watch(worker: Watched) -> None:
    """Begin to ask the database in this process, and to look at the worker."""
    metrics.INFO.labels(studyservice.__version__).set(1)
    metrics.THREADS.set(settings.WEB_THREADS)
    metrics.REDIS_FALLBACK.set(0)
    threading.Thread(target=_ask_for_ever, name="sampling", daemon=True).start()

    def look() -> None:
        busy, waiting = worker.load()
        metrics.BUSY_THREADS.set(busy)
        metrics.WAITING.set(waiting)

    worker.watched_by(look, metrics.WAIT_SECONDS.observe)


def _ask_for_ever() -> None:
    while True:
        try:
            ask()
        except Error as error:  # told in short: calls and `/health` meet it too, and are what is counted
            logger.warning("The database could not be looked at: %s", error)
        except Exception:  # whatever it is, the next time may be better
            logger.exception("The database could not be looked at")
        finally:
            connections.close_all()
        time.sleep(EVERY_SECONDS)


def ask() -> None:
    """Look at the database, once. SQLite has one writer at a time, on this machine: no locks to count, one clock."""
    purged = LAST_PURGE.get()()
    metrics.LAST_PURGE.set(0 if purged is None else purged.timestamp())
    metrics.OVERDUE_CALENDARS.set(OVERDUE_CALENDARS.get()())
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        before = datetime.now(UTC).timestamp()
        cursor.execute(_LOCK_WAITS)
        waiting, theirs = cursor.fetchone()
        after = datetime.now(UTC).timestamp()
    metrics.LOCK_WAITS.set(waiting)
    metrics.CLOCK_DRIFT.set(drift(before, float(theirs), after))
