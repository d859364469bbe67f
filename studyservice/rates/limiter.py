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

from studyservice.rates.counts import was_counted
from studyservice.rates.memory import MemoryWindows
from studyservice.rates.shared import SharedWindows
from studyservice.rates.windows import Windows

exceeded = Signal()
"""Sent with `rate` for each request beyond it."""


@unique
class Rate(Enum):
    """Every rate of the service (spec, Limits). No two may be equal, since Python would merge them."""

    API = RateLimitItemPerMinute(120)
    """API and MCP requests, per credential, or per address without a valid one."""
    CONNECTION = RateLimitItemPerMinute(240)
    """The same for all access tokens of one connection together: each refresh gives one more."""
    TOKEN = RateLimitItemPerMinute(60)
    """Requests to the OAuth token endpoint, per address."""
    REGISTRATION = RateLimitItemPerHour(20)
    """New OAuth clients, registered or read from their own document, per address."""
    SIGN_IN = RateLimitItemPerMinute(15, 10)
    """Sign-in attempts per client address, or per browser at accounts that signed in there before: every post of a
    password, of a code, or for a code."""
    SIGN_IN_CODES = RateLimitItemPerHour(5)
    """Sign-in codes per e-mail address, whether or not it belongs to a member; those that are asked for in a browser
    where it signed in before count for themselves."""
    PASSWORDS = RateLimitItemPerDay(5)
    """Wrong passwords in a row that cost no wait, per e-mail address likewise (`studyservice.rates.doubling`); wrong
    second factors too, per member, whatever browser they come from."""
    API_KEYS = RateLimitItemPerMinute(20, 60)
    """API keys made on the key page, per member; operators' commands are not counted."""
    CALENDAR = RateLimitItemPerMinute(30)
    """Fetches of a calendar, per address of a calendar, or per client address where there is no such calendar."""
    CALENDAR_IMPORTS = RateLimitItemPerMinute(60, 60)
    """Calendar files that are read, per member; one that takes all the time or memory there is counts ten times."""
    SCHOOL_CALENDARS = RateLimitItemPerSecond(20, 3600)
    """School calendars that are added, per member; those that were deleted since count."""
    CALENDAR_REFRESHES = RateLimitItemPerMinute(1, 5)
    """Readings of a school calendar that its member asks for, per calendar."""
    DECK_IMPORTS = RateLimitItemPerSecond(60, 3600)
    """Files of flashcards that are read, per member, counted likewise."""
    ARCHIVES = RateLimitItemPerHour(10)
    """Archives that are made of a member's data, and archives that are read, per member and each for itself."""
    SYLLABI = RateLimitItemPerHour(60)
    """Syllabi that are uploaded, per member; one that takes all the time or memory there is counts ten times."""
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
    """Count one request of `key`, or `amount` of them, and return the window's state.

    A restarted request does not count again.
    """
    if was_counted(rate.name, key):
        return peek(rate, key)
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
