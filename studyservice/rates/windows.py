"""Base of the stores of fixed windows."""

from typing import NamedTuple, Protocol


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
