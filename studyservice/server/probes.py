"""Health checks of dependencies, in separate threads with a timeout."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor


class Probe:
    """Runs one check at a time for all callers, so that many cost as much as one.

    Args:
        thread: runs the check.
        ask: the check; raises if it fails and may take any time.
        seconds: how long callers wait.
    """

    def __init__(self, thread: ThreadPoolExecutor, ask: Callable[[], object], seconds: float) -> None:
        self._thread = thread
        self._ask = ask
        self._seconds = seconds
        self._lock = threading.Lock()
        self._asked: Future[object] | None = None
        self._until = 0.0

    def start(self) -> Callable[[], None]:
        """Start the check, unless one is running. Return a function that waits for it.

        The function raises what `ask` raised, or `TimeoutError` if the check is not done in time, at once if it was
        overdue before.
        """
        with self._lock:
            if self._asked is None or self._asked.done():
                self._until = time.monotonic() + self._seconds
                self._asked = self._thread.submit(self._ask)
            asked, until = self._asked, self._until

        def wait() -> None:
            asked.result(max(0.0, until - time.monotonic()))

        return wait
