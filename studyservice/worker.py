"""Gunicorn's threaded worker, answering JSON where it refuses a request by itself."""

import socket
from typing import Any

import orjson
from gunicorn.http.errors import ParseException
from gunicorn.workers.gthread import ThreadWorker

from studyservice.errors import ApiError, InternalError, InvalidRequest
from studyservice.request_ids import new_request_id

STALL_SECONDS = 10
"""How long a thread waits for the next bytes of a body, or for a client to take those of an answer."""


class JSONErrorWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn is untyped
    """A `gthread` worker whose own refusals carry the error envelope.

    Gunicorn refuses what is not HTTP, or too long a request line or header, before the application sees it.
    """

    def handle_request(self, req: Any, conn: Any) -> bool:
        """Answer one request; whether its connection may be used again.

        A client that stalls is given up, or a few of them would keep every thread.
        """
        conn.sock.settimeout(STALL_SECONDS)
        try:
            return bool(super().handle_request(req, conn))
        except TimeoutError:
            self.log.warning("Gave up on %s, which stalled", conn.client and conn.client[0])
            return False

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
