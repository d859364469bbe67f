"""The worker where there are metrics: it tells how long requests wait for a thread, and how busy the threads are.

Of the metrics nothing is imported before its process has begun, in whose files they are kept.
"""

import time
from collections.abc import Callable

from studyservice.server.worker import Connection, JSONErrorWorker


class WatchedWorker(JSONErrorWorker):
    """Once a second it is looked at, by the main loop."""

    _look: Callable[[], None] | None = None
    _waited: Callable[[float], None] | None = None

    def watched_by(self, look: Callable[[], None], waited: Callable[[float], None]) -> None:
        """Call `look` once a second, and `waited` with the seconds that each request waited for a thread."""
        self._look, self._waited = look, waited

    def load(self) -> tuple[int, int]:
        """How many requests are being answered, and how many wait for a thread; not those for `/health`."""
        with self._in_turn:
            return self._requests.load()

    def notify(self) -> None:
        """Gunicorn calls this in each turn of its loop."""
        before = self._notified_at
        super().notify()
        if self._look is not None and self._notified_at != before:
            self._look()

    def enqueue_req(self, conn: Connection) -> None:
        """From now on it waits."""
        conn.queued_at = time.monotonic()
        super().enqueue_req(conn)

    def _serve(self, conn: Connection) -> Connection | None:
        if self._waited is not None:
            self._waited(time.monotonic() - conn.queued_at)
        return super()._serve(conn)
