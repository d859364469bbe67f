"""The service as in production: gunicorn on loopback with its own database."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test.client import MULTIPART_CONTENT

from tests.support import server as servers
from tests.support.archives import lines_of
from tests.support.calendar_files import one_deadline
from tests.support.cases import each
from tests.support.server import ADA
from tests.support.streams import conversation
from tests.support.uploads import multipart
from tests.support.wire import COURSE, MIB, Wire, chunked, half_body, half_sent, is_envelope, is_open, received

pytestmark = pytest.mark.database("sqlite", "server connections")

THREADS = settings.WEB_THREADS
JSON_COURSE = ("Content-Type: application/json", f"Content-Length: {len(COURSE)}")


HEALTH = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


@pytest.fixture(scope="module")
def wire(server: servers.Server) -> Wire:
    """Connects to the shared server, which no test may damage."""
    return Wire.to(server, server.command("createapikey", ADA, "live")["api_key"])


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[servers.Server]:
    """A server for this test."""
    with servers.running(tmp_path) as running:
        yield running


def test_a_chunked_body_is_read(wire: Wire) -> None:
    head = wire.head("POST", "/v1/courses", "Content-Type: application/json", "Transfer-Encoding: chunked")
    response = wire.ask(head + chunked(COURSE[:7], COURSE[7:]))
    assert (response.status, response.body["name"]) == (201, "Cell Biology")


def test_a_chunked_body_over_the_limit_is_400(wire: Wire) -> None:
    head = wire.head("PATCH", "/v1/me", "Content-Type: application/json", "Transfer-Encoding: chunked")
    response = wire.ask(head + chunked(*[b" " * 65_536] * 17, COURSE))
    assert response.status == 400
    assert is_envelope(response, "invalid_request")


@each("content_type", ["text/calendar", MULTIPART_CONTENT])
def test_a_chunked_file_may_be_larger_than_other_bodies(wire: Wire, content_type: str) -> None:
    made = wire.head("POST", "/v1/courses", "Content-Type: application/json", f"Content-Length: {len(COURSE)}") + COURSE
    course = wire.ask(made).body["id"]
    path = f"/v1/courses/{course}/calendar"
    head = wire.head("POST", path, f"Content-Type: {content_type}", "Transfer-Encoding: chunked")
    statuses = []
    for size in (MIB + 500_000, 2 * MIB + 100_000):
        file = one_deadline().replace(b"END:VCALENDAR", b"X-PAD:" + b"x" * size + b"\r\nEND:VCALENDAR")
        data = file if content_type == "text/calendar" else multipart(file)
        parts = [data[start : start + 65_536] for start in range(0, len(data), 65_536)]
        statuses.append(wire.ask(head + chunked(*parts)).status)
    assert statuses == [200, 400]


def test_a_file_is_sent_completely_and_its_connection_kept(wire: Wire) -> None:
    """It is sent from a file, at the speed of the client."""
    assert wire.ask(wire.head("POST", "/v1/courses", *JSON_COURSE) + COURSE).status == 201
    client = wire.client()
    lengths = []
    for method in ("GET", "HEAD", "GET"):
        client.request(method, "/v1/export", headers={"Authorization": f"Bearer {wire.secret}"})
        response = client.getresponse()
        content = response.read()
        assert (response.status, response.headers["Content-Type"]) == (200, "application/octet-stream")
        lengths.append((len(content), int(response.headers["Content-Length"])))
        if method == "GET":
            assert lines_of(content, "courses")
    client.close()
    assert [length for length, told in lengths if length != told] == [0]


def test_an_archive_may_be_larger_than_the_request_buffer(wire: Wire) -> None:
    """The account has a course, so the completely uploaded archive is rejected."""
    assert wire.ask(wire.head("POST", "/v1/courses", *JSON_COURSE) + COURSE).status == 201
    form = multipart(bytes(20 * MIB))
    headers = {"Authorization": f"Bearer {wire.secret}", "Content-Type": MULTIPART_CONTENT}
    client = wire.client()
    client.request("POST", "/v1/import", form, headers)
    response = client.getresponse()
    assert (response.status, b"has some" in response.read()) == (409, True)
    client.close()


def test_a_query_of_5000_characters_is_answered(wire: Wire) -> None:
    assert wire.ask(wire.head("GET", "/v1/me?unknown=" + "x" * 5000)).status == 200


def test_a_header_of_9000_characters_is_answered(wire: Wire) -> None:
    assert wire.ask(wire.head("GET", "/v1/me", "X-Long: " + "x" * 9000)).status == 200


@each(
    "raw",
    [
        b"GET /v1/me?" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: " + b"x" * 40_000 + b"\r\n\r\n",
        b"GET /v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X-Many: 1\r\n" * 200 + b"\r\n",
        b"\x16\x03\x01\x02garbage\r\n\r\n",
        b"GET\r\n\r\n",
        b" /v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"G(T /v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"G\xc9T /v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /v1/me HTTP/1.1\r\nX-Endless: " + b"x" * 70_000,
        b"GET /v1/me HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
        b"GET /v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\nbad header\r\n\r\n",
        b"GET /v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Nul: a\0b\r\n\r\n",
        b"POST /v1/courses HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/courses HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12",
    ],
)
def test_requests_rejected_by_gunicorn_are_400_in_json(wire: Wire, raw: bytes) -> None:
    response = wire.ask(raw)
    assert response.status == 400
    assert is_envelope(response, "invalid_request")
    assert response.headers["Connection"] == "close"


@each("method", ["patch", "Get", "head", "x", "M-SEARCH", "#", "BREW" * 2000])
def test_a_method_that_does_not_exist_is_405(wire: Wire, method: str) -> None:
    """Methods are case-sensitive (RFC 9110 section 9.1)."""
    response = wire.ask(wire.head(method, "/v1/me"))
    assert (response.status, response.headers["Allow"]) == (405, "GET, HEAD, PATCH")
    assert is_envelope(response, "method_not_allowed")
    assert response.headers["RateLimit-Limit"] == "120"
    assert wire.ask(wire.head(method, "/mcp")).status == 405


@each("path", ["/openapi.json", "/oauth/token", "/health", "/static/studyservice/icon.svg"])
def test_a_method_that_does_not_exist_is_405_outside_the_api(wire: Wire, path: str) -> None:
    client = wire.client()
    client.request("get", path)
    answer = client.getresponse()
    answer.read()
    client.close()
    assert (answer.status, "GET" in answer.headers["Allow"]) == (405, path != "/oauth/token")


def test_a_broken_chunk_is_400_in_json(wire: Wire) -> None:
    head = wire.head("POST", "/v1/courses", "Content-Type: application/json", "Transfer-Encoding: chunked")
    response = wire.ask(head + b"xyz\r\nbroken\r\n")
    assert response.status == 400
    assert is_envelope(response, "invalid_request")
    assert response.headers["Connection"] == "close"


def test_a_connection_is_kept_after_a_rejected_body(wire: Wire) -> None:
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


def test_a_half_sent_body_does_not_block_others(wire: Wire) -> None:
    with half_sent(wire, half_body(wire)) as waiting:
        assert wire.ask(wire.head("GET", "/v1/me")).status == 200
        assert is_open(waiting)  # it did not have to be aborted for that


@each("sent", [0, 1, 40, -2])
def test_half_sent_heads_block_no_thread(wire: Wire, sent: int) -> None:
    head = wire.head("GET", "/v1/me")
    waiting = [half_sent(wire, head[:sent]) for _ in range(THREADS * 2)]
    assert wire.ask(head).status == 200
    assert all(is_open(connection) for connection in waiting)  # none had to be aborted for that
    waiting[0].sendall(head[sent:])
    assert received(waiting[0]).status == 200
    for connection in waiting:
        connection.close()


def test_a_partial_head_after_a_body_is_waited_for(wire: Wire) -> None:
    post = wire.head("POST", "/v1/courses", "Content-Type: application/json", f"Content-Length: {len(COURSE)}")
    head = wire.head("GET", "/v1/me")
    with half_sent(wire, post + COURSE + head[:40]) as connection:
        assert received(connection).status == 201
        connection.sendall(head[40:])
        assert received(connection).status == 200


def test_stopping_finishes_the_running_request(own_server: servers.Server) -> None:
    """An idle connection does not delay it."""
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


def test_health_is_200_with_the_database(wire: Wire) -> None:
    response = wire.ask(HEALTH)
    assert (response.status, response.body) == (200, {"status": "ok"})


def test_health_is_503_without_the_database(tmp_path: Path) -> None:
    with servers.started(tmp_path, "postgres://nobody@127.0.0.1:9/none") as alone:
        response = Wire.to(alone, "").ask(HEALTH)
    assert (response.status, response.body) == (503, {"status": "down"})


@each("following", [b"\x16\x03\x01\r\n\r\n", b"GET / HTTP/9\r\n\r\n", HEALTH])
def test_a_reset_before_the_next_request_is_no_error(tmp_path: Path, following: bytes) -> None:
    """Gunicorn may begin with a request that came before the reset."""
    with servers.running(tmp_path) as running:
        port = urlsplit(running.url).port or 0
        for _ in range(20):
            conversation(port, [HEALTH + following], reset=True)
        assert conversation(port, [HEALTH], half_close=True).startswith(b"HTTP/1.1 200 ")
    assert "Traceback" not in (tmp_path / "server.log").read_text()
