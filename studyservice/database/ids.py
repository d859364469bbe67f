"""Time-ordered ids for frequently inserted rows, so that their index grows at its end."""

import threading
import time
from datetime import datetime
from secrets import randbits
from uuid import UUID

_NS_PER_MS = 1_000_000
_FRACTIONS = 4096
"""Of a millisecond, in 12 bits."""

_SET_BACK = 60 * 1000 * _FRACTIONS
"""How far a clock may be set back, in fractions, without ids decreasing."""


class _Clock:
    """Increasing times within this process, in 4,096ths of a millisecond since 1970."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest = 0

    def next(self) -> int:
        ms, rest = divmod(time.time_ns(), _NS_PER_MS)
        now = ms * _FRACTIONS + rest * _FRACTIONS // _NS_PER_MS
        with self._lock:
            if self._newest - _SET_BACK < now <= self._newest:
                now = self._newest + 1
            self._newest = now
        return now


_CLOCK = _Clock()


def uuid7() -> UUID:
    """Return a UUID of version 7 (RFC 9562, 5.7): 48 bits of Unix time in milliseconds, 12 of its fraction, 62 random
    ones.

    The fraction in `rand_a` is the RFC's method 3 (6.2). Ids of one process increase, so objects created by one call
    are listed in order. Only a clock that was set back by more than a minute restarts them. Ids of several processes
    may be out of order, and nothing depends on it. An id reveals when its row was created, as most rows do themselves.
    Knowing an id grants no access.
    """
    ms, fraction = divmod(_CLOCK.next(), _FRACTIONS)
    return UUID(int=ms << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62 | randbits(62))


def first_uuid7(instant: datetime) -> UUID:
    """Return the least UUID of version 7 that can have been created at `instant` or later."""
    return UUID(int=(int(instant.timestamp() * 1000) << 80) | (0x7 << 76) | (0b10 << 62))
