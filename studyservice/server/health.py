"""Health endpoints: whether the service is alive, answers, and is ready.

Dependencies are checked in separate threads, with their own connection and a timeout. So the endpoints answer within
two seconds even if the database is frozen, as long as a thread is free to answer them.
"""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse

from studyservice import __version__
from studyservice.http.bodies import json_response, read_only
from studyservice.server.checks import require_static_files

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 1.5
"""Time limit for the database or Redis, so that the answer arrives within two seconds."""

_CONNECTION_OPTIONS = {"postgresql": {"connect_timeout": 2, "deadline": 2}, "sqlite": {"timeout": 2}}
"""By kind of database, in seconds. The thread must become free soon after nobody waits for it."""


class UnappliedMigrationsError(Exception):
    """The database lacks migrations of this version."""


@read_only
def health(_request: HttpRequest) -> HttpResponse:
    """Return 200 while the database answers, else 503."""
    return _answer(well=_is_well("database", _DATABASE.start()))


@read_only
def live(_request: HttpRequest) -> HttpResponse:
    """Return 200 and the version while this process answers requests, whatever the state of its dependencies."""
    return _answer(well=True, version=__version__)


@read_only
def ready(_request: HttpRequest) -> HttpResponse:
    """Return 200 if all migrations and static files exist, and Redis (if configured) answers; else 503."""
    checks = readiness()
    told = {name: _status(well) for name, well in checks.items()}
    return _answer(well=all(checks.values()), version=__version__, checks=told)


def readiness() -> dict[str, bool]:
    """Return whether each required part works, by name. Takes at most two seconds."""
    database = _DATABASE.start()
    redis = _REDIS.start() if settings.REDIS_URL is not None else None
    checks = {"database": _is_well("database", database)}
    checks["migrations"] = checks["database"] and _is_well("migrations", _MIGRATIONS.start())
    checks["static_files"] = _is_well("static files", require_static_files)
    if redis is not None:
        checks["redis"] = _is_well("redis", redis)
    return checks


def _is_well(name: str, wait: Callable[[], object]) -> bool:
    try:
        wait()
    except Exception:  # the probe must report any error
        logger.exception("Not well: %s", name)
        return False
    return True


def _status(well: bool) -> str:
    return "ok" if well else "down"


def _answer(*, well: bool, **more: Any) -> HttpResponse:
    status = HTTPStatus.OK if well else HTTPStatus.SERVICE_UNAVAILABLE
    return json_response({"status": _status(well)} | more, status)


class Probe:
    """Runs one check at a time for all callers, so that many cost as much as one.

    Args:
        thread: runs the check.
        ask: the check; raises if it fails and may take any time.
    """

    def __init__(self, thread: ThreadPoolExecutor, ask: Callable[[], object]) -> None:
        self._thread, self._ask, self._lock = thread, ask, threading.Lock()
        self._asked: Future[object] | None = None
        self._until = 0.0

    def start(self) -> Callable[[], object]:
        """Start the check, unless one is running. Return a function that waits for it.

        The function raises what `ask` raised, or `TimeoutError` if the check is not done in time, at once if it was
        overdue before.
        """
        with self._lock:
            if self._asked is None or self._asked.done():
                self._until = time.monotonic() + ANSWER_SECONDS
                self._asked = self._thread.submit(self._ask)
            asked, until = self._asked, self._until
        return lambda: asked.result(max(0.0, until - time.monotonic()))


@cache
def _connection() -> BaseDatabaseWrapper:
    """Return the probes' own connection, used only in their thread."""
    made = connections[DEFAULT_DB_ALIAS].copy()
    made.settings_dict["OPTIONS"] |= _CONNECTION_OPTIONS[made.vendor]
    return made


def _ask(question: Callable[[BaseDatabaseWrapper], None]) -> None:
    """Run `question` on the connection. After an error it is replaced."""
    _connection().close_if_unusable_or_obsolete()
    try:
        question(_connection())
    except Exception:
        _connection().close()
        raise


def _select(connection: BaseDatabaseWrapper) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def require_migrations(connection: BaseDatabaseWrapper) -> None:
    """Compare the migrations of this version with the applied ones, in one query.

    Raises:
        UnappliedMigrationsError: some are not applied.
    """
    missing = _known_migrations() - MigrationRecorder(connection).applied_migrations().keys()
    if missing:
        raise UnappliedMigrationsError(", ".join(sorted(f"{app}.{name}" for app, name in missing)))


@cache
def _known_migrations() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None).disk_migrations)


def database_drift() -> float | None:
    """Return the least difference of PostgreSQL's clock from this machine's, in seconds; None on SQLite."""
    if connection.vendor != "postgresql":
        return None
    with connection.cursor() as cursor:
        before = datetime.now(UTC).timestamp()
        cursor.execute("SELECT extract(epoch FROM clock_timestamp())")
        [theirs] = cursor.fetchone()
        after = datetime.now(UTC).timestamp()
    return drift(before, float(theirs), after)


def drift(before: float, theirs: float, after: float) -> float:
    """Return the least difference, in seconds, of a clock that read `theirs` between `before` and `after`."""
    return max(0.0, before - theirs, theirs - after)


def ping_redis() -> None:
    """Ping the Redis of `REDIS_URL`. Raises the client's errors if it does not answer within two seconds."""
    from redis import Redis  # noqa: PLC0415  # loaded by `rates.limiter.windows`, only with REDIS_URL

    url = str(settings.REDIS_URL).replace("redis+unix:", "unix:", 1)
    with Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2) as redis:
        redis.ping()


_database_thread = ThreadPoolExecutor(1, "probe-database")
_DATABASE = Probe(_database_thread, lambda: _ask(_select))
_MIGRATIONS = Probe(_database_thread, lambda: _ask(require_migrations))
_REDIS = Probe(ThreadPoolExecutor(1, "probe-redis"), ping_redis)
