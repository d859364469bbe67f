"""Rate limits: one table of named rates, one limiter, one stated behaviour when the shared store is gone.

Counters are those of the `limits` library: in memory with one server process, in Redis with more. While Redis does not
answer, every process counts for itself and says so in the log once per minute; a process asks Redis again after
`RETRY_SECONDS`. Counts are exact under concurrency in both; the headers of requests that race each other may agree.
"""

import logging
import math
import time
from enum import Enum, unique
from functools import cache
from typing import NamedTuple

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.dispatch import Signal
from limits import RateLimitItem, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import Storage, storage_from_string
from limits.strategies import FixedWindowRateLimiter

from studyservice.memory_windows import MemoryWindows

logger = logging.getLogger(__name__)

RETRY_SECONDS = 1.0
"""How long a process counts for itself before it asks a failed Redis again."""

_LOG_EVERY_SECONDS = 60.0

exceeded = Signal()
"""Sent with `rate` for each request beyond it."""


@unique
class Rate(Enum):
    """Every rate of the service (spec, Limits); no two are equal, or they would be one."""

    API = RateLimitItemPerMinute(120)
    """API and MCP requests, per credential, or per address without a valid one."""
    TOKEN = RateLimitItemPerMinute(60)
    """Requests to the OAuth token endpoint, per address."""
    REGISTRATION = RateLimitItemPerHour(20)
    """New OAuth clients, registered or read from their own document, per address."""
    SIGN_IN = RateLimitItemPerMinute(15, 10)
    """Sign-in attempts per client address: every post of a password, of a code, or for a code."""
    SIGN_IN_CODES = RateLimitItemPerHour(5)
    """Sign-in codes per e-mail address, whether or not it belongs to a member."""
    ADMIN = RateLimitItemPerMinute(100)
    """Pages of the operators' admin, per client address and per member who is signed in."""


class Window(NamedTuple):
    """The state of one fixed window after a request."""

    limit: int
    remaining: int
    reset: int
    """Whole seconds until the window ends, at least 1."""
    exceeded: bool

    def headers(self) -> dict[str, str]:
        """`RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`."""
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset),
        }


class _Limiter:
    """A fixed-window limiter that falls back to this process's own counters."""

    def __init__(self, uri: str | None) -> None:
        self._own = FixedWindowRateLimiter(MemoryWindows())
        self._shared: FixedWindowRateLimiter | None = None
        if uri:
            storage = storage_from_string(uri, wrap_exceptions=True, socket_timeout=0.5, socket_connect_timeout=0.5)
            if not isinstance(storage, Storage):
                raise ImproperlyConfigured("REDIS_URL names an asynchronous store.")
            self._shared = FixedWindowRateLimiter(storage)
        self._retry_at = 0.0
        self._log_at = 0.0

    def count(self, item: RateLimitItem, key: str, cost: int) -> Window:
        if self._shared is not None and time.monotonic() >= self._retry_at:
            try:
                return _count(self._shared, item, key, cost)
            except StorageError as error:
                self._gone(error)
        return _count(self._own, item, key, cost)

    def _gone(self, error: StorageError) -> None:
        now = time.monotonic()
        self._retry_at = now + RETRY_SECONDS
        if now >= self._log_at:
            self._log_at = now + _LOG_EVERY_SECONDS
            logger.error("Redis does not answer; counting per process", exc_info=error)

    def clear(self) -> None:
        for limiter in (self._own, self._shared):
            if limiter is not None:
                limiter.storage.reset()


def _count(limiter: FixedWindowRateLimiter, item: RateLimitItem, key: str, cost: int) -> Window:
    allowed = limiter.hit(item, key, cost=cost) if cost else True
    stats = limiter.get_window_stats(item, key)
    return Window(
        limit=item.amount,
        remaining=stats.remaining,
        reset=max(1, math.ceil(stats.reset_time - time.time())),
        exceeded=not allowed,
    )


@cache
def _limiter() -> _Limiter:
    return _Limiter(settings.REDIS_URL)


def start() -> None:
    """Make the counters, before there are threads.

    The library imports the Redis client at that moment; threads that meet it half imported would fail.
    """
    _limiter()


def hit(rate: Rate, key: str) -> Window:
    """Count one request of `key` and give the window's state."""
    window = _limiter().count(rate.value, f"{rate.name}:{key}", 1)
    if window.exceeded:
        exceeded.send(hit, rate=rate)
    return window


def peek(rate: Rate, key: str) -> Window:
    """The window's state without counting."""
    return _limiter().count(rate.value, f"{rate.name}:{key}", 0)


def clear() -> None:
    """Forget every counter."""
    _limiter().clear()
