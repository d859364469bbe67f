"""The application that gunicorn runs: WSGI as ASGI, in threads that never wait for a client."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from wsgiref.util import FileWrapper

from studyservice.http.paths import is_below
from studyservice.rates.counts import Counts, noted_in
from studyservice.server.bodies import Body, BodyAwaited, ChunkedEnd, LengthEnd
from studyservice.server.connection import Connection, current
from studyservice.server.environ import environ_of
from studyservice.server.fair_queue import Lane
from studyservice.server.lanes import Lanes
from studyservice.server.refusals import UnreadableRequest, refuse
from studyservice.server.turns import Task, Turns

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication, WSGIEnvironment

logger = logging.getLogger(__name__)

LARGE_BYTES = 512 * 1024
"""An answer with more unsent bytes counts as one of its member's concurrent requests."""

_STEP_BYTES = 256 * 1024
_SOON_SECONDS = 0.05
_SOON_BYTES = 64 * 1024
"""How much of a body to wait for before starting the request. Few requests start twice. While a request waits for a
thread, nobody watches its body.
"""

_METHOD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 section 5.6.2

Send = Callable[[dict[str, Any]], Awaitable[None]]


@dataclass(slots=True)
class Answer:
    """The response of the application.

    Attributes:
        parts: the body. Each part is dropped when it is sent, so that a long answer is in memory once.
        file: the body, if there is one.
    """

    status: int
    headers: list[tuple[str, str]]
    parts: list[bytes] = field(default_factory=list)
    file: Any = None

    def size(self) -> int:
        """Return the number of bytes in `parts`."""
        return sum(map(len, self.parts))

    def steps(self) -> Iterator[bytes]:
        """Take the parts out, at most `_STEP_BYTES` at a time."""
        self.parts.reverse()
        while self.parts:
            part = self.parts.pop()
            for start in range(0, len(part), _STEP_BYTES):
                yield part[start : start + _STEP_BYTES]


class Bridge:
    """The application of a process.

    Args:
        application: the WSGI application.
        threads: most requests answered at once, not counting `/health`.
    """

    def __init__(self, application: "WSGIApplication", threads: int) -> None:
        self.application = application
        self._lanes = Lanes(threads)
        self._requests = Turns(threads, "requests")
        self._probes = Turns(1, "probes")
        self._refusals: set[asyncio.Task[None]] = set()

    def load(self) -> tuple[int, int]:
        """Return the numbers of running and waiting requests, not counting `/health`."""
        return self._requests.load()

    def shutdown(self) -> None:
        """Stop the threads."""
        self._requests.shutdown()
        self._probes.shutdown()

    def watched_by(self, waited: Callable[[float], None]) -> None:
        """Call `waited` with the seconds that each request waited for a thread, except `/health`."""
        self._requests.waited = waited

    async def __call__(self, scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Send) -> None:
        """Answer a request (ASGI)."""
        connection = current.get()
        if scope["type"] != "http":  # a WebSocket
            connection.refuse(UnreadableRequest("a WebSocket"))
            return
        environ = environ_of(scope)
        length = -1 if "HTTP_TRANSFER_ENCODING" in environ else int(environ.get("CONTENT_LENGTH", 0))
        if not connection.begin(ChunkedEnd() if length < 0 else LengthEnd(length)):
            return
        body = Body(connection, receive) if length else None
        try:
            named = scope["http_version"] == "1.0" or environ.get("HTTP_HOST")
            if not (named and _METHOD.fullmatch(scope["method"])):
                connection.refuse(UnreadableRequest("no Host, or a method that is not a token"))
                return
            if body is not None and (connection.body_has_come or not environ.get("HTTP_EXPECT")):
                await body.collect(_SOON_BYTES, _SOON_SECONDS)
            await self._answer(connection, environ, body, send)
        except Exception as error:  # noqa: BLE001  # logged, and answered with an error
            connection.refuse(error)
        finally:
            if body is not None:
                body.close()
            connection.finish()

    async def _answer(self, connection: Connection, environ: "WSGIEnvironment", body: Body | None, send: Send) -> None:
        counts = Counts()
        lane, turns = self._place(environ, reads=body is None)
        task = await self._turn(lane, turns, environ, body, counts)
        if body is not None and isinstance(task.result.result(), BodyAwaited):
            await body.collect()
            counts.begin_again()
            task = await self._turn(lane, turns, environ, body, counts)
        answer = task.result.result()
        if isinstance(answer, BaseException):
            raise answer
        try:
            await self._send(connection, answer, send, task)
        finally:
            task.free()
            if answer.file is not None:
                answer.file.close()

    def _place(self, environ: "WSGIEnvironment", *, reads: bool) -> tuple[Lane, Turns]:
        """Return the queue in which a request waits for a thread."""
        reads = reads and environ["REQUEST_METHOD"] in {"GET", "HEAD", "OPTIONS"}
        probes = reads and is_below(environ["PATH_INFO"], "/health") and environ["REQUEST_METHOD"] != "OPTIONS"
        return self._lanes.lane(environ, reads=reads), self._probes if probes else self._requests

    async def _turn(
        self, lane: Lane, turns: Turns, environ: "WSGIEnvironment", body: Body | None, counts: Counts
    ) -> Task:
        """Let a thread answer when the request's turn comes."""
        fresh = environ if body is None else environ | {"wsgi.input": body.opened()}

        def work() -> Any:
            with noted_in(counts):
                return self._wsgi(fresh)

        return await turns.have_done(lane, work, _is_large)

    def _wsgi(self, environ: "WSGIEnvironment") -> Answer:
        """Return the answer of the application. Runs in a thread."""
        answer = Answer(500, [])

        def start_response(status: str, headers: list[tuple[str, str]], *_: Any) -> Any:
            answer.status, answer.headers = int(status[:3]), headers

        parts = self.application(environ, start_response)
        self._lanes.learn(environ)
        bodiless = environ["REQUEST_METHOD"] == "HEAD" or answer.status in {204, 304}
        if isinstance(parts, FileWrapper) and not bodiless:
            answer.file = parts
            return answer
        try:
            answer.parts = [] if bodiless else list(parts)
        finally:
            if hasattr(parts, "close"):
                parts.close()
        return answer

    async def _send(self, connection: Connection, answer: Answer, send: Send, task: Task) -> None:
        headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in answer.headers]
        headers.append((b"Server", b"gunicorn"))
        if not connection.body_has_come:
            headers.append((b"Connection", b"close"))
        connection.release()
        connection.begin_answer()
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        if answer.file is not None:
            while data := answer.file.filelike.read(_STEP_BYTES):
                await send({"type": "http.response.body", "body": data, "more_body": True})
        unsent = answer.size()
        if unsent > _STEP_BYTES:
            connection.hold(unsent)
        step = b""
        for step in answer.steps():
            if unsent <= LARGE_BYTES:
                task.free()
            unsent -= len(step)
            if unsent:
                await send({"type": "http.response.body", "body": step, "more_body": True})
        await send({"type": "http.response.body", "body": step, "more_body": False})

    def refuse(self, connection: Connection, cause: BaseException) -> None:
        """Answer with an error, and close the connection."""
        made = asyncio.get_running_loop().create_task(self._refused(connection, cause))
        self._refusals.add(made)
        made.add_done_callback(self._refusals.discard)

    async def _refused(self, connection: Connection, cause: BaseException) -> None:
        head, (peer, *_) = bytes(connection.head), connection.get_extra_info("peername") or ("",)
        lane = Lane(f"refusals of {peer}", 1)
        task = await self._requests.have_done(lane, lambda: refuse(self.application, head, peer, cause), _is_large)
        answer = task.result.result()
        if isinstance(answer, bytes):
            connection.end_with(answer)
        else:
            logger.error("Error answering a request", exc_info=answer)
            connection.abort()


def _is_large(answer: Any) -> bool:
    return isinstance(answer, Answer) and answer.size() > LARGE_BYTES
