"""A bulkhead for each server of members: an unresponsive server delays only its own members.

A thread that waits for a hanging server is blocked for as long as a statement may run. So at most half of the threads
serve the members of one server. If all of these have waited for one round trip for `PATIENCE_SECONDS`, further requests
fail at once and free their threads. Unused unless members are distributed over servers.
"""

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, get_ident, local

from django.db import OperationalError

PATIENCE_SECONDS = 0.5
"""A longer round trip counts as hanging. The service's take a few milliseconds."""

_LOOK_SECONDS = 0.05


class ServerHangsError(OperationalError):
    """The member's server does not answer. Others may."""


class Bulkhead:
    """The places at each server and the threads that hold them. A thread holds at most one.

    Args:
        places: at each server.
    """

    def __init__(self, places: int) -> None:
        self._places = places
        self._changed = Condition()
        self._holders: defaultdict[str, set[int]] = defaultdict(set)
        self._asked_at: dict[int, float] = {}
        self._own = local()

    @contextmanager
    def request(self) -> Iterator[None]:
        """Process a request in the block. At its end the thread's place is released."""
        self._own.server = ""
        try:
            yield
        finally:
            self._leave()
            del self._own.server

    def enter(self, server: str) -> None:
        """Hold a place at `server` until the request ends. Does nothing outside a request.

        Raises:
            ServerHangsError: all places are held by threads that have waited too long.
        """
        own = getattr(self._own, "server", None)
        if own is None or own == server:
            return
        self._leave()
        with self._changed:
            holders = self._holders[server]
            while len(holders) >= self._places:
                if self._hang(holders):
                    raise ServerHangsError(f"{server} does not answer")
                self._changed.wait(_LOOK_SECONDS)
            holders.add(get_ident())
        self._own.server = server

    @contextmanager
    def exchange(self) -> Iterator[None]:
        """Mark that this thread waits for the database in the block."""
        thread = get_ident()
        self._asked_at[thread] = time.monotonic()
        try:
            yield
        finally:
            del self._asked_at[thread]

    def _leave(self) -> None:
        if self._own.server:
            with self._changed:
                self._holders[self._own.server].discard(get_ident())
                self._changed.notify()
            self._own.server = ""

    def _hang(self, holders: set[int]) -> bool:
        now = time.monotonic()
        return all(now - self._asked_at.get(holder, now) > PATIENCE_SECONDS for holder in holders)
