"""Health checks of dependencies, in separate threads with a timeout."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor


class Probe:
    """Runs one check at a time for all callers, so that many cost as much as one.

    Args:
        thread: asks.
        ask: raises if the answer is bad; may take as long as it likes.
        seconds: how long an answer is waited for.
    """

    def __init__(self, thread: ThreadPoolExecutor, ask: Callable[[], object], seconds: float) -> None:
        self._thread = thread
        self._ask = ask
        self._seconds = seconds
        self._lock = threading.Lock()
        self._asked: Future[object] | None = None
        self._until = 0.0

    def start(self) -> Callable[[], None]:
        """Ask, unless an answer is awaited already; returns what waits for the answer.

        That returns if it is good, and raises `TimeoutError` if it has not come in time, at once where it was due
        before, or what `ask` raised.
        """
        with self._lock:
            if self._asked is None or self._asked.done():
                self._until = time.monotonic() + self._seconds
                self._asked = self._thread.submit(self._ask)
            asked, until = self._asked, self._until

        def wait() -> None:
            asked.result(max(0.0, until - time.monotonic()))

        return wait
