"""Remember which limits a request was counted against, so that a restarted request counts once.

A request is restarted when its body arrives (`studyservice.server.bodies.BodyAwaited`).
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Counts:
    """The counts of one request: rates and keys, in order."""

    def __init__(self) -> None:
        self._counted: list[tuple[str, str]] = []
        self._again: deque[tuple[str, str]] = deque()

    def begin_again(self) -> None:
        """Mark that the request is restarted."""
        self._again = deque(self._counted)

    def was_counted(self, rate: str, key: str) -> bool:
        """Return whether the earlier run counted here. If not, record that this one does."""
        if self._again and self._again[0] == (rate, key):
            self._again.popleft()
            return True
        self._counted.append((rate, key))
        return False


_current: ContextVar[Counts | None] = ContextVar("counts", default=None)


@contextmanager
def noted_in(counts: Counts) -> Iterator[None]:
    """Record counts of the block in `counts`."""
    token = _current.set(counts)
    try:
        yield
    finally:
        _current.reset(token)


def was_counted(rate: str, key: str) -> bool:
    """Return whether this request was counted against `key` before its restart."""
    counts = _current.get()
    return counts is not None and counts.was_counted(rate, key)
