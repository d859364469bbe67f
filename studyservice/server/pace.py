"""Minimum speed of a client while it sends a body or reads an answer."""

import asyncio
import fcntl
import struct
import termios
from collections import deque

STILL_SECONDS = 10.0
"""The longest pause of a transfer."""

WINDOW_SECONDS = 30.0
"""The period over which `LEAST_BYTES_PER_SECOND` is averaged."""

LEAST_BYTES_PER_SECOND = 8_000
"""Slower than any line in use. A steady reader at this speed gets the whole answer."""


class Pace:
    """Bytes transferred since `now`, by the monotonic clock in seconds.

    Args:
        still: longest pause, by default `STILL_SECONDS`.
    """

    __slots__ = ("_began_at", "_moved_at", "_noted", "_still", "_total")

    def __init__(self, now: float, still: float | None = None) -> None:
        self._total = 0
        self._still = STILL_SECONDS if still is None else still
        self._began_at = self._moved_at = now
        self._noted = deque([(now, 0)])

    def note(self, total: int, now: float) -> None:
        """Record that `total` bytes were transferred since the beginning."""
        if total > self._total:
            self._total, self._moved_at = total, now
        while len(self._noted) > 1 and self._noted[1][0] <= now - WINDOW_SECONDS:
            self._noted.popleft()
        if now >= self._noted[-1][0] + 1:
            self._noted.append((now, self._total))

    def is_too_slow(self, now: float) -> bool:
        """Return whether it paused too long, or was below the minimum speed for a whole window."""
        if now - self._moved_at >= self._still:
            return True
        since, before = self._noted[0]
        return now - since >= WINDOW_SECONDS and self._total - before < LEAST_BYTES_PER_SECOND * (now - since)

    def age(self, now: float) -> float:
        """Seconds since the beginning."""
        return now - self._began_at

    def rate(self, now: float) -> float:
        """Recent bytes per second. In the first second, counted as over one second."""
        since, before = self._noted[0]
        return (self._total - before) / max(now - since, 1.0)


def unacknowledged(transport: asyncio.Transport) -> int:
    """Return the bytes given to the system that have not reached the client, if it reports them (Linux), else 0."""
    try:
        waiting = fcntl.ioctl(transport.get_extra_info("socket"), termios.TIOCOUTQ, b"\0" * 4)
    except OSError:
        return 0
    return int(struct.unpack("i", waiting)[0])
