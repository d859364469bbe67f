"""The service as it runs: gunicorn on loopback with a database of its own."""

import http.client
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
THREADS = 4
MIB = 1024 * 1024


@dataclass
class Server:
    """A running server.

    Attributes:
        process: gunicorn's master.
        port: where it listens.
        secret: an API key of its only member.
    """

    process: subprocess.Popen[bytes]
    port: int
    secret: str

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


def environment(data: Path, port: int, **extra: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "SECRET_KEY": secrets.token_urlsafe(64),
        "BASE_URL": f"http://127.0.0.1:{port}",
        "PORT": str(port),
        "DATA_DIR": str(data),
        "EMAIL_URL": "consolemail://",
        "WEB_THREADS": str(THREADS),
        "LOG_FORMAT": "json",
    } | extra


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def run(command: list[str], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # commands of this file
        [sys.executable, *command], cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False
    )


GUNICORN = ["-m", "gunicorn", "-c", "studyservice/gunicorn.py", "studyservice.wsgi"]


def start(data: Path) -> Server:
    """A server with a fresh SQLite database and one member."""
    data.mkdir()
    port = free_port()
    env = environment(data, port)
    assert run(["manage.py", "migrate", "--verbosity", "0"], env).returncode == 0
    made = run(["manage.py", "createmember", "live@example.org", "--api-key", "live", "--json"], env)
    return serve(env, data, port, json.loads(made.stdout)["api_key"])


HEALTH = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def serve(env: dict[str, str], data: Path, port: int, secret: str) -> Server:
    """Start gunicorn and wait until it answers."""
    with (data / "log").open("wb") as log:
        process = subprocess.Popen(  # a fixed command
            [sys.executable, *GUNICORN], cwd=ROOT, env=env, stdout=log, stderr=log
        )
    server = Server(process, port, secret)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            server.ask(HEALTH)
        except OSError:
            time.sleep(0.1)
        else:
            return server
    raise TimeoutError((data / "log").read_text())


def stop(server: Server) -> None:
    server.process.terminate()
    try:
        server.process.wait(timeout=40)
    except subprocess.TimeoutExpired:
        server.process.kill()
        server.process.wait(timeout=10)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that every test may ask and none may harm. A connection that sends nothing does not hold up its end."""
    running = start(tmp_path_factory.mktemp("live") / "data")
    with running.connect():
        yield running
        started = time.monotonic()
        stop(running)
    assert time.monotonic() - started < 15


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server of this test's own."""
    running = start(tmp_path / "data")
    yield running
    stop(running)


def is_envelope(response: Response, error_type: str) -> bool:
    error = response.body["error"]
    assert error["request_id"] == response.headers["X-Request-Id"]
    assert re.fullmatch(r"req_[A-Za-z0-9_-]{24,}", error["request_id"])
    return bool(error["type"] == error_type)


COURSE = b'{"name": "Cell Biology"}'


def chunked(*chunks: bytes) -> bytes:
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in (*chunks, b""))


def test_a_chunked_body_is_read_like_any_other(server: Server) -> None:
    head = server.head("POST", "/v1/courses", "Content-Type: application/json", "Transfer-Encoding: chunked")
    response = server.ask(head + chunked(COURSE[:7], COURSE[7:]))
    assert (response.status, response.body["name"]) == (201, "Cell Biology")


def test_a_chunked_body_over_the_limit_is_400(server: Server) -> None:
    head = server.head("POST", "/v1/courses", "Content-Type: application/json", "Transfer-Encoding: chunked")
    response = server.ask(head + chunked(*[b" " * 65_536] * 17, COURSE))
    assert response.status == 400
    assert is_envelope(response, "invalid_request")


def test_a_query_of_5000_characters_is_answered(server: Server) -> None:
    assert server.ask(server.head("GET", "/v1/me?unknown=" + "x" * 5000)).status == 200


def test_a_header_of_9000_characters_is_answered(server: Server) -> None:
    assert server.ask(server.head("GET", "/v1/me", "X-Long: " + "x" * 9000)).status == 200


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
def test_what_gunicorn_refuses_is_400_in_json(server: Server, raw: bytes) -> None:
    response = server.ask(raw)
    assert response.status == 400
    assert is_envelope(response, "invalid_request")
    assert response.headers["Connection"] == "close"


def test_a_broken_chunk_is_400_in_json(server: Server) -> None:
    head = server.head("POST", "/v1/courses", "Content-Type: application/json", "Transfer-Encoding: chunked")
    response = server.ask(head + b"xyz\r\nbroken\r\n")
    assert response.status == 400
    assert is_envelope(response, "invalid_request")


def test_a_connection_is_kept_after_a_refused_body(server: Server) -> None:
    client = server.client()
    headers = {"Authorization": f"Bearer {server.secret}", "Content-Type": "application/json"}
    client.request("POST", "/v1/courses", b" " * (2 * MIB), headers)
    refused = client.getresponse()
    assert (refused.status, json.loads(refused.read())["error"]["type"]) == (400, "invalid_request")
    for _ in range(2):
        client.request("GET", "/v1/me", headers=headers)
        answer = client.getresponse()
        assert (answer.status, json.loads(answer.read())["email"]) == (200, "live@example.org")
    client.close()


def half_sent(server: Server, sent: bytes) -> socket.socket:
    """A connection that stops after `sent`."""
    connection = server.connect()
    connection.sendall(sent)
    return connection


def half_body(server: Server) -> bytes:
    head = server.head("POST", "/v1/courses", "Content-Type: application/json", "Content-Length: 1000")
    return head + COURSE[:10]


def test_a_half_sent_body_does_not_block_others(server: Server) -> None:
    with half_sent(server, half_body(server)):
        started = time.monotonic()
        assert server.ask(server.head("GET", "/v1/me")).status == 200
        assert time.monotonic() - started < 5


def test_half_sent_bodies_on_every_thread_are_given_up(server: Server) -> None:
    waiting = [half_sent(server, half_body(server)) for _ in range(THREADS)]
    assert server.ask(server.head("GET", "/v1/me")).status == 200
    answers = [received(connection) for connection in waiting]
    assert [answer.status for answer in answers] == [400] * THREADS
    assert all(is_envelope(answer, "invalid_request") for answer in answers)
    for connection in waiting:
        connection.close()


@pytest.mark.parametrize("sent", [0, 1, 40, -2])
def test_half_sent_heads_hold_no_thread(server: Server, sent: int) -> None:
    head = server.head("GET", "/v1/me")
    waiting = [half_sent(server, head[:sent]) for _ in range(THREADS * 2)]
    started = time.monotonic()
    assert server.ask(head).status == 200
    assert time.monotonic() - started < 5  # as long as gunicorn by itself waits for a first byte
    waiting[0].sendall(head[sent:])
    assert received(waiting[0]).status == 200
    for connection in waiting:
        connection.close()


def test_a_head_that_begins_with_the_body_before_it_is_waited_for(server: Server) -> None:
    post = server.head("POST", "/v1/courses", "Content-Type: application/json", f"Content-Length: {len(COURSE)}")
    head = server.head("GET", "/v1/me")
    with half_sent(server, post + COURSE + head[:40]) as connection:
        assert received(connection).status == 201
        connection.sendall(head[40:])
        assert received(connection).status == 200


def test_several_processes_without_redis_are_refused(tmp_path: Path) -> None:
    """Decisions 1, Shared counters."""
    outcome = run(GUNICORN, environment(tmp_path, free_port(), WEB_CONCURRENCY="2"))
    assert outcome.returncode != 0
    assert "WEB_CONCURRENCY is 2 but REDIS_URL is not set" in outcome.stderr


def test_stopping_finishes_the_running_request(own_server: Server) -> None:
    head = own_server.head("POST", "/v1/courses", "Content-Type: application/json", f"Content-Length: {len(COURSE)}")
    with own_server.connect() as connection:
        connection.sendall(head + COURSE[:10])
        time.sleep(0.5)
        own_server.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        connection.sendall(COURSE[10:])
        response = received(connection)
    assert (response.status, response.body["name"]) == (201, "Cell Biology")
    assert own_server.process.wait(timeout=40) == 0


def test_health_is_200_with_the_database(server: Server) -> None:
    response = server.ask(HEALTH)
    assert (response.status, response.body) == (200, {"status": "ok"})


def test_health_is_503_without_the_database(tmp_path: Path) -> None:
    port = free_port()
    env = environment(tmp_path, port, DATABASE_URL=f"postgres://nobody@127.0.0.1:{free_port()}/none")
    server = serve(env, tmp_path, port, "svc_sk_none")
    response = server.ask(HEALTH)
    stop(server)
    assert (response.status, response.body) == (503, {"status": "down"})
