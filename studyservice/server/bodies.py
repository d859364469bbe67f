"""Request bodies: detect their end, and read them in threads."""

import asyncio
import io
import re
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol

MAX_REQUEST_BYTES = 9 * 1024 * 1024
"""Maximum bytes of a body that are collected before a thread reads it: more than the largest JSON of the API. Only
uploads may be longer; a thread waits for the rest.
"""

MAX_FRAMING_BYTES = 256 * 1024
"""Maximum overhead of a chunked body, since each chunk costs time however small it is."""

_LONGEST_LINE = 16_384
_SIZE = re.compile(rb"([0-9a-fA-F]{1,8})[ \t]*(?:;.*)?")
_TRAILER = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:.*")


class BodyAwaited(BaseException):
    """A required body has not arrived.

    It passes every handler of `Exception` and unwinds the request, so that the thread becomes free. The request is
    restarted when its body has arrived.
    """


class BrokenBody(OSError):
    """The body is shorter than declared, malformed, or has too many chunks."""


class BodyEnd(Protocol):
    """Receives the bytes after a head as they arrive."""

    def feed(self, data: bytes) -> bytes | None:
        """Take the next bytes. Return those after the body once it is complete.

        Raises:
            BrokenBody: it is malformed.
        """


class LengthEnd:
    """Detects the end of a body with a Content-Length, or of no body."""

    def __init__(self, length: int) -> None:
        self._left = length

    def feed(self, data: bytes) -> bytes | None:
        """Count the bytes."""
        taken = min(self._left, len(data))
        self._left -= taken
        return None if self._left else data[taken:]


class ChunkedEnd:
    """Detects the end of a chunked body (RFC 9112 section 7.1). Gunicorn accepts any line as a trailer."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._skip = self._framing = 0
        self._in_trailers = False

    def feed(self, data: bytes) -> bytes | None:
        """Parse line by line."""
        self._kept += data
        at = min(self._skip, len(self._kept))
        self._skip -= at
        while not self._skip and (end := self._kept.find(b"\r\n", at)) >= 0:
            line = bytes(self._kept[at:end])
            self._framing += end + 2 - at
            at = end + 2
            if self._in_trailers and not line:
                return bytes(self._kept[at:])
            self._take(line)
            step = min(self._skip, len(self._kept) - at)
            self._skip -= step
            at += step
        del self._kept[:at]
        if self._framing > MAX_FRAMING_BYTES or len(self._kept) > _LONGEST_LINE:
            raise BrokenBody("The body has too many chunks.")
        return None

    def _take(self, line: bytes) -> None:
        match = (_TRAILER if self._in_trailers else _SIZE).fullmatch(line)
        if match is None:
            raise BrokenBody("The body is not well-formed.")
        if not self._in_trailers:
            size = int(match[1], 16)
            self._in_trailers = size == 0
            self._skip = size + 2 if size else 0


class Source(Protocol):
    """The connection that a body arrives on."""

    on_end: Callable[[], object] | None
    ended: bool
    body_has_come: bool

    def await_body(self) -> None:
        """Mark that a thread needs it."""

    def hold(self, number: int) -> None:
        """Count buffered bytes."""


class Body:
    """The `wsgi.input` of a request. The event loop collects the body.

    Args:
        source: calls `on_end` when no more of it will arrive.
        receive: returns its pieces (ASGI).
    """

    def __init__(self, source: Source, receive: Callable[[], Awaitable[dict[str, Any]]]) -> None:
        self._source = source
        self._receive = receive
        self._loop = asyncio.get_running_loop()
        self._kept = io.BytesIO()
        self._collected = 0
        self._broken = False
        self.whole = False

    async def collect(self, most: int = MAX_REQUEST_BYTES, seconds: float | None = None) -> None:
        """Wait until the body is complete, has `most` bytes or is broken off, at most this many seconds."""
        if self._source.body_has_come:
            await self._collect(MAX_REQUEST_BYTES)
        else:
            await self._wait_for(self._collect(most), seconds)

    def opened(self) -> Any:
        """Return the body as a file, from its beginning."""
        self._kept.seek(0)
        return self._kept if self.whole else self

    def read(self, size: int | None = -1) -> bytes:
        """Return the next `size` bytes, or all; fewer at the end.

        Raises:
            BodyAwaited: they have not arrived.
            BrokenBody: they never will.
        """
        if self._collected < MAX_REQUEST_BYTES and not self._broken and not self.whole:
            raise BodyAwaited
        wanted = None if size is None or size < 0 else size
        parts = [self._kept.read(wanted)]
        while not self.whole and (wanted is None or sum(map(len, parts)) < wanted):
            if self._broken:
                raise BrokenBody("The body is shorter than declared.")
            asyncio.run_coroutine_threadsafe(self._refill(), self._loop).result()
            parts.append(self._kept.read(None if wanted is None else wanted - sum(map(len, parts))))
        return b"".join(parts)

    def readline(self, size: int | None = -1) -> bytes:
        """Return the next line (PEP 3333)."""
        line = b""
        while not line.endswith(b"\n") and len(line) != size and (byte := self.read(1)):
            line += byte
        return line

    def close(self) -> None:
        """Drop the bytes, which are of no use or no longer needed. Reading on raises `BrokenBody`."""
        self._kept, self._broken = io.BytesIO(), True

    async def _collect(self, most: int) -> None:
        while not self.whole and not self._broken and self._collected < most:
            await self._take()

    async def _refill(self) -> None:
        self._source.hold(-self._kept.tell())
        self._kept = io.BytesIO()
        await self._wait_for(self._take(), None)
        self._kept.seek(0)

    async def _take(self) -> None:
        message = await self._receive()
        if message["type"] != "http.request":
            self.close()
            return
        data: bytes = message["body"]
        self._kept.seek(0, io.SEEK_END)
        self._kept.write(data)
        self._collected += len(data)
        self._source.hold(len(data))
        self.whole = not message["more_body"]

    async def _wait_for(self, taking: Coroutine[Any, Any, None], seconds: float | None) -> None:
        task, end = self._loop.create_task(taking), self._loop.create_future()
        self._source.await_body()
        self._source.on_end = end.cancel
        seconds = 0 if self._source.ended else seconds
        await asyncio.wait([task, end], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        self._source.on_end = None
        while not task.done():  # Python 3.11's `wait_for`, used by gunicorn, ignores a cancellation that meets data
            if self._source.ended or end.cancelled():
                self.close()
            task.cancel()
            await asyncio.wait([task], timeout=0)
        if not task.cancelled():
            task.result()
