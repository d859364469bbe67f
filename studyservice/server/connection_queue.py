"""Connections that wait for their clients without a thread: for a head, a body, a reader, the end.

The main loop of a process and the threads that have answered come here in turn, never at the same time. No wait is
without end, and many that wait keep nobody out: those that wait longest for a head make room for new ones, the slowest
of all for what is to be kept in memory.
"""

import time
from collections.abc import Callable
from functools import partial
from selectors import EVENT_READ, EVENT_WRITE, BaseSelector
from typing import Generic, Protocol, TypeVar

from studyservice.server.body_end import BodyEnd
from studyservice.server.channel import MAX_HEAD_BYTES, MAX_REQUEST_BYTES, Channel
from studyservice.server.pace import Pace
from studyservice.server.waits import Stage, Wait

HEAD_SECONDS = 10.0
"""From the first byte of a head to its last, however they come."""

IDLE_SECONDS = 75.0
"""How long a connection may send nothing, as a new one or after an answer."""

LINGER_STILL_SECONDS = 5.0
LINGER_SECONDS = 30.0
LINGER_BYTES = 8 * 1024 * 1024
"""An ended connection is read from for so long, and so much, so that its client sees the answer (RFC 9112 9.6)."""

HELD_BYTES = 48 * 1024 * 1024
"""How much a process keeps of half-sent requests and half-read answers, together."""

LARGE_BYTES = 512 * 1024
"""An answer of which more is unsent takes part in what its member may ask for at once."""

_UNKNOWN_PACE_SECONDS = 1.0
"""An answer that has begun later is not compared with others: how fast its reader is cannot be known yet."""

_STEP_BYTES = 64 * 1024
_SWEEP_SECONDS = 0.5


class Connection(Protocol):
    """What waits here."""

    sock: Channel


C = TypeVar("C", bound=Connection)


class ConnectionQueue(Generic[C]):
    """The connections that wait, in the order in which they began to.

    A connection stays with the poller while a thread answers its request, as its client seldom sends the next one
    meanwhile: that spares two calls of the kernel for each request.

    Args:
        poller: of the main loop, which calls what is registered with a socket.
        ready: takes a connection whose request can be answered now.
        delivered: is told, perhaps more than once, of each whose answer is sent but for `LARGE_BYTES`, or given up.
        gone: is told of each connection that was closed here.
    """

    def __init__(
        self, poller: BaseSelector, ready: Callable[[C], None], delivered: Callable[[C], None], gone: Callable[[], None]
    ) -> None:
        self._poller = poller
        self._ready = ready
        self._delivered = delivered
        self._gone = gone
        self._waits: dict[C, Wait] = {}
        self._polled: dict[C, int] = {}
        self._weights: dict[C, int] = {}
        self._held = 0
        self._swept_at = 0.0
        self._ends_at = float("inf")
        self.given_up = 0
        """How many were closed because they were slow or made room; whoever reports it sets it to 0."""

    def await_head(self, connection: C) -> None:
        """Of a new connection, or of one that is kept after an answer."""
        seconds = HEAD_SECONDS if connection.sock.held() else IDLE_SECONDS
        wait = Wait(Stage.HEAD, min(time.monotonic() + seconds, self._ends_at))
        self._waits[connection] = wait
        if connection.sock.has_head():
            self._leave(connection)
        elif connection in self._polled or not self._took_head(connection, wait):
            self._poll(connection, EVENT_READ)

    def await_body(self, connection: C, end: BodyEnd, read: int) -> None:
        """Of a request whose first `read` bytes have come and are its head."""
        now = time.monotonic()
        wait = Wait(Stage.BODY, float("inf"), Pace(now), end, already=connection.sock.received)
        self._waits[connection] = wait
        if end.feed(connection.sock.arrived()[read:]) or connection.sock.ended:
            self._leave(connection)
        else:
            self._poll(connection, EVENT_READ)

    def await_reader(self, connection: C, *, kept: bool) -> None:
        """Until the client has taken its answer; then the connection is kept or ended."""
        channel = connection.sock
        if channel.has_unsent():
            wait = Wait(Stage.ANSWER, float("inf"), Pace(time.monotonic()), kept=kept, already=channel.delivered())
            self._waits[connection] = wait
            self._poll(connection, EVENT_WRITE)
        else:
            self._after_answer(connection, kept=kept)

    def make_room(self) -> bool:
        """Close the connection that waits longest for a head or to be ended; whether there was one."""
        for connection, wait in self._waits.items():
            if wait.stage in {Stage.HEAD, Stage.LINGER}:
                self.given_up += 1
                self._close(connection)
                return True
        return False

    def end_by(self, deadline: float) -> None:
        """Close what waits for a head, now or later, by `deadline`."""
        self._ends_at = deadline
        for wait in self._waits.values():
            if wait.stage in {Stage.HEAD, Stage.LINGER}:
                wait.until = min(wait.until, deadline)

    def sweep(self) -> None:
        """Give up who is too slow; to be called often."""
        now = time.monotonic()
        if now < self._swept_at + _SWEEP_SECONDS:
            return
        self._swept_at = now
        for connection, wait in list(self._waits.items()):
            if wait.pace is not None:
                wait.pace.note(_moved(connection, wait), now)
            if now >= wait.until or (wait.pace is not None and wait.pace.is_too_slow(now)):
                self._give_up(connection, wait)

    def _give_up(self, connection: C, wait: Wait) -> None:
        if wait.stage is Stage.BODY:
            connection.sock.ended = True  # the request is answered: it did not come as a whole
            self._leave(connection)
            return
        if wait.stage is Stage.ANSWER or connection.sock.held():
            self.given_up += 1
        self._close(connection)

    def _on_event(self, connection: C, _fileobj: object) -> None:
        wait = self._waits.get(connection)
        if wait is None:  # with a thread, or closed by what was handled before in the same turn of the loop
            self._stop_polling(connection)
        elif wait.stage is Stage.HEAD:
            self._took_head(connection, wait)
        elif wait.stage is Stage.BODY:
            self._take_body(connection, wait)
        elif wait.stage is Stage.ANSWER:
            self._send_more(connection, wait)
        else:
            self._discard(connection, wait)

    def _took_head(self, connection: C, wait: Wait) -> bool:
        """Whether that was all to wait for."""
        channel = connection.sock
        begun = bool(channel.held())
        try:
            channel.fill(MAX_HEAD_BYTES)
        except BlockingIOError:
            return False
        if channel.has_head() or channel.held() >= MAX_HEAD_BYTES:
            self._leave(connection)
            return True
        if channel.ended:
            self._close(connection)
            return True
        if not begun:
            wait.until = min(time.monotonic() + HEAD_SECONDS, self._ends_at)
        self._weigh(connection)
        return connection not in self._waits

    def _take_body(self, connection: C, wait: Wait) -> None:
        channel = connection.sock
        try:
            data = channel.fill(_STEP_BYTES)
        except BlockingIOError:
            return
        whole = wait.body_end is None or wait.body_end.feed(data)
        if whole or channel.ended or channel.held() >= MAX_REQUEST_BYTES:
            self._leave(connection)
        else:
            self._weigh(connection)

    def _discard(self, connection: C, wait: Wait) -> None:
        try:
            read = connection.sock.discard(_STEP_BYTES)
        except BlockingIOError:
            return
        except OSError:  # reset by the client
            read = 0
        wait.already += read
        if read == 0 or wait.already > LINGER_BYTES:
            self._close(connection)

    def _send_more(self, connection: C, wait: Wait) -> None:
        try:
            connection.sock.flush()
        except OSError:  # the client is gone
            self._close(connection)
            return
        if connection.sock.unsent() <= LARGE_BYTES:
            self._delivered(connection)
        if connection.sock.has_unsent():
            self._weigh(connection)
        else:
            del self._waits[connection]
            self._after_answer(connection, kept=wait.kept)

    def _after_answer(self, connection: C, *, kept: bool) -> None:
        if kept and not connection.sock.ended:
            self.await_head(connection)
            return
        wait = Wait(Stage.LINGER, min(time.monotonic() + LINGER_SECONDS, self._ends_at))
        self._waits[connection] = wait
        try:
            connection.sock.end_answers()
        except OSError:  # the client is gone
            self._close(connection)
            return
        if connection.sock.ended:
            self._close(connection)
        else:
            wait.pace = Pace(time.monotonic(), still=LINGER_STILL_SECONDS)
            self._poll(connection, EVENT_READ)

    def _poll(self, connection: C, event: int) -> None:
        """Have the main loop tell `_on_event` when the connection can be read from, or written to."""
        polled = self._polled.get(connection)
        if polled is None:
            self._poller.register(connection.sock, event, partial(self._on_event, connection))
        elif polled != event:
            self._poller.modify(connection.sock, event, partial(self._on_event, connection))
        self._polled[connection] = event
        self._weigh(connection)

    def _stop_polling(self, connection: C) -> None:
        if self._polled.pop(connection, None) is not None:
            self._poller.unregister(connection.sock)

    def _weigh(self, connection: C) -> None:
        """Note what is kept for a connection; beyond `HELD_BYTES` the slowest goes, unless it is the only one."""
        held = connection.sock.held()
        self._held += held - self._weights.get(connection, 0)
        self._weights[connection] = held
        while self._held > HELD_BYTES:
            now = time.monotonic()
            holders = {one: self._rate(wait, now) for one, wait in self._waits.items() if self._weights.get(one)}
            slowest = min(holders, key=holders.__getitem__, default=None)
            if len(holders) < 2 or slowest is None or holders[slowest] == float("inf"):
                return
            self.given_up += 1
            self._close(slowest)

    def _rate(self, wait: Wait, now: float) -> float:
        if wait.pace is None:
            return 0.0
        if wait.stage is Stage.ANSWER and wait.pace.age(now) < _UNKNOWN_PACE_SECONDS:
            return float("inf")
        return wait.pace.rate(now)

    def _leave(self, connection: C) -> None:
        """Its request can be answered; what is kept for it counts until it is back."""
        del self._waits[connection]
        self._ready(connection)

    def _close(self, connection: C) -> None:
        del self._waits[connection]
        self._held -= self._weights.pop(connection, 0)
        self._delivered(connection)
        self._stop_polling(connection)
        connection.sock.hang_up()
        self._gone()


def _moved(connection: Connection, wait: Wait) -> int:
    if wait.stage is Stage.BODY:
        return connection.sock.received - wait.already
    if wait.stage is Stage.ANSWER:
        return connection.sock.delivered() - wait.already
    return wait.already
