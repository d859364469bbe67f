"""Rate limits: one table of named rates, one limiter, and windows in the memory of one process.

Counters are fixed windows: in memory with one server process, in Redis with more. While Redis does not answer, every
process counts separately and logs that once per minute (`studyservice.rates.shared`). Counts are exact under
concurrency in both, and each request's headers show its own count.

The library's own counters in memory start a thread up to a hundred times a second to search all keys for expired ones,
and read a count outside its lock. These are swept once a minute, and return the count and the end of its window under
one lock.
"""

import math
import threading
import time
from enum import Enum
from functools import cache
from typing import NamedTuple, Protocol, Self

from django.conf import settings
from django.dispatch import Signal
from limits import RateLimitItem, RateLimitItemPerDay, RateLimitItemPerHour, RateLimitItemPerMinute

from studyservice.operations.errors import RateLimited
from studyservice.rates.networks import factor_of


class Count(NamedTuple):
    """The state of a window for one request. Both values are of the same moment, and counts are unique."""

    number: int
    """Requests in the window, including this one."""
    seconds_left: float
    """Seconds until the window ends, rounded up; 0 without a window."""


class Windows(Protocol):
    """Counters that end a fixed time after their first request."""

    def count(self, key: str, expiry: int, amount: int) -> Count:
        """Add `amount` to the window of `key`. The first call opens it for `expiry` seconds; 0 only reads."""

    def reset(self) -> object:
        """Forget every window."""


_SWEEP_EVERY_SECONDS = 60


class MemoryWindows:
    """Counters that end with their window (`studyservice.rates.limiter.Windows`)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._windows: dict[str, tuple[int, float]] = {}
        self._sweep_at = 0.0

    def count(self, key: str, expiry: int, amount: int) -> Count:
        """Add `amount` to the window of `key`. The first call opens it for `expiry` seconds; 0 only reads."""
        now = time.time()
        with self._lock:
            if now >= self._sweep_at:
                self._windows = {key: window for key, window in self._windows.items() if window[1] > now}
                self._sweep_at = now + _SWEEP_EVERY_SECONDS
            number, ends_at = self._windows.get(key, (0, 0.0))
            if ends_at <= now:
                number, ends_at = 0, now + expiry if amount else now
            if amount:
                number += amount
                self._windows[key] = (number, ends_at)
        return Count(number, ends_at - now)

    def reset(self) -> None:
        """Forget every window."""
        with self._lock:
            self._windows = {}


exceeded = Signal()
"""Sent with `rate` for each request that exceeds it."""


class Rate(Enum):
    """Every rate of the service (spec, Limits). Those per client address are higher in `RATE_NETWORKS`."""

    item: RateLimitItem

    def __new__(cls, item: RateLimitItem) -> Self:
        """Number the rates, because Python would merge members with equal values."""
        rate = object.__new__(cls)
        rate._value_ = len(cls.__members__)
        rate.item = item
        return rate

    API = RateLimitItemPerMinute(120)
    """API and MCP requests, per credential, or per address without a valid one."""
    CONNECTION = RateLimitItemPerMinute(240)
    """The same for all access tokens of one connection together, because each refresh adds one."""
    TOKEN = RateLimitItemPerMinute(60)
    """Requests to the OAuth token endpoint, per address."""
    REGISTRATION = RateLimitItemPerHour(20)
    """New OAuth clients, registered or read from their own document, per address."""
    SIGN_IN = RateLimitItemPerMinute(15, 10)
    """Sign-in attempts per client address, or per browser for accounts that signed in there before: every post of a
    password or a code, request for a code, or visit to the identity provider.
    """
    JOINING = RateLimitItemPerHour(60)
    """Posts to the page of an invitation, per client address. Each of a class joins once, from one address."""
    SIGN_IN_CODES = RateLimitItemPerHour(5)
    """Sign-in codes per e-mail address, whether or not it belongs to a member. Requests from a browser where it signed
    in before are counted separately.
    """
    PASSWORDS = RateLimitItemPerDay(5)
    """Consecutive wrong passwords before waits begin, per e-mail address likewise (`studyservice.rates.limiter`). Also
    wrong second factors per member, from any browser.
    """
    API_KEYS = RateLimitItemPerHour(20)
    """API keys created on the key page, per member. Operators' commands are not counted."""
    CALENDAR = RateLimitItemPerMinute(30)
    """Fetches of a calendar, per calendar address, or per client address if the calendar does not exist."""
    CALENDAR_IMPORTS = RateLimitItemPerHour(60)
    """Imported calendar files, per member. One that uses up the time or memory limit counts ten times."""
    SCHOOL_CALENDARS = RateLimitItemPerHour(20)
    """Added school calendars, per member, including deleted ones."""
    CALENDAR_REFRESHES = RateLimitItemPerMinute(1, 5)
    """Refreshes of a school calendar at the member's request, per calendar."""
    DECK_IMPORTS = RateLimitItemPerHour(60)
    """Imported flashcard files, per member, counted likewise."""
    ARCHIVES = RateLimitItemPerHour(10)
    """Exported and imported archives of a member's data, counted separately, per member."""
    SYLLABI = RateLimitItemPerHour(60)
    """Uploaded syllabi, per member. One that uses up the time or memory limit counts ten times."""
    MODEL_READINGS = RateLimitItemPerDay(20)
    """Readings of syllabi by the operator's language model, per member."""
    ADMIN = RateLimitItemPerMinute(100)
    """Pages of the operators' admin, per client address and per signed-in member."""


class Window(NamedTuple):
    """The state of one fixed window after a request."""

    limit: int
    remaining: int
    reset: int
    """Whole seconds until the window ends, at least 1."""
    exceeded: bool

    def headers(self) -> dict[str, str]:
        """Return `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`."""
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset),
        }


@cache
def windows() -> Windows:
    """Return the counters of this process.

    They must be created before there are threads: the library imports the Redis client then, and threads that found it
    half imported would fail.
    """
    if not settings.REDIS_URL:
        return MemoryWindows()
    from studyservice.rates.shared import SharedWindows  # noqa: PLC0415  # needs the client of Redis

    return SharedWindows(settings.REDIS_URL)


def hit(rate: Rate, key: str, amount: int = 1) -> Window:
    """Count one request of `key`, or `amount` of them, and return the window's state."""
    window = count(windows(), rate, key, amount)
    if window.exceeded:
        exceeded.send(hit, rate=rate)
    return window


def require_rate(rate: Rate, key: str) -> None:
    """Count one request of `key`.

    Raises:
        RateLimited: there were too many.
    """
    window = hit(rate, key)
    if window.exceeded:
        raise RateLimited(window.reset)


def peek(rate: Rate, key: str) -> Window:
    """Return the window's state without counting; never exceeded."""
    return count(windows(), rate, key, 0)


def count(counters: Windows, rate: Rate, key: str, amount: int) -> Window:
    """Add `amount` to the window of `key` in `counters`. A key that is a client address may have a higher limit."""
    item = rate.item
    limit = item.amount * factor_of(key)
    number, seconds_left = counters.count(item.key_for(f"{rate.name}:{key}"), item.get_expiry(), amount)
    return Window(
        limit=limit,
        remaining=max(0, limit - number),
        reset=max(1, math.ceil(seconds_left)),
        exceeded=bool(amount) and number > limit,
    )


def clear() -> None:
    """Forget every counter."""
    windows().reset()


LONGEST_SECONDS = 3600
"""The longest wait, so that nobody is locked out permanently."""


class DoublingWait:
    """The tries of `key`. Those within `rate` are free, and all are forgotten after its period."""

    def __init__(self, rate: Rate, key: str) -> None:
        self._rate = rate
        self._tries = rate.item.key_for(f"{rate.name}:{key}")
        self._wait = rate.item.key_for(f"{rate.name}:{key}:wait")
        self._let_in_late = False

    def begin(self) -> Window | None:
        """Count a try. Return None if it is admitted, else how long to wait; then it does not count."""
        free, expiry = self._rate.item.amount, self._rate.item.get_expiry()
        beyond = windows().count(self._tries, expiry, 1).number - free
        if beyond <= 0:
            return None
        seconds = min(2 ** min(beyond, 32), LONGEST_SECONDS)
        claimed, seconds_left = windows().count(self._wait, seconds, 1)
        if claimed == 1:
            self._let_in_late = True
            return None
        windows().count(self._tries, expiry, -1)
        exceeded.send(self.begin, rate=self._rate)
        return Window(limit=free, remaining=0, reset=max(1, math.ceil(seconds_left)), exceeded=True)

    def withdraw(self) -> None:
        """Withdraw an admitted try that could not be made."""
        windows().count(self._tries, self._rate.item.get_expiry(), -1)
        if self._let_in_late:
            windows().count(self._wait, 1, -1)

    def forget(self) -> None:
        """Start over after a correct try."""
        for key in (self._tries, self._wait):
            made = windows().count(key, 1, 0).number
            windows().count(key, 1, -made)
