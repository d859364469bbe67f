"""A connection: timeouts for heads, bodies and answers.

A `Connection` is placed between the event loop's transport and gunicorn's protocol, like asyncio's TLS: a protocol to
the transport, and a transport to gunicorn. It uses no internals of gunicorn.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from contextvars import ContextVar
from enum import Enum, auto
from typing import Any, cast

from studyservice.server.bodies import BodyEnd, BrokenBody
from studyservice.server.connections import Connections
from studyservice.server.pace import Pace, unacknowledged
from studyservice.server.refusals import UnreadableRequest

logger = logging.getLogger(__name__)

HEAD_SECONDS = 10.0
"""Seconds from the first to the last byte of a head, in any number of pieces."""

IDLE_SECONDS = 75.0
"""How long a connection may be idle, when new or after an answer."""

LINGER_STILL_SECONDS = 5.0
LINGER_SECONDS = 30.0
LINGER_BYTES = 8 * 1024 * 1024
"""After its end a connection is still read up to these limits, so that the client sees the answer (RFC 9112 9.6)."""

MAX_HEAD_BYTES = 64 * 1024

MAX_AHEAD_BYTES = 64 * 1024
"""Beyond the current request no more is read until it is answered. The rest waits in the system's buffers."""

_UNKNOWN_PACE_SECONDS = 1.0
"""An answer that began later is not compared with others, because its reader's speed is still unknown."""

_END_OF_HEAD = b"\r\n\r\n"
_CONTINUE = b"HTTP/1.1 100 "

_buffer = bytearray(64 * 1024)  # shared, because what is read is copied at once; asyncio's own has 256 KiB

current: ContextVar["Connection"] = ContextVar("connection")
"""The connection, in the tasks that gunicorn starts for it."""


class Stage(Enum):
    """The state of a connection."""

    HEAD = auto()
    REQUEST = auto()
    ANSWER = auto()
    REFUSAL = auto()
    END = auto()


class Connection(asyncio.BufferedProtocol, asyncio.Transport):
    """A connection.

    Attributes:
        head: the received part of the request's head, and any data after it until somebody takes it.
        ended: no more data will arrive.
        body_has_come: the whole body of the request has arrived.
        held: number of buffered bytes.
        on_end: called when no more of the body will arrive.
    """

    def __init__(self, connections: Connections, gunicorn: asyncio.Protocol) -> None:
        super().__init__()
        self._connections = connections
        self._gunicorn = gunicorn
        self._transport: asyncio.Transport = cast(asyncio.Transport, None)
        self._stage = Stage.HEAD
        self._until = time.monotonic() + IDLE_SECONDS
        self._pace: Pace | None = None
        self._before = self._received = self._sent = 0
        self._feeding = self._gunicorn_pauses = False
        self._body_end: BodyEnd | None = None
        self._next = bytearray()
        self.head = bytearray()
        self.ended = self.body_has_come = False
        self.held = 0
        self.on_end: Callable[[], object] | None = None

    # Called by the transport.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._connections.add(self)
        current.set(self)
        self._gunicorn.connection_made(self)

    def get_buffer(self, sizehint: int) -> bytearray:
        return _buffer

    def buffer_updated(self, nbytes: int) -> None:
        data = bytes(memoryview(_buffer)[:nbytes])
        self._received += nbytes
        if self._stage is Stage.HEAD:
            self._take_head(data)
        elif self._stage in {Stage.REQUEST, Stage.ANSWER}:
            self._take_body(data)
        if self._stage in {Stage.REFUSAL, Stage.END}:
            if self._received - self._before > LINGER_BYTES:
                self.abort()
            return
        self._read_or_pause()
        self._feeding = True
        try:
            self._gunicorn.data_received(data)
        except UnicodeDecodeError:
            self.refuse(UnreadableRequest("a method that is not ASCII"))
        finally:
            self._feeding = False

    def eof_received(self) -> bool:
        self.ended = True
        if self.on_end is not None:
            self.on_end()
        if self._stage is Stage.HEAD and _END_OF_HEAD not in self.head:
            self._end()
        return self._stage is not Stage.END

    def connection_lost(self, exc: Exception | None) -> None:
        self.ended = True
        self._stage = Stage.END
        self._connections.remove(self)
        self.release()
        if self.on_end is not None:
            self.on_end()
        self._gunicorn.connection_lost(exc)

    def pause_writing(self) -> None:
        self._gunicorn.pause_writing()

    def resume_writing(self) -> None:
        self._gunicorn.resume_writing()

    # Called by gunicorn, as its transport.

    def write(self, data: Any) -> None:
        """Send an answer. Gunicorn's own answers, which are refusals, are replaced by the application's."""
        expected = self._stage is Stage.ANSWER or (self._stage is Stage.REQUEST and data.startswith(_CONTINUE))
        if expected and not self._feeding:
            self._sent += len(data)
            self._transport.write(data)
        else:
            self.refuse(UnreadableRequest(str(data[:40], "latin-1").partition("\r\n")[0]))

    def can_write_eof(self) -> bool:
        return False

    def close(self) -> None:
        if self._stage is not Stage.REFUSAL:
            self._end()

    def abort(self) -> None:
        self._stage = Stage.END
        self._connections.remove(self)
        self.release()
        self._transport.abort()

    def is_closing(self) -> bool:
        return self._stage is Stage.END or self._transport.is_closing()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._transport.get_extra_info(name, default)

    def pause_reading(self) -> None:
        self._gunicorn_pauses = True
        self._read_or_pause()

    def resume_reading(self) -> None:
        self._gunicorn_pauses = False
        self._read_or_pause()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self._transport.set_write_buffer_limits(high, low)

    def get_write_buffer_size(self) -> int:
        return self._transport.get_write_buffer_size()

    # Called by the application.

    def begin(self, body_end: BodyEnd) -> bool:
        """Start answering the request whose head arrived. Return False if it must not be answered."""
        if self._stage is not Stage.HEAD:
            return False
        self._stage, self._pace = Stage.REQUEST, None
        self._connections.works(self)
        self._body_end, self.body_has_come = body_end, False
        end = self.head.find(_END_OF_HEAD) + len(_END_OF_HEAD)
        behind = bytes(self.head[end:])
        del self.head[end:]
        self._take_body(behind)
        self._read_or_pause()
        return self._stage is Stage.REQUEST

    def begin_answer(self) -> None:
        """Mark the start of the answer."""
        if self._stage is Stage.REQUEST:
            self._stage, self._pace = Stage.ANSWER, None

    def finish(self) -> None:
        """Finish the answer. The connection ends if the body has not arrived."""
        self.release()
        if self._stage not in {Stage.REQUEST, Stage.ANSWER}:
            return
        self.head, self._next = self._next, bytearray()
        if not self.body_has_come or (self.ended and _END_OF_HEAD not in self.head):
            self._end()
            return
        self._stage, self._pace = Stage.HEAD, None
        self._until = time.monotonic() + (HEAD_SECONDS if self.head else IDLE_SECONDS)
        self._connections.waits(self)
        self._read_or_pause()

    def refuse(self, cause: BaseException) -> None:
        """Answer with an error, or break off an answer that has begun."""
        if self._stage is Stage.ANSWER:
            logger.error("An answer was interrupted", exc_info=cause)
            self._end()
        elif self._stage in {Stage.HEAD, Stage.REQUEST}:
            self._stage, self._before = Stage.REFUSAL, self._received
            self._connections.works(self)
            self._connections.refuse(self, cause)

    def end_with(self, refusal: bytes) -> None:
        """Send a refusal, and close."""
        if not self._transport.is_closing():
            self._transport.write(refusal)
            self._end()

    def await_body(self) -> None:
        """Mark that the body is needed from now on."""
        self._pace, self._before = Pace(time.monotonic()), self._received

    def hold(self, number: int) -> None:
        """Count buffered bytes."""
        self.held += number
        self._connections.hold(number)

    def release(self) -> None:
        """Forget the connection."""
        if self.held:
            self.hold(-self.held)

    # Timeouts.

    def check(self, now: float, *, goes_on: bool) -> None:
        """Close the connection if its client is too slow."""
        if self._stage is Stage.ANSWER or self.get_write_buffer_size():
            if self._is_slow(self._sent - self.get_write_buffer_size() - unacknowledged(self._transport), now):
                self._connections.give_up(self)
        elif self._stage is Stage.REQUEST:
            if self.on_end is not None and self._is_slow(self._received, now):
                self.on_end()
        elif self._stage is Stage.END:
            if self._is_slow(self._received, now, LINGER_STILL_SECONDS) or now >= self._until or not goes_on:
                self.abort()
        elif self._stage is Stage.HEAD and (now >= self._until or not (goes_on or self.head)):
            (self._connections.give_up if self.head else Connection.abort)(self)

    def rate(self, now: float) -> float:
        """Bytes per second that its client sends or reads; infinite if nothing is expected of it."""
        if self._pace is None or (self._stage is Stage.REQUEST and self.on_end is None):
            return float("inf")
        if self._stage is Stage.ANSWER and self._pace.age(now) < _UNKNOWN_PACE_SECONDS:
            return float("inf")
        return self._pace.rate(now)

    def _is_slow(self, moved: int, now: float, still: float | None = None) -> bool:
        if self._pace is None:
            self._pace, self._before = Pace(now, still), moved
        self._pace.note(moved - self._before, now)
        return self._pace.is_too_slow(now)

    def _read_or_pause(self) -> None:
        if self._stage in {Stage.REFUSAL, Stage.END}:
            return
        ahead = self.head if self._stage is Stage.HEAD and _END_OF_HEAD in self.head else self._next
        if self._gunicorn_pauses or len(ahead) > MAX_AHEAD_BYTES:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _take_head(self, data: bytes) -> None:
        if not self.head:
            self._until = time.monotonic() + HEAD_SECONDS
        self.head += data
        if len(self.head) >= MAX_HEAD_BYTES and _END_OF_HEAD not in self.head:
            self.refuse(UnreadableRequest("incomplete head"))

    def _take_body(self, data: bytes) -> None:
        if self.body_has_come or self._body_end is None:
            self._next += data
            return
        try:
            behind = self._body_end.feed(data)
        except BrokenBody as error:
            self.refuse(UnreadableRequest(str(error)))
            return
        if behind is not None:
            self.body_has_come = True
            self._next += behind

    def _end(self) -> None:
        """Send the rest, and keep reading until the client has received it."""
        if self._stage is Stage.END:
            return
        self._stage, self._pace, self._before = Stage.END, None, self._received
        self._until = time.monotonic() + LINGER_SECONDS
        self._connections.works(self)
        if self.ended or self._transport.is_closing():
            self._transport.close()
            return
        self._transport.write_eof()
        self._transport.resume_reading()
