"""A bulkhead for each server of members: an unresponsive server delays only its own members.

A thread that waits for a hanging server is blocked for as long as a statement may run. So at most half of the threads
serve the members of one server. If all of these have waited for one round trip for `PATIENCE_SECONDS`, further requests
fail at once and free their threads. Unused unless members are distributed over servers.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache
from math import inf
from threading import Semaphore, get_ident, local
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse

from studyservice.citus.plan import MEMBERS
from studyservice.database.executing import member_known

PATIENCE_SECONDS = 0.5
"""A longer round trip counts as hanging. The service's take a few milliseconds."""

KNOWN_SECONDS = 60
"""How long a process caches the server of a member. Members may move."""

_LOOK_SECONDS = 0.02

_SERVER = """
    SELECT nodename || ':' || nodeport FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
    WHERE shardid = get_shard_id_for_distribution_column(%s::regclass, %s::uuid)
"""


class ServerHangsError(OperationalError):
    """The member's server does not answer. Others may."""


class Bulkhead:
    """The places at each server and the threads that hold them. A thread holds at most one.

    Args:
        places: at each server.
    """

    def __init__(self, places: int) -> None:
        self._places = places
        self._free: dict[str, Semaphore] = {}
        self._asked_at: dict[str, dict[int, float]] = {}  # by server and by the threads there; `inf` while not waiting
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
        if getattr(self._own, "server", server) == server:
            return
        self._leave()
        asked_at = self._asked_at.setdefault(server, {})
        while not self._free.setdefault(server, Semaphore(self._places)).acquire(timeout=_LOOK_SECONDS):
            if time.monotonic() - max(list(asked_at.values()), default=inf) > PATIENCE_SECONDS:
                raise ServerHangsError(f"{server} does not answer")
        asked_at[get_ident()] = inf
        self._own.server = server

    @contextmanager
    def exchange(self) -> Iterator[None]:
        """Mark that this thread waits for the database in the block."""
        asked_at = self._asked_at.get(getattr(self._own, "server", ""), {})
        asked_at[get_ident()] = time.monotonic()
        try:
            yield
        finally:
            asked_at[get_ident()] = inf

    def _leave(self) -> None:
        if self._own.server:
            del self._asked_at[self._own.server][get_ident()]
            self._free[self._own.server].release()
            self._own.server = ""


@cache
def bulkhead() -> Bulkhead:
    """Return the bulkhead of this process."""
    return Bulkhead(max(1, settings.WEB_THREADS // 2))


def enter_server_of(*, member_id: UUID, **kwargs: Any) -> None:
    """Hold a place at the member's server until the end of the request. Receives `member_known`.

    Costs a query of the coordinator once a minute.

    Raises:
        ServerHangsError: the server does not answer.
    """
    bulkhead().enter(_server_of(member_id, time.monotonic() // KNOWN_SECONDS))


@lru_cache(maxsize=10_000)
def _server_of(member_id: UUID, minute: float) -> str:
    with connection.cursor() as cursor:
        cursor.execute(_SERVER, [MEMBERS, str(member_id)])
        return str(cursor.fetchone()[0])


class ServerPlaceMiddleware:
    """Lets each request take a place at its member's server. Only in use if members are distributed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        member_known.connect(enter_server_of)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, then release the place."""
        with bulkhead().request():
            return self.get_response(request)
