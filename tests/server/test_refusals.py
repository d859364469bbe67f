"""Requests that the server rejects before the application runs."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import server as servers
from tests.support.cases import each
from tests.support.streams import answers, conversation
from tests.support.wire import Wire, is_envelope, received

pytestmark = pytest.mark.database("sqlite", "HTTP framing")

SENT = "\r\nHost: 127.0.0.1\r\nOrigin: https://app.example\r\n"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("refusals")


@pytest.fixture(scope="module")
def wire(directory: Path) -> Iterator[Wire]:
    with servers.running(directory, LOG_FORMAT="json") as running:
        yield Wire.to(running, "")


def logged(directory: Path, request_id: str) -> list[dict[str, object]]:
    lines = (directory / "server.log").read_text().splitlines()
    entries = [json.loads(line) for line in lines if line.startswith("{")]
    return [entry for entry in entries if entry["request_id"] == request_id]


def test_a_rejection_is_logged_with_its_id(wire: Wire, directory: Path) -> None:
    response = wire.ask(b"GET /v1/me HTTP/1.1\r\nHost: 127.0.0.1\r\nbad header\r\n\r\n")
    why, line = logged(directory, response.headers["X-Request-Id"])
    assert "400 Bad Request" in str(why["message"])
    assert (line["method"], line["path"], line["status"], line["error"]) == ("GET", "/v1/me", 400, "invalid_request")


@each("path", ["/v1/me", "/mcp", "/v1/nothing"])
def test_a_rejection_has_the_headers_of_every_answer(wire: Wire, path: str) -> None:
    refused = wire.ask(f"GET {path} HTTP/1.1{SENT}bad header\r\n\r\n".encode())
    answered = wire.ask(f"GET {path} HTTP/1.1{SENT}\r\n".encode())
    assert refused.status == 400
    assert is_envelope(refused, "invalid_request")
    own = {"connection", "server", "www-authenticate", "allow"}
    assert {name.lower() for name in answered.headers} - own <= {name.lower() for name in refused.headers}
    assert refused.headers["Access-Control-Allow-Origin"] == "*"


def test_rejections_count_against_the_address(wire: Wire) -> None:
    broken = f"GET /v1/me HTTP/1.1{SENT}bad header\r\n\r\n".encode()
    first, second = (int(wire.ask(broken).headers["RateLimit-Remaining"]) for _ in range(2))
    assert first == second + 1


def test_a_connection_without_an_address_is_answered_with_an_id(wire: Wire) -> None:
    assert is_envelope(wire.ask(b"\x16\x03\x01\x02garbage\r\n\r\n"), "invalid_request")


def test_http_1_1_without_a_host_is_400(wire: Wire) -> None:
    for host in ("", "Host:\r\n"):
        response = wire.ask(f"GET /health HTTP/1.1\r\n{host}\r\n".encode())
        assert (response.status, is_envelope(response, "invalid_request")) == (400, True)


def test_http_1_0_without_a_host_is_answered(wire: Wire) -> None:
    assert wire.ask(b"GET /v1/me HTTP/1.0\r\n\r\n").status == 401


def test_a_broken_request_for_a_static_file_is_not_answered_with_it(wire: Wire) -> None:
    with wire.connect() as connection:
        connection.sendall(b"GET /static/studyservice/icon.svg HTTP/1.1\r\nHost: 127.0.0.1\r\nbad header\r\n\r\n")
        assert is_envelope(received(connection), "invalid_request")


def test_a_rejection_after_an_answer_is_not_logged_with_the_path_of_that(wire: Wire, directory: Path) -> None:
    first, broken = f"GET /v1/me HTTP/1.1{SENT}\r\n", f"GET /v1/items HTTP/1.1{SENT}bad header\r\n\r\n"
    answered, refused = answers(conversation(wire.port, [(first + broken).encode()]))
    assert answered.status == 401
    *_, line = logged(directory, refused.headers["X-Request-Id"])
    assert (line["path"], line["status"]) == ("/v1", 400)


def test_a_websocket_is_rejected(wire: Wire) -> None:
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    response = wire.ask(f"GET /v1/me HTTP/1.1{SENT}{upgrade}Sec-WebSocket-Key: {'A' * 22}==\r\n\r\n".encode())
    assert (response.status, is_envelope(response, "invalid_request")) == (400, True)
