"""Gunicorn's threaded worker, answering JSON where it refuses a request by itself."""

import socket
import time
from contextlib import suppress
from typing import Any

import orjson
from gunicorn.http.errors import LimitRequestHeaders, ParseException
from gunicorn.workers.gthread import _DEFER, ThreadWorker

from studyservice.errors import ApiError, InternalError, InvalidRequest
from studyservice.request_ids import new_request_id

STALL_SECONDS = 10
"""How long a thread waits for the next bytes of a body, or for a client to take those of an answer."""

REQUEST_SECONDS = 120
"""How long a thread goes on reading a body whose bytes keep dripping in."""

MAX_HEAD_BYTES = 64 * 1024
"""How much of a head is kept while its end has not come."""


class JSONErrorWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn is untyped
    """A `gthread` worker whose own refusals carry the error envelope.

    Gunicorn refuses what is not HTTP, or too long a request line or header, before the application sees it.

    A client that stalls is given up, or a few of them would keep every thread: gunicorn by itself waits five seconds
    for the first byte of a connection, and for the rest of a head without end.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._read_until: dict[Any, float] = {}

    def handle(self, conn: Any) -> Any:
        """Serve the next request of a connection once its head has come; until then it waits without a thread."""
        conn.init()
        head = conn.parser.unreader.take_buffered()
        while b"\r\n\r\n" not in head:
            try:
                more = conn.sock.recv(MAX_HEAD_BYTES, socket.MSG_DONTWAIT)
            except BlockingIOError:
                conn.parser.unreader.unread(head)
                # Of a process that is to end gunicorn would try half a head again and again.
                return _DEFER if self.alive or not head else False
            if not more:
                return False
            head += more
            if len(head) > MAX_HEAD_BYTES:
                self.handle_error(None, conn.sock, conn.client, LimitRequestHeaders("no end of the head"))
                return False
        conn.parser.unreader.unread(head)
        return super().handle(conn)

    def murder_pending(self) -> None:
        """Close what waits for too long; the main thread calls this once a second or more often.

        A thread that reads from a connection ended here finds the end of it.
        """
        super().murder_pending()
        now = time.monotonic()
        for conn, until in list(self._read_until.items()):
            if until <= now:
                with suppress(OSError):  # the client closed it meanwhile
                    conn.sock.shutdown(socket.SHUT_RD)

    def handle_request(self, req: Any, conn: Any) -> bool:
        """Answer one request; whether its connection may be used again."""
        self._read_until[conn] = time.monotonic() + REQUEST_SECONDS
        conn.sock.settimeout(STALL_SECONDS)
        try:
            return bool(super().handle_request(req, conn))
        except TimeoutError:
            self.log.warning("Gave up on %s, which stalled", conn.client and conn.client[0])
            return False
        finally:
            del self._read_until[conn]

    def _cap_keepalive(self, deadline: float) -> None:
        """When the process is to end, let connections that wait for a request go by `deadline`.

        Gunicorn does so with those that had one before; it would wait until `graceful_timeout` for the others, and take
        no new ones meanwhile.
        """
        super()._cap_keepalive(deadline)
        for conn in self.pending_conns:
            conn.timeout = min(conn.timeout, deadline)

    def handle_error(self, req: Any, client: socket.socket, addr: Any, exc: BaseException) -> None:
        """Answer a request that could not be parsed, or whose answer failed; then gunicorn closes the connection."""
        error: ApiError
        if isinstance(exc, ParseException):
            error = InvalidRequest("The request is not valid HTTP, or its line or a header is too long.")
            self.log.warning("Refused request from %s: %s", addr and addr[0], type(exc).__name__)
        else:
            error = InternalError()
            self.log.error("Error answering a request", exc_info=exc)
        request_id = new_request_id()
        body = error.envelope()
        body["error"]["request_id"] = request_id
        raw = orjson.dumps(body)
        head = (
            f"HTTP/1.1 {error.status.value} {error.status.phrase}\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(raw)}\r\nX-Request-Id: {request_id}\r\n\r\n"
        )
        try:
            client.sendall(head.encode() + raw)
        except OSError:
            self.log.debug("The client was gone before its error could be sent.")
