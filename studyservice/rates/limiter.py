"""Rate limits: one table of named rates, one limiter, and a fallback without the shared store.

Counters are fixed windows: in memory with one server process, in Redis with more. While Redis does not answer, every
process counts separately and logs that once per minute (`studyservice.rates.shared`). Counts are exact under
concurrency in both, and each request's headers show its own count.
"""

import math
from enum import Enum, unique
from functools import cache
from typing import NamedTuple

from django.conf import settings
from django.dispatch import Signal
from limits import RateLimitItemPerDay, RateLimitItemPerHour, RateLimitItemPerMinute, RateLimitItemPerSecond

from studyservice.rates.memory import MemoryWindows
from studyservice.rates.shared import SharedWindows
from studyservice.rates.windows import Windows

exceeded = Signal()
"""Sent with `rate` for each request that exceeds it."""


@unique
class Rate(Enum):
    """Every rate of the service (spec, Limits). No two may be equal, since Python would merge them."""

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
    password or a code, or request for a code.
    """
    SIGN_IN_CODES = RateLimitItemPerHour(5)
    """Sign-in codes per e-mail address, whether or not it belongs to a member. Requests from a browser where it signed
    in before are counted separately.
    """
    PASSWORDS = RateLimitItemPerDay(5)
    """Consecutive wrong passwords before waits begin, per e-mail address likewise (`studyservice.rates.doubling`). Also
    wrong second factors per member, from any browser.
    """
    API_KEYS = RateLimitItemPerMinute(20, 60)
    """API keys created on the key page, per member. Operators' commands are not counted."""
    CALENDAR = RateLimitItemPerMinute(30)
    """Fetches of a calendar, per calendar address, or per client address if the calendar does not exist."""
    CALENDAR_IMPORTS = RateLimitItemPerMinute(60, 60)
    """Imported calendar files, per member. One that uses up the time or memory limit counts ten times."""
    SCHOOL_CALENDARS = RateLimitItemPerSecond(20, 3600)
    """Added school calendars, per member, including deleted ones."""
    CALENDAR_REFRESHES = RateLimitItemPerMinute(1, 5)
    """Refreshes of a school calendar at the member's request, per calendar."""
    DECK_IMPORTS = RateLimitItemPerSecond(60, 3600)
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
def _windows() -> Windows:
    return SharedWindows(settings.REDIS_URL) if settings.REDIS_URL else MemoryWindows()


def shared_windows() -> Windows:
    """Return the counters of this process."""
    return _windows()


def start() -> None:
    """Create the counters, before there are threads.

    The library imports the Redis client then. Threads that found it half imported would fail.
    """
    _windows()


def hit(rate: Rate, key: str, amount: int = 1) -> Window:
    """Count one request of `key`, or `amount` of them, and return the window's state."""
    window = count(_windows(), rate, key, amount)
    if window.exceeded:
        exceeded.send(hit, rate=rate)
    return window


def peek(rate: Rate, key: str) -> Window:
    """Return the window's state without counting; never exceeded."""
    return count(_windows(), rate, key, 0)


def count(windows: Windows, rate: Rate, key: str, amount: int) -> Window:
    """Add `amount` to the window of `key` in `windows`."""
    item = rate.value
    number, seconds_left = windows.count(item.key_for(f"{rate.name}:{key}"), item.get_expiry(), amount)
    return Window(
        limit=item.amount,
        remaining=max(0, item.amount - number),
        reset=max(1, math.ceil(seconds_left)),
        exceeded=bool(amount) and number > item.amount,
    )


def clear() -> None:
    """Forget every counter."""
    _windows().reset()
