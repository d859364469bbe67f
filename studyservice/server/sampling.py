"""Metrics that are sampled periodically instead of counted; only with `METRICS_ADDRESS`.

The main loop samples the threads and their queue once a second. A separate thread samples the database. It may wait as
long as calls do, and holds a connection only while it asks.
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
from studyservice.server.signals import BACKUP, LAST_RUNS, MAIL_QUEUE_AGE, OVERDUE_CALENDARS, PURGE

logger = logging.getLogger(__name__)

EVERY_SECONDS = 15.0
"""How often each process samples the database."""

_LOCK_WAITS = """
    SELECT count(*), extract(epoch FROM clock_timestamp()) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


class Watched(Protocol):
    """The parts of a worker that are sampled."""

    def load(self) -> tuple[int, int]:
        """Return the numbers of requests being answered and waiting for a thread."""

    def watched_by(self, look: Callable[[], None], waited: Callable[[float], None]) -> None:
        """Call `look` once a second, and `waited` with the seconds that each request waited for a thread."""


def watch(worker: Watched) -> None:
    """Start sampling the database in this process, and the worker."""
    metrics.INFO.labels(studyservice.__version__).set(1)
    metrics.THREADS.set(settings.WEB_THREADS)
    metrics.REDIS_FALLBACK.set(0)
    threading.Thread(target=_sample_forever, name="sampling", daemon=True).start()

    def look() -> None:
        busy, waiting = worker.load()
        metrics.BUSY_THREADS.set(busy)
        metrics.WAITING.set(waiting)

    worker.watched_by(look, metrics.WAIT_SECONDS.observe)


def _sample_forever() -> None:
    while True:
        try:
            ask()
        except Error as error:  # logged briefly, since calls and `/health` hit the same error and are counted
            logger.warning("The database could not be sampled: %s", error)
        except Exception:  # the next sample may succeed after any error
            logger.exception("The database could not be sampled")
        finally:
            connections.close_all()
        time.sleep(EVERY_SECONDS)


def ask() -> None:
    """Sample the database once. SQLite has one writer at a time, on this machine: no locks to count, one clock."""
    ended = {name: 0 if at is None else at.timestamp() for name, at in LAST_RUNS.get()().items()}
    metrics.NEWEST_BACKUP.set(ended.pop(BACKUP))
    metrics.LAST_PURGE.set(ended[PURGE])
    for name, at in ended.items():
        metrics.LAST_RUN.labels(name).set(at)
    metrics.MAIL_QUEUE_AGE.set(MAIL_QUEUE_AGE.get()())
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
