"""Metrics that are sampled periodically instead of counted; only with `METRICS_ADDRESS`.

One thread samples the threads and their queue once a second, another the database. That one may wait as long as calls
do, and holds a connection only while it asks.
"""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.conf import settings
from django.db import Error, connection, connections

import studyservice
from studyservice.database.server_clock import drift
from studyservice.server import metrics
from studyservice.server.signals import BACKUP, LAST_RUNS, MAIL_QUEUE_AGE, OVERDUE_CALENDARS, PURGE

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

EVERY_SECONDS = 15.0
"""How often each process samples the database."""

THREADS_SECONDS = 1.0
"""How often it samples its threads."""

_LOCK_WAITS = """
    SELECT count(*), extract(epoch FROM clock_timestamp()) FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


class MeasuredThreads(ThreadPoolExecutor):
    """Threads that answer requests, how many do, and how long requests wait for one."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads, "requests")
        self._waiting: set[object] = set()
        self._running: set[object] = set()
        threading.Thread(target=self._look_forever, name="sampling threads", daemon=True).start()

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        """Call `fn` when a thread is free."""
        request, asked_at = object(), time.monotonic()
        self._waiting.add(request)

        def run() -> _T:
            self._waiting.discard(request)
            self._running.add(request)
            metrics.WAIT_SECONDS.observe(time.monotonic() - asked_at)
            try:
                return fn(*args, **kwargs)
            finally:
                self._running.discard(request)

        submitted = super().submit(run)
        submitted.add_done_callback(lambda _: self._waiting.discard(request))  # cancelled, when its client disconnected
        return submitted

    def _look_forever(self) -> None:
        while True:
            metrics.BUSY_THREADS.set(len(self._running))
            metrics.WAITING.set(len(self._waiting))
            time.sleep(THREADS_SECONDS)


def watch() -> MeasuredThreads:
    """Start sampling the database in this process. Return threads that are sampled, too."""
    metrics.INFO.labels(studyservice.__version__).set(1)
    metrics.THREADS.set(settings.WEB_THREADS)
    metrics.REDIS_FALLBACK.set(0)
    threading.Thread(target=_sample_forever, name="sampling", daemon=True).start()
    return MeasuredThreads(settings.WEB_THREADS)


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
