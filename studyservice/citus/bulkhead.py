"""A bulkhead for each server of members: one that does not answer keeps its own members waiting, and no others.

Threads that wait for a server that hangs are lost to everybody for as long as a statement may run. So at most half of
the threads are at work for the members of one server. Whoever comes when these have all waited for one answer for
`PATIENCE_SECONDS` is told at once that it failed, and leaves its thread to others. Where members are not spread over
servers, nothing of this is there.
"""

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, get_ident, local

from django.db import OperationalError

PATIENCE_SECONDS = 0.5
"""A longer exchange counts as hanging. Those of the service take a few milliseconds."""

_LOOK_SECONDS = 0.05


class ServerHangsError(OperationalError):
    """The server of this member does not answer; others may."""


class Bulkhead:
    """Places at servers, and who holds them; a thread holds one at most.

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
        """Answer a request inside. Any place that it holds is released at the end."""
        self._own.server = ""
        try:
            yield
        finally:
            self._leave()
            del self._own.server

    def enter(self, server: str) -> None:
        """Hold a place at `server` until the request ends. Does nothing outside of a request.

        Raises:
            ServerHangsError: all places are held by threads that have waited for too long.
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
        """This thread waits for the database inside."""
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
