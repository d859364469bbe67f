"""All connections of a process: their number and their buffered bytes."""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studyservice.server.connection import Connection

logger = logging.getLogger(__name__)

HELD_BYTES = 48 * 1024 * 1024
"""Memory of a process for half-sent requests and half-read answers together."""

_SWEEP_SECONDS = 0.5
_REPORT_SECONDS = 10.0


class Connections:
    """All connections of a process.

    Args:
        most: limit on open connections.
        refuse: answers a request with an error, on its connection.
        goes_on: returns whether the process accepts more requests.
    """

    def __init__(
        self, most: int, refuse: Callable[["Connection", BaseException], object], goes_on: Callable[[], bool]
    ) -> None:
        self._most = most
        self._goes_on = goes_on
        self._open: dict[Connection, None] = {}
        self._idle: dict[Connection, None] = {}
        self._held = 0
        self._given_up = 0
        self._reported_at = 0.0
        self.refuse = refuse

    def add(self, connection: "Connection") -> None:
        """Accept a connection. If there are too many, close the one that has waited longest for a head."""
        self._open[connection] = None
        self.waits(connection)
        while len(self._open) > self._most and self._idle:
            self.give_up(next(iter(self._idle)))

    def remove(self, connection: "Connection") -> None:
        """Remove a connection that ended."""
        self._open.pop(connection, None)
        self._idle.pop(connection, None)

    def waits(self, connection: "Connection") -> None:
        """Mark that it waits for a head."""
        self._idle[connection] = None

    def works(self, connection: "Connection") -> None:
        """Mark that its head arrived."""
        self._idle.pop(connection, None)

    def hold(self, number: int) -> None:
        """Count buffered bytes. Over `HELD_BYTES`, close the slowest connection, unless it is the only one."""
        self._held += number
        if number <= 0 or self._held <= HELD_BYTES:
            return
        now = time.monotonic()
        holders = {one: one.rate(now) for one in self._open if one.held}
        slowest = min(holders, key=holders.__getitem__, default=None)
        if slowest is not None and len(holders) > 1 and holders[slowest] != float("inf"):
            self.give_up(slowest)

    def give_up(self, connection: "Connection") -> None:
        """Close a connection, and log it."""
        self._given_up += 1
        connection.abort()

    def sweep(self) -> None:
        """Close slow connections, periodically."""
        now, goes_on = time.monotonic(), self._goes_on()
        for connection in list(self._open):
            connection.check(now, goes_on=goes_on)
        if self._given_up and now >= self._reported_at + _REPORT_SECONDS:
            logger.warning("Closed %s connections that were too slow or over a limit", self._given_up)
            self._given_up, self._reported_at = 0, now
        asyncio.get_running_loop().call_later(_SWEEP_SECONDS, self.sweep)
