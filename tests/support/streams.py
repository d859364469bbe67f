"""Streams of requests on one connection, byte by byte, with strict parsing of the answers."""

import http.client
import io
import json
import re
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.wire import chunked

TYPES = {
    400: "invalid_request",
    401: "unauthorized",
    404: "not_found",
    405: "method_not_allowed",
    422: "validation_failed",
    429: "rate_limited",
}
"""The error type for each status allowed in a stream."""

SMUGGLED = "Smuggled"
"""The name of a course that a smuggled request would create."""

_STATUS_LINE = re.compile(rb"HTTP/1\.1 ([1-5][0-9][0-9]) [A-Z][A-Za-z -]*\r\n")
_REQUEST_ID = re.compile(r"req_[A-Za-z0-9_-]{24,}")
_PAUSE_SECONDS = 0.01


@dataclass(frozen=True)
class Answer:
    """A well-formed answer with its envelope."""

    status: int
    headers: http.client.HTTPMessage
    body: Any

    @property
    def ends(self) -> bool:
        """Return whether this is the last answer on its connection."""
        return self.headers["Connection"] == "close"


@dataclass(frozen=True)
class Message:
    """A request as written, and its only correct answer.

    Attributes:
        statuses: allowed statuses of the answer.
        name: the member's name in the answer; a body mixed with another's would show.
        ends: whether it must.
        is_head: whether the answer has no body.
    """

    raw: bytes
    statuses: frozenset[int]
    name: str | None = None
    ends: bool = False
    is_head: bool = field(default=False)

    def check(self, answer: Answer) -> None:
        """Check that `answer` is the correct one."""
        assert answer.status in self.statuses, (answer.status, answer.body, self.raw)
        assert self.name is None or answer.body["name"] == self.name, (answer.body, self.raw)
        assert answer.ends or not self.ends, self.raw
        assert self.ends or not answer.ends, self.raw


@dataclass(frozen=True)
class Writer:
    """Writes requests of one member like a proxy that passes them on.

    Attributes:
        secret: the member's key.
        address: the client address that the proxy reports.
    """

    secret: str
    address: str

    def head(self, method: str, target: str, *lines: str, host: str = "Host: 127.0.0.1") -> bytes:
        """The head of a request."""
        fixed = [f"{method} {target} HTTP/1.1", host, f"X-Forwarded-For: {self.address}"]
        return "\r\n".join([*fixed, f"Authorization: Bearer {self.secret}", *lines, "", ""]).encode("latin-1")

    def smuggled(self) -> bytes:
        """A smuggled request, which must never be carried out."""
        body = json.dumps({"name": SMUGGLED}).encode()
        return self.head("POST", "/v1/courses", JSON, f"Content-Length: {len(body)}") + body

    def renamed(self, name: str, sizes: Sequence[int] | None, *lines: str, asks_first: bool = False) -> Message:
        """A request that sets the member's name, in chunks of these sizes or, with None, in one piece."""
        body = json.dumps({"name": name}).encode()
        if asks_first:
            lines = (*lines, "Expect: 100-continue")
        if sizes is None:
            raw = self.head("PATCH", "/v1/me", JSON, f"Content-Length: {len(body)}", *lines) + body
        else:
            raw = self.head("PATCH", "/v1/me", JSON, "Transfer-Encoding: chunked", *lines) + chunked(*cut(body, sizes))
        return Message(raw, frozenset({200}), name=name)

    def last(self) -> Message:
        """A request that asks the server to close the connection."""
        return Message(self.head("GET", "/v1/me", "Connection: close"), frozenset({200}), ends=True)


JSON = "Content-Type: application/json"


def cut(data: bytes, sizes: Sequence[int]) -> list[bytes]:
    """`data` in pieces of these sizes, plus the rest."""
    pieces, rest = [], data
    for size in sizes:
        pieces.append(rest[:size])
        rest = rest[size:]
    return [piece for piece in (*pieces, rest) if piece]


def conversation(port: int, pieces: Sequence[bytes], *, half_close: bool = False, reset: bool = False) -> bytes:
    """Return what the server sends on a connection that receives `pieces`.

    Args:
        half_close: close the sending side afterwards, perhaps in the middle of a request.
        reset: reset the connection afterwards without reading.
    """
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(_PAUSE_SECONDS if len(pieces) > 1 else 0)
            if half_close:
                connection.shutdown(socket.SHUT_WR)
        except OSError:  # the server has closed the connection; its answers have arrived
            pass
        if reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
            return b""
        received = b""
        while part := connection.recv(65_536):
            received += part
        return received


def answers(received: bytes, messages: Sequence[Message] = (), *, pages: bool = False) -> Iterator[Answer]:
    """Parse all answers in `received`. Each must be well-formed, with no bytes left over.

    Args:
        received: all bytes received on a connection.
        messages: the requests, some of which may be HEAD.
        pages: allow answers that are pages, because a mangled request may name one.
    """
    stream = io.BytesIO(received)
    number = 0
    while line := stream.readline():
        found = _STATUS_LINE.fullmatch(line)
        assert found, line
        headers = http.client.parse_headers(stream)
        status = int(found[1])
        if status == 100:
            continue
        is_head = number < len(messages) and messages[number].is_head
        content = b"" if is_head else _content(stream, headers)
        if pages and headers["Content-Type"].startswith("text/html"):
            assert status < 500, content
            yield Answer(status, headers, None)
        else:
            yield _judged(status, headers, content)
        number += 1


def _content(stream: io.BytesIO, headers: http.client.HTTPMessage) -> bytes:
    """Return the body of an answer, which must be complete and have one framing."""
    length, coding = headers["Content-Length"], headers["Transfer-Encoding"]
    assert (length is None) != (coding is None), headers.items()
    if coding is None:
        assert length.isdecimal(), length
        content = stream.read(int(length))
        assert len(content) == int(length), content
        return content
    assert coding == "chunked"
    parts = []
    while size := int(stream.readline(), 16):
        parts.append(stream.read(size))
        assert (len(parts[-1]), stream.read(2)) == (size, b"\r\n")
    assert stream.readline() == b"\r\n"
    return b"".join(parts)


def _judged(status: int, headers: http.client.HTTPMessage, content: bytes) -> Answer:
    assert headers["Content-Type"] == "application/json", headers.items()
    assert _REQUEST_ID.fullmatch(headers["X-Request-Id"]), headers.items()
    body = json.loads(content) if content else None
    assert status == 200 or status in TYPES, (status, content)
    if status != 200 and body is not None:
        error = body["error"]
        assert (error["type"], error["request_id"]) == (TYPES[status], headers["X-Request-Id"]), content
    return Answer(status, headers, body)
