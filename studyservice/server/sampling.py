"""Metrics of the threads, and those that are sampled from the database; only with `METRICS_ADDRESS`.

The sampling thread may wait for the database as long as calls do, and holds a connection only while it asks.
"""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from django.conf import settings
from django.db import Error, connection, connections

import studyservice
from studyservice.server import metrics
from studyservice.server.health import database_drift
from studyservice.server.signals import BACKUP, DROPPED_MORNINGS, LAST_RUNS, MAIL_QUEUE_AGE, OVERDUE_CALENDARS, PURGE

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

EVERY_SECONDS = 15.0
"""How often each process samples the database."""

_LOCK_WAITS = """
    SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


class MeasuredThreads(ThreadPoolExecutor):
    """Threads that answer requests. Counts how many do, and how many requests wait for one and how long."""

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        """Call `fn` when a thread is free."""
        asked_at = time.monotonic()
        metrics.WAITING.inc()

        def run() -> _T:
            metrics.WAITING.dec()
            metrics.WAIT_SECONDS.observe(time.monotonic() - asked_at)
            with metrics.BUSY_THREADS.track_inprogress():
                return fn(*args, **kwargs)

        submitted = super().submit(run)
        submitted.add_done_callback(_stop_waiting)
        return submitted


def _stop_waiting(submitted: Future[Any]) -> None:
    """Count a request that was cancelled, when its client disconnected, as no longer waiting."""
    if submitted.cancelled():
        metrics.WAITING.dec()


def watch() -> MeasuredThreads:
    """Start sampling the database in this process. Return threads that are counted."""
    metrics.INFO.labels(studyservice.__version__).set(1)
    metrics.THREADS.set(settings.WEB_THREADS)
    for counted in (metrics.BUSY_THREADS, metrics.WAITING, metrics.REDIS_FALLBACK):
        counted.set(0)  # the files may have the counts of a process that was killed
    threading.Thread(target=_sample_forever, name="sampling", daemon=True).start()
    return MeasuredThreads(settings.WEB_THREADS, "requests")


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
    metrics.DROPPED_MORNINGS.set(DROPPED_MORNINGS.get()())
    metrics.OVERDUE_CALENDARS.set(OVERDUE_CALENDARS.get()())
    clock_drift = database_drift()
    if clock_drift is None:
        return
    metrics.CLOCK_DRIFT.set(clock_drift)
    with connection.cursor() as cursor:
        cursor.execute(_LOCK_WAITS)
        [waiting] = cursor.fetchone()
    metrics.LOCK_WAITS.set(waiting)
