"""Ids of rows that come in numbers, which grow with time, so that an index on them grows at its end."""

import time
from datetime import datetime
from secrets import randbits
from uuid import UUID

_NS_PER_MS = 1_000_000


def uuid7() -> UUID:
    """A UUID of version 7 (RFC 9562, 5.7): 48 bits of Unix time in milliseconds, 12 of its fraction, 62 random ones.

    The fraction in `rand_a` is the RFC's method 3 (6.2). Ids of one process nearly always grow; those of several, or
    of a clock that was set back, need not, and nothing rests on it. When a row was made can be told from its id, as it
    is told by most rows themselves; who knows an id may do nothing with it.
    """
    ms, rest = divmod(time.time_ns(), _NS_PER_MS)
    fraction = (rest << 12) // _NS_PER_MS
    return UUID(int=ms << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62 | randbits(62))


def first_uuid7(instant: datetime) -> UUID:
    """The least UUID of version 7 that can have been made at `instant` or later."""
    return UUID(int=(int(instant.timestamp() * 1000) << 80) | (0x7 << 76) | (0b10 << 62))
