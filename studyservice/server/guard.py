"""A guard between each connection and gunicorn's protocol: time limits, and JSON instead of gunicorn's own refusals.

Like asyncio's TLS it is a protocol to the transport and a transport to gunicorn, by public names of both only.

A request that can be read stands in for each that is refused. It passes the same middleware as others, which adds the
request id, the log line and the common headers, and counts it against its address.
"""

import asyncio
import re
import socket
import time
from collections.abc import Callable
from contextvars import ContextVar
from enum import Enum
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from studyservice.http.requests import API_ROOTS
from studyservice.operations.errors import ApiError, InvalidRequest

_REQUEST_LINE = re.compile(rb"(?:\r\n)?([A-Z]{1,20} /[!->@-~]{0,2000})")
_FORWARDED = re.compile(rb"\r\n((?:x-forwarded-for|origin):[ \t]*[ -~]+)", re.IGNORECASE)


class UnreadableRequest(InvalidRequest):
    """The request is not HTTP."""

    default_message = "The request is not valid HTTP, lacks Host, or its line or a header is too long."


def head_in_place_of(head: bytes) -> bytes:
    """Return the head of the request that stands in for a refused one.

    Args:
        head: the received part of the refused request's head. Its method, path and origin are kept if they can be read.
    """
    line, base, api = _REQUEST_LINE.match(head), urlsplit(settings.BASE_URL), API_ROOTS[0]
    # Below the static files' path, a file would be served instead. Without the scheme, pages would redirect to https.
    first = line[1].replace(settings.STATIC_URL.encode(), f"{api}/".encode(), 1) if line else f"GET {api}".encode()
    own = f" HTTP/1.1\r\nHost: {base.netloc}\r\nX-Forwarded-Proto: {base.scheme}\r\nConnection: close".encode()
    return b"\r\n".join([first + own, *_FORWARDED.findall(head), b"", b""])


STILL_SECONDS = 60.0
"""How long a request or an answer may pause: since the last byte that came or went."""

REQUEST_SECONDS = 15 * 60.0
"""How long a request may take, from its first byte to the last one of its answer, not counting its thread."""

IDLE_SECONDS = 75.0
"""How long a connection may be idle, when new or after an answer. Longer than proxies keep one."""

END_SECONDS = 5.0
"""How long a connection is still read after its last answer, so that the client sees it (RFC 9112 section 9.6)."""

CUT_SECONDS = 2.0
"""How long what arrived of a body may take to the application, after the client ended it early."""

PAUSE_SECONDS = 0.1
"""How long it takes at most until gunicorn begins with a request that it has received while it was busy."""

SWEEP_SECONDS = 0.5
"""How often these are checked."""

MAX_HEAD_BYTES = 64 * 1024

_SEND_BUFFER = 256 * 1024  # with a larger one of the system, a slow reader would look as if it had stopped
_END_OF_HEAD = b"\r\n\r\n"

# Shared, because what is read is copied at once. With asyncio's own reads, of up to 256 KiB, a process with 160 clients
# that send far ahead takes 50 MiB more.
_buffer = bytearray(32 * 1024)

current: ContextVar["Guard"] = ContextVar("guard")
"""The guard of the connection, in the tasks that gunicorn starts for it."""

State = Enum("State", "WAITING BODY WORK ANSWER CLOSED")


class Guard(asyncio.BufferedProtocol):
    """The guard of a connection.

    Args:
        worker: the `Worker`.
        protocol: creates gunicorn's.
        head: of the only request, if that stands in for a refused one.

    Attributes:
        state: WAITING for a head, for the BODY, for a thread's WORK, for the client to read the ANSWER, or CLOSED.
        refusal: how to answer that request, and why.
    """

    refusal: tuple[ApiError, object] | None = None

    def __init__(self, worker: Any, protocol: Callable[[], Any], head: bytes = b"") -> None:
        self._worker, self._protocol, self._gunicorn = worker, protocol, protocol()
        self._head, self._unsent, self._ended, self._is_paused = bytearray(head), 0, False, False
        self._began = self._moved = time.monotonic()
        self.state = State.WAITING

    # Called by the event loop.

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
        current.set(self)
        self._gunicorn.connection_made(self)
        self._wait()
        if self._head:
            self._gunicorn.data_received(bytes(self._head))

    def get_buffer(self, sizehint: int) -> bytearray:
        return _buffer

    def buffer_updated(self, nbytes: int) -> None:
        if self.state is State.CLOSED or self.refusal is not None:
            return
        data, self._moved = bytes(memoryview(_buffer)[:nbytes]), time.monotonic()
        if self.state is State.WAITING:
            self._began = self._began if self._head else self._moved
            self._head += data
            if len(self._head) > MAX_HEAD_BYTES and _END_OF_HEAD not in self._head:
                self.refuse(UnreadableRequest(), "incomplete head")
                return
        elif self.state is not State.BODY:  # it belongs to the next request
            self._is_paused = True
            self._transport.pause_reading()
        try:
            self._gunicorn.data_received(data)
        except ValueError as error:  # a method that is not ASCII, a length of thousands of digits
            self.refuse(UnreadableRequest(), error)

    def eof_received(self) -> bool:
        self._ended = True
        return self.state is not State.CLOSED

    def connection_lost(self, exc: Exception | None) -> None:
        self.state = State.CLOSED
        self._worker.guards.pop(self, None)
        self._gunicorn.connection_lost(exc)

    def pause_writing(self) -> None:
        self._gunicorn.pause_writing()

    def resume_writing(self) -> None:
        self._gunicorn.resume_writing()

    # Called by gunicorn, as its transport.

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Send an answer. Gunicorn's own answers, which are refusals, are replaced."""
        if self.state is State.ANSWER or (self.state is State.BODY and data.startswith(b"HTTP/1.1 100 ")):
            self._transport.write(data)
        else:
            self.refuse(UnreadableRequest(), str(data[:40], "latin-1").partition("\r\n")[0])

    def resume_reading(self) -> None:
        """Read on, unless there is a next request already. Gunicorn would read more after each."""
        if not self._is_paused:
            self._transport.resume_reading()

    def close(self) -> None:
        """Close the connection, which is still read for a while unless the client has ended it."""
        if self.state is State.CLOSED:
            return
        self.enter(State.CLOSED)
        if self._ended:
            self._transport.close()
        else:
            self._transport.write_eof()
            self._transport.resume_reading()

    # Called by the application.

    def enter(self, state: State) -> None:
        """Change the state. A closed connection stays closed, though gunicorn may still begin with its next request."""
        if self.state is State.CLOSED:
            return
        self.state, self._moved = state, time.monotonic()
        del self._head[self._head.find(_END_OF_HEAD) + len(_END_OF_HEAD) :]

    def finish(self) -> None:
        """Wait for the next request, if the answer is complete."""
        if self.state is State.ANSWER:
            self.enter(State.WAITING)
            self._began = self._moved
            self._head.clear()
            self._wait()

    def refuse(self, error: ApiError, why: object) -> None:
        """Answer with an error and close the connection, or break off an answer that has begun."""
        if self.state is State.ANSWER or self.refusal is not None:
            self.abort()
        elif self.state is not State.CLOSED:
            stand_in = Guard(self._worker, self._protocol, head_in_place_of(bytes(self._head)))
            stand_in.refusal = error, why
            self.connection_lost(None)
            self._transport.set_protocol(stand_in)
            stand_in.connection_made(self._transport)

    def abort(self) -> None:
        """Close the connection at once."""
        self.state = State.CLOSED
        self._worker.guards.pop(self, None)
        self._transport.abort()

    # Called by the worker.

    def check(self, now: float) -> None:
        """Close the connection if its client has been waited for long enough."""
        unsent = self._transport.get_write_buffer_size()
        if unsent != self._unsent:
            self._unsent, self._moved = unsent, now
        still, is_over = now - self._moved, now - self._began > REQUEST_SECONDS
        if self._is_paused and self.state in {State.WAITING, State.BODY} and still > PAUSE_SECONDS:
            self._is_paused = False
            self._transport.resume_reading()
        if self.state is State.BODY and self._ended and still > CUT_SECONDS:
            self._gunicorn.connection_lost(None)  # the application answers that the body is incomplete
        if self.state is State.CLOSED and not unsent:
            most = END_SECONDS
        elif self.state is State.WAITING and not (unsent or self._head):
            most = 0 if self._ended or not self._worker.alive else IDLE_SECONDS
        else:
            most = 0 if is_over else STILL_SECONDS
        if self.state is not State.WORK and still > most:
            self.abort()

    def _wait(self) -> None:
        """Wait for a request. If there are too many connections, close the one that was waited for the longest."""
        guards: dict[Guard, None] = self._worker.guards
        guards.pop(self, None)
        guards[self] = None
        if len(guards) > self._worker.worker_connections:
            next((each for each in guards if each.state is not State.WORK), self).abort()
