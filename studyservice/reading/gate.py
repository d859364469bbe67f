"""A queue for reading files: one at a time in each process, and one more that waits briefly."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar

from studyservice.operations.errors import ApiError, InternalError, RateLimited

WAIT_SECONDS = 2.0
"""How long the one in the queue waits. Also the `Retry-After` of the others."""

STARVED_SECONDS = 5
"""`Retry-After` if other processes need the CPU."""


class ReadLater(ApiError):
    """A file cannot be read now. The same upload may work a moment later.

    Attributes:
        reason: for forms.
    """

    reason: ClassVar[str]


class ReadingBusy(RateLimited, ReadLater):
    """Other files are being read."""

    reason = "Another file is being read at this moment."

    def __init__(self) -> None:
        super().__init__(round(WAIT_SECONDS))


class ReadingStarved(InternalError, ReadLater):
    """A reading got too little CPU time to finish."""

    reason = "This server is too busy to read the file at this moment."
    default_message = f"{reason} Try again after the seconds in Retry-After."

    def __init__(self) -> None:
        super().__init__(headers={"Retry-After": str(STARVED_SECONDS)})


class Gate:
    """Admits one at a time.

    Args:
        wait_seconds: how long one more may wait.
    """

    def __init__(self, wait_seconds: float = WAIT_SECONDS) -> None:
        self._wait_seconds = wait_seconds
        self._places = threading.BoundedSemaphore(2)
        self._turn = threading.Lock()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the turn for the block.

        Raises:
            ReadingBusy: one is reading, and another waits or this one waited too long.
        """
        if not self._places.acquire(blocking=False):
            raise ReadingBusy
        try:
            if not self._turn.acquire(timeout=self._wait_seconds):
                raise ReadingBusy
            try:
                yield
            finally:
                self._turn.release()
        finally:
            self._places.release()


GATE = Gate()
"""The gate of this process."""
