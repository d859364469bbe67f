"""Fixed windows in the memory of one process, as a storage of the `limits` library.

The library's own starts a thread up to a hundred times a second to look for what has expired, among all keys, and
reads a count outside the lock that it was made under. This one sweeps once a minute and counts exactly.
"""

import threading
import time

from limits.storage import Storage

_SWEEP_EVERY_SECONDS = 60


class MemoryWindows(Storage):
    """Counters that end with their window."""

    STORAGE_SCHEME: list[str] | None = ["memory-windows"]  # noqa: RUF012  # declared so by the library

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._windows: dict[str, tuple[int, float]] = {}
        self._sweep_at = 0.0

    @property
    def base_exceptions(self) -> tuple[type[Exception], ...]:
        """None of its own."""
        return ()

    def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        """Add `amount` to the window of `key`, which a first one opens for `expiry` seconds; gives the count."""
        now = time.time()
        with self._lock:
            if now >= self._sweep_at:
                self._windows = {key: window for key, window in self._windows.items() if window[1] > now}
                self._sweep_at = now + _SWEEP_EVERY_SECONDS
            count, ends_at = self._windows.get(key, (0, 0.0))
            if ends_at <= now:
                count, ends_at = 0, now + expiry
            self._windows[key] = (count + amount, ends_at)
            return count + amount

    def get(self, key: str) -> int:
        """The count of the window of `key`."""
        count, ends_at = self._windows.get(key, (0, 0.0))
        return count if ends_at > time.time() else 0

    def get_expiry(self, key: str) -> float:
        """When the window of `key` ends, in seconds since the epoch; now, if there is none."""
        return max(self._windows.get(key, (0, 0.0))[1], time.time())

    def check(self) -> bool:
        """Memory always answers."""
        return True

    def reset(self) -> int:
        """Forget every window; gives how many there were."""
        with self._lock:
            number = len(self._windows)
            self._windows = {}
        return number

    def clear(self, key: str) -> None:
        """Forget the window of `key`."""
        with self._lock:
            self._windows.pop(key, None)
