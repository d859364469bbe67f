"""Password hashes: Argon2id with OWASP's parameters, one at a time in each process.

A hash deliberately takes memory and time. Computed one after another, they cost a process the memory of only one,
however many sign in at once. Waiting blocks a server thread, so few may wait, and at least one thread stays free.
Further callers get `HashingBusy` before anything is tried.
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
"""Maximum number of hashes that run or wait, fewer on a server with fewer threads. One takes some 20 ms."""


class HashingBusy(Exception):
    """Too many passwords are being checked already."""


class Turns:
    """Runs one function at a time in its own thread. At most `places` callers may run or wait.

    It uses one thread because the C library keeps memory that a thread has freed for that thread. With a lock, each
    server thread would keep the memory of a hash.
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self._free = threading.BoundedSemaphore(places)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="password-hash")

    def run(self, work: Callable[[], _Result]) -> _Result:
        """Wait for the turn and return the result of `work`.

        Raises:
            HashingBusy: all places are taken.
        """
        if not self._free.acquire(blocking=False):
            raise HashingBusy
        try:
            return self._worker.submit(work).result()
        finally:
            self._free.release()


turns = Turns(max(1, min(MOST_AT_ONCE, settings.WEB_THREADS - 1)))
"""The queue of this process."""


class Argon2Hasher(Argon2PasswordHasher):
    """Argon2id with 19 MiB, two passes and one lane (OWASP Password Storage Cheat Sheet, Argon2id).

    Hashes with other parameters are still verified and are replaced at the next sign-in (`must_update`).
    """

    memory_cost = 19 * 1024  # KiB
    time_cost = 2
    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        """Hash `password` when its turn comes."""
        return turns.run(partial(super().encode, password, salt))

    def verify(self, password: str, encoded: str) -> bool:
        """Return whether `password` matches a hash, when its turn comes."""
        return turns.run(partial(super().verify, password, encoded))
