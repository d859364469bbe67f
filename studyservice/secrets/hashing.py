"""Password hashes: Argon2id as OWASP asks for it, made one at a time in each process.

A hash is dear on purpose, in memory and in time. One after the other they cost a process the memory of one, whoever
signs in at once. Waiting holds a thread of the server, so few wait and at least one thread is left for everybody else;
who comes after them is sent away with `HashingBusy` before anything was tried.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher

_Result = TypeVar("_Result")

MOST_AT_ONCE = 8
"""Maximum of hashes that run or wait, fewer on a server with fewer threads. One takes some 20 ms."""


class HashingBusy(Exception):
    """Enough passwords are being checked already."""


class Turns:
    """Runs one function at a time in its own thread. At most `places` callers may run or wait.

    One thread, since the C library keeps what a thread has freed for that thread: a lock would leave each of the
    server's threads with the memory of a hash.
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self._free = threading.BoundedSemaphore(places)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="password-hash")

    def run(self, work: Callable[[], _Result]) -> _Result:
        """Wait for the turn and return the result of `work`.

        Raises:
            HashingBusy: every place is taken.
        """
        if not self._free.acquire(blocking=False):
            raise HashingBusy
        try:
            return self._worker.submit(work).result()
        finally:
            self._free.release()


turns = Turns(max(1, min(MOST_AT_ONCE, settings.WEB_THREADS - 1)))
"""This process's."""


class Argon2Hasher(Argon2PasswordHasher):
    """Argon2id with 19 MiB, two passes and one lane (OWASP Password Storage Cheat Sheet, Argon2id).

    Hashes with other parameters are still verified, with theirs, and replaced at the next sign-in (`must_update`).
    """

    memory_cost = 19 * 1024  # KiB
    time_cost = 2
    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        """A hash, in turn."""
        return turns.run(partial(super().encode, password, salt))

    def verify(self, password: str, encoded: str) -> bool:
        """Return whether `password` belongs to a hash, in turn."""
        return turns.run(partial(super().verify, password, encoded))
