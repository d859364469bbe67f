"""Fixed windows in the memory of one process.

Not the library's own: that starts a thread up to a hundred times a second to look for what has expired, among all keys,
and reads a count outside the lock that it was made under. This one sweeps once a minute, and gives the count and the
end of its window from under one lock.
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
