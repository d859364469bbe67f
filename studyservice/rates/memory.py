"""Fixed windows in the memory of one process.

The library's own counters start a thread up to a hundred times a second to search all keys for expired ones, and read a
count outside its lock. These are swept once a minute, and return the count and the end of its window under one lock.
"""

import threading
import time

from studyservice.rates.windows import Count

_SWEEP_EVERY_SECONDS = 60


class MemoryWindows:
    """Counters that end with their window (`studyservice.rates.windows.Windows`)."""

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
