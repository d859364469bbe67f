"""Requests written byte by byte to the running service."""

import http.client
import json
import re
import select
import socket
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from tests.support import server as servers

JSON = "Content-Type: application/json"
MIB = 1024 * 1024
COURSE = b'{"name": "Cell Biology"}'


@dataclass(frozen=True)
class Wire:
    """A client that writes requests byte by byte.

    Attributes:
        port: the port of the server.
        secret: an API key of its member Ada.
    """

    port: int
    secret: str

    @classmethod
    def to(cls, server: servers.Server, secret: str) -> "Wire":
        return cls(urlsplit(server.url).port or 0, secret)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)

    def client(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def head(self, method: str, target: str, *lines: str) -> bytes:
        """The head of a request with the member's key."""
        fixed = (f"{method} {target} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {self.secret}")
        return "\r\n".join((*fixed, *lines, "", "")).encode()

    def ask(self, raw: bytes) -> "Response":
        """Send `raw` on a new connection."""
        with self.connect() as connection:
            connection.sendall(raw)
            return received(connection)


@dataclass(frozen=True)
class Response:
    status: int
    headers: http.client.HTTPMessage
    body: Any


def received(connection: socket.socket) -> Response:
    """The next answer on `connection`, whose body must be JSON."""
    answer = http.client.HTTPResponse(connection)
    answer.begin()
    assert answer.headers["Content-Type"] == "application/json"
    return Response(answer.status, answer.headers, json.loads(answer.read()))


def is_envelope(response: Response, error_type: str) -> bool:
    error = response.body["error"]
    assert error["request_id"] == response.headers["X-Request-Id"]
    assert re.fullmatch(r"req_[A-Za-z0-9_-]{24,}", error["request_id"])
    return bool(error["type"] == error_type)


def chunked(*chunks: bytes) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in (*chunks, b""))


def half_sent(wire: Wire, sent: bytes) -> socket.socket:
    """A connection that has sent only `sent`."""
    connection = wire.connect()
    connection.sendall(sent)
    return connection


def half_body(wire: Wire) -> bytes:
    head = wire.head("POST", "/v1/courses", "Content-Type: application/json", "Content-Length: 1000")
    return head + COURSE[:10]


def is_open(connection: socket.socket) -> bool:
    """Return whether the server has neither answered nor closed `connection` so far."""
    readable, _, _ = select.select([connection], [], [], 0)
    return not readable
