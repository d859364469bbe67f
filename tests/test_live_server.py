"""The service as it runs: gunicorn on loopback with a database of its own."""

import http.client
import json
import re
import signal
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests import server as servers
from tests.databases import copied
from tests.server import ADA

THREADS = 4
MIB = 1024 * 1024


@dataclass(frozen=True)
class Wire:
    """A client that writes requests byte by byte.

    Attributes:
        port: where the server listens.
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
        """Send `raw` on a connection of its own."""
        with self.connect() as connection:
            connection.sendall(raw)
            return received(connection)


@dataclass(frozen=True)
class Response:
    status: int
    headers: http.client.HTTPMessage
    body: Any


def received(connection: socket.socket) -> Response:
    """The next answer on `connection`; its body must be JSON."""
    answer = http.client.HTTPResponse(connection)
    answer.begin()
    assert answer.headers["Content-Type"] == "application/json"
    return Response(answer.status, answer.headers, json.loads(answer.read()))


HEALTH = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.fixture(scope="module")
def wire(server: servers.Server) -> Wire:
    """To the server that every test may ask and none may harm."""
    return Wire.to(server, server.command("createapikey", ADA, "live")["api_key"])


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[servers.Server]:
    """A server of this test's own."""
    with servers.running(tmp_path) as running:
        yield running


def is_envelope(response: Response, error_type: str) -> bool:
    error = response.body["error"]
    assert error["request_id"] == response.headers["X-Request-Id"]
    assert re.fullmatch(r"req_[A-Za-z0-9_-]{24,}", error["request_id"])
    return bool(error["type"] == error_type)


COURSE = b'{"name": "Cell Biology"}'


def chunked(*chunks: bytes) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in (*chunks, b""))


def test_a_chunked_body_is_read_like_any_other(wire: Wire) -> None:
    head = wire.head("POST", "/v1/courses", "Content-Type: application/json", "Transfer-Encoding: chunked")
    response = wire.ask(head + chunked(COURSE[:7], COURSE[7:]))
    assert (response.status, response.body["name"]) == (201, "Cell Biology")


def test_a_chunked_body_over_the_limit_is_400(wire: Wire) -> None:
    head = wire.head("POST", "/v1/courses", "Content-Type: application/json", "Transfer-Encoding: chunked")
    response = wire.ask(head + chunked(*[b" " * 65_536] * 17, COURSE))
    assert response.status == 400
    assert is_envelope(response, "invalid_request")


def test_a_query_of_5000_characters_is_answered(wire: Wire) -> None:
    assert wire.ask(wire.head("GET", "/v1/me?unknown=" + "x" * 5000)).status == 200


def test_a_header_of_9000_characters_is_answered(wire: Wire) -> None:
    assert wire.ask(wire.head("GET", "/v1/me", "X-Long: " + "x" * 9000)).status == 200


@pytest.mark.parametrize(
    "raw",
    [
        b"GET /v1/me?" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + b"x" * 40_000 + b"\r\n\r\n",
        b"GET /v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X-Many: 1\r\n" * 200 + b"\r\n",
        b"\x16\x03\x01\x02garbage\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /v1/me HTTP/1.1\r\nX-Endless: " + b"x" * 70_000,
        b"GET /v1/me HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\nbad header\r\n\r\n",
        b"GET /v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Nul: a\0b\r\n\r\n",
        b"POST /v1/courses HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/courses HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12",
    ],
    ids=range(11),
)
def test_what_gunicorn_refuses_is_400_in_json(wire: Wire, raw: bytes) -> None:
    response = wire.ask(raw)
    assert response.status == 400
    assert is_envelope(response, "invalid_request")
    assert response.headers["Connection"] == "close"


def test_a_broken_chunk_is_400_in_json(wire: Wire) -> None:
    head = wire.head("POST", "/v1/courses", "Content-Type: application/json", "Transfer-Encoding: chunked")
    response = wire.ask(head + b"xyz\r\nbroken\r\n")
    assert response.status == 400
    assert is_envelope(response, "invalid_request")


def test_a_connection_is_kept_after_a_refused_body(wire: Wire) -> None:
    client = wire.client()
    headers = {"Authorization": f"Bearer {wire.secret}", "Content-Type": "application/json"}
    client.request("POST", "/v1/courses", b" " * (2 * MIB), headers)
    refused = client.getresponse()
    assert (refused.status, json.loads(refused.read())["error"]["type"]) == (400, "invalid_request")
    for _ in range(2):
        client.request("GET", "/v1/me", headers=headers)
        answer = client.getresponse()
        assert (answer.status, json.loads(answer.read())["email"]) == (200, ADA)
    client.close()


def half_sent(wire: Wire, sent: bytes) -> socket.socket:
    """A connection that stops after `sent`."""
    connection = wire.connect()
    connection.sendall(sent)
    return connection


def half_body(wire: Wire) -> bytes:
    head = wire.head("POST", "/v1/courses", "Content-Type: application/json", "Content-Length: 1000")
    return head + COURSE[:10]


def test_a_half_sent_body_does_not_block_others(wire: Wire) -> None:
    with half_sent(wire, half_body(wire)):
        started = time.monotonic()
        assert wire.ask(wire.head("GET", "/v1/me")).status == 200
        assert time.monotonic() - started < 5


def test_half_sent_bodies_on_every_thread_are_given_up(wire: Wire) -> None:
    waiting = [half_sent(wire, half_body(wire)) for _ in range(THREADS)]
    assert wire.ask(wire.head("GET", "/v1/me")).status == 200
    answers = [received(connection) for connection in waiting]
    assert [answer.status for answer in answers] == [400] * THREADS
    assert all(is_envelope(answer, "invalid_request") for answer in answers)
    for connection in waiting:
        connection.close()


@pytest.mark.parametrize("sent", [0, 1, 40, -2])
def test_half_sent_heads_hold_no_thread(wire: Wire, sent: int) -> None:
    head = wire.head("GET", "/v1/me")
    waiting = [half_sent(wire, head[:sent]) for _ in range(THREADS * 2)]
    started = time.monotonic()
    assert wire.ask(head).status == 200
    assert time.monotonic() - started < 5  # as long as gunicorn by itself waits for a first byte
    waiting[0].sendall(head[sent:])
    assert received(waiting[0]).status == 200
    for connection in waiting:
        connection.close()


def test_a_head_that_begins_with_the_body_before_it_is_waited_for(wire: Wire) -> None:
    post = wire.head("POST", "/v1/courses", "Content-Type: application/json", f"Content-Length: {len(COURSE)}")
    head = wire.head("GET", "/v1/me")
    with half_sent(wire, post + COURSE + head[:40]) as connection:
        assert received(connection).status == 201
        connection.sendall(head[40:])
        assert received(connection).status == 200


def test_stopping_finishes_the_running_request(own_server: servers.Server) -> None:
    """And is not held up by a connection that sends nothing."""
    secret = own_server.command("createmember", ADA, "--api-key", "live")["api_key"]
    wire = Wire.to(own_server, secret)
    head = wire.head("POST", "/v1/courses", "Content-Type: application/json", f"Content-Length: {len(COURSE)}")
    with wire.connect(), wire.connect() as connection:
        connection.sendall(head + COURSE[:10])
        time.sleep(0.5)
        own_server.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        connection.sendall(COURSE[10:])
        response = received(connection)
        assert own_server.process.wait(timeout=15) == 0
    assert (response.status, response.body["name"]) == (201, "Cell Biology")


def test_a_body_that_drips_in_is_given_up(tmp_path: Path) -> None:
    """In a second here, where the service has two minutes."""
    config = tmp_path / "gunicorn.py"
    config.write_text(
        "from studyservice.gunicorn import *\nfrom studyservice import worker\nworker.REQUEST_SECONDS = 1"
    )
    with copied(f"drip_{tmp_path.name}", tmp_path) as url, servers.started(tmp_path, url, str(config)) as own:
        wire = Wire.to(own, own.command("createmember", ADA, "--api-key", "live")["api_key"])
        with half_sent(wire, half_body(wire)) as connection:
            connection.settimeout(0.2)
            for _ in range(40):
                connection.sendall(b" ")
                try:
                    connection.recv(1, socket.MSG_PEEK)
                except TimeoutError:
                    continue
                break
            else:
                pytest.fail("It is still waited for.")
            connection.settimeout(60)
            assert is_envelope(received(connection), "invalid_request")


def test_health_is_200_with_the_database(wire: Wire) -> None:
    response = wire.ask(HEALTH)
    assert (response.status, response.body) == (200, {"status": "ok"})


def test_health_is_503_without_the_database(tmp_path: Path) -> None:
    with servers.started(tmp_path, "postgres://nobody@127.0.0.1:9/none") as alone:
        response = Wire.to(alone, "").ask(HEALTH)
    assert (response.status, response.body) == (503, {"status": "down"})
