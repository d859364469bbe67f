"""The ASGI application that gunicorn runs: receive a request whole, let a thread answer it, send the answer.

Its worker, which uses only public names of gunicorn, would wait for heads and readers without a limit, and answer what
is not HTTP as plain text. A `Guard` sets time limits and answers in JSON, at no measurable cost in time or memory.

Django's `ASGIHandler` starts a thread for each request, with new database connections or those of a pool, and spools
any body without a limit. With it a request took 4.2 times the CPU time for `get_me` and 3.2 times for `update_me`, and
the process 198 MiB instead of 145.
"""

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import Any, ClassVar
from urllib.parse import urlsplit

from django.conf import settings
from django.core.handlers.asgi import ASGIRequest
from django.core.handlers.base import BaseHandler
from django.core.signals import request_started
from django.http import FileResponse, HttpResponseBase
from django.urls import Resolver404, resolve
from gunicorn.workers.gasgi import ASGIWorker

from studyservice.http.requests import ADMIN_ROOT, REFUSAL, is_below, is_health_path
from studyservice.operations.errors import ApiError, InternalError, InvalidRequest
from studyservice.server.guard import SWEEP_SECONDS, Guard, State, UnreadableRequest, current
from studyservice.server.lanes import Lanes

logger = logging.getLogger(__name__)

MEMORY_BYTES = 64 * 1024
"""The largest body that is kept in memory, since thousands may arrive at once."""

SPOOL_BYTES = 2 * 1024**3
"""The most that the bodies of a process may take together."""

DROPPED_BYTES = 8 * 1024 * 1024
"""How much of a body is received and dropped after what its path takes, so that the client sees the error."""

MAX_CHUNKS = 100_000
"""The most pieces of a chunked body, since each costs time however small it is."""

_STEP_BYTES = 256 * 1024
_METHOD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 section 5.6.2

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class SpoolFull(InternalError):
    """The bodies of a process would take more than `SPOOL_BYTES`."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    default_message = "Too many large uploads are arriving. Try again in a minute."


class ReceivedBody:
    """A body as it arrives, in memory or in a temporary file.

    Args:
        path: of the request.
        length: its bytes, None if that is not known.

    Attributes:
        spooled: the bytes of all bodies of this process.
        file: what arrived, without what was dropped.
        size: the bytes that arrived.
    """

    spooled: ClassVar[int] = 0

    def __init__(self, path: str, length: int | None) -> None:
        self._most, self._length = _most(path, length), length
        self._kept, self.size, self._pending = 0, 0, bytearray()
        self.file = SpooledTemporaryFile[bytes](MEMORY_BYTES, dir=str(settings.DATA_DIR))  # /tmp may be in memory

    async def receive(self, receive: Receive) -> bool:
        """Return whether the body arrived whole. What exceeds the limit of its path is dropped.

        Raises:
            InvalidRequest: the client ended it early, or it has too many chunks.
            SpoolFull: the bodies of this process are too large together.
        """
        pieces = 0
        while max(self.size, self._length or 0) <= self._most + DROPPED_BYTES:
            message = await receive()
            if message["type"] != "http.request":
                raise InvalidRequest("The body did not arrive completely.")
            self.size += len(message["body"])
            if self.size <= self._most:
                self._pending += message["body"]  # a chunk may be a byte
            pieces += 1
            if self._length is None and pieces > MAX_CHUNKS:
                raise InvalidRequest("The body has too many chunks. Send it in larger ones.")
            is_last = not message["more_body"]
            if is_last or len(self._pending) >= MEMORY_BYTES:
                await self._write()
            if is_last:
                self.file.seek(0)
                return True
        return False

    async def _write(self) -> None:
        self._kept += len(self._pending)
        ReceivedBody.spooled += len(self._pending)
        if ReceivedBody.spooled > SPOOL_BYTES:
            raise SpoolFull(headers={"Retry-After": "60"})
        if self._kept <= MEMORY_BYTES:
            self.file.write(self._pending)
        else:  # a slow disk must not stop the event loop
            await asyncio.to_thread(self.file.write, self._pending)
        self._pending.clear()

    def close(self) -> None:
        """Drop it."""
        ReceivedBody.spooled -= self._kept
        self.file.close()


class AsgiApplication:
    """The application of a process.

    Args:
        handler: Django.
        threads: most requests answered at once, not counting `/health`.
    """

    def __init__(self, handler: BaseHandler, threads: int) -> None:
        self.handler, self._lanes, self._probes = handler, Lanes(threads), ThreadPoolExecutor(1, "probes")
        self.threads = ThreadPoolExecutor(threads, "requests")

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer a request (ASGI)."""
        guard, headers = current.get(), dict(scope["headers"])
        guard.enter(State.BODY)
        try:
            has_host = scope["http_version"] == "1.0" or headers.get(b"host")
            if scope["type"] != "http" or not has_host or not _METHOD.fullmatch(scope["method"]):
                guard.refuse(UnreadableRequest(), "a WebSocket, no Host, or a method that is not a token")
                return
            path, method = scope["path"], scope["method"]
            if not path.startswith("/") and "://" in path:  # RFC 9112 section 3.2.2
                path = urlsplit(path).path or "/"
            length = None if b"transfer-encoding" in headers else int(headers.get(b"content-length", 0))
            with closing(ReceivedBody(path, length)) as body:
                is_whole = await body.receive(receive)
                # Django accepts methods in lower case. They are case-sensitive (RFC 9110 section 9.1).
                known = {"path": path, "method": method if method.isupper() else "UNKNOWN"}
                request = ASGIRequest(scope | known, body.file)
                request.META["CONTENT_LENGTH"] = str(length or body.size)
                if guard.refusal is not None:
                    REFUSAL.set(request, guard.refusal)
                await self._answer(guard, request, send, is_whole=is_whole)
        except Exception as error:
            if not isinstance(error, ApiError):
                logger.exception("Error answering a request")
            guard.refuse(error if isinstance(error, ApiError) else InternalError(), error)
        finally:
            guard.finish()

    async def _answer(self, guard: Guard, request: ASGIRequest, send: Send, *, is_whole: bool) -> None:
        guard.enter(State.WORK)
        is_probe = is_health_path(request.path_info)
        async with nullcontext() if is_probe else self._lanes.lane(request.META):
            threads = self._probes if is_probe else self.threads
            response = await asyncio.get_running_loop().run_in_executor(threads, self._run, request)
            self._lanes.learn(request.META)
            if not is_whole:
                response.headers["Connection"] = "close"
            guard.enter(State.ANSWER)
            with closing(response):
                await _send(response, send, has_body=request.method != "HEAD")

    def _run(self, request: ASGIRequest) -> HttpResponseBase:
        request_started.send(type(self), scope=request.scope)
        return self.handler.get_response(request)


async def _send(response: HttpResponseBase, send: Send, *, has_body: bool) -> None:
    headers = [*response.items(), *(("Set-Cookie", cookie.output(header="")) for cookie in response.cookies.values())]
    encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    await send({"type": "http.response.start", "status": response.status_code, "headers": encoded})
    if isinstance(response, FileResponse):
        response.block_size = _STEP_BYTES
    for part in response if has_body and response.status_code not in {204, 304} else ():
        for start in range(0, len(part), _STEP_BYTES):
            step = part[start : start + _STEP_BYTES]
            await send({"type": "http.response.body", "body": step, "more_body": True})
    await send({"type": "http.response.body"})


def _most(path: str, length: int | None) -> int:
    """Return how many bytes of a body are kept: as many as any method of `path` takes, at least `MAX_BODY_BYTES`."""
    usual: int = settings.MAX_BODY_BYTES
    if length is not None and length <= usual:
        return usual
    if is_below(path, ADMIN_ROOT):
        return max(usual, settings.MAX_UPLOAD_BYTES)
    try:
        return max(usual, getattr(resolve(path).func, "max_body_bytes", usual))
    except Resolver404:
        return usual


class Worker(ASGIWorker):  # type: ignore[misc]  # gunicorn is untyped
    """An `asgi` worker that runs Django in threads.

    Attributes:
        guards: those of all connections, in the order in which they began to wait for a request.
    """

    def load_wsgi(self) -> None:
        """Load the configured application, Django's handler."""
        self.asgi = self.application = AsgiApplication(self.app.wsgi(), settings.WEB_THREADS)
        self.guards: dict[Guard, None] = {}

    def run(self) -> None:
        """Put a `Guard` between each client and gunicorn's protocol."""
        create_server = self.loop.create_server
        self.loop.create_server = lambda protocol, **options: create_server(lambda: Guard(self, protocol), **options)
        self.loop.call_soon(self.sweep)
        super().run()

    def sweep(self) -> None:
        """Close connections whose clients have been waited for long enough, from now on."""
        now = time.monotonic()
        for guard in list(self.guards):
            guard.check(now)
        self.loop.call_later(SWEEP_SECONDS, self.sweep)
