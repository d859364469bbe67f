"""Bodies on the wire: how they are received, and what of them."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings

from tests.support import server as servers
from tests.support.cases import each
from tests.support.server import ADA
from tests.support.wire import COURSE, JSON, MIB, Wire, chunked, half_body, half_sent, is_envelope, is_open, received
from tools.bench import machine
from tools.bench.servers import wait_until

pytestmark = pytest.mark.database("sqlite", "HTTP framing")

THREADS = settings.WEB_THREADS
CHUNKED = "Transfer-Encoding: chunked"


@pytest.fixture(scope="module")
def wire(server: servers.Server) -> Wire:
    return Wire.to(server, server.command("createapikey", ADA, "bodies")["api_key"])


@pytest.fixture
def fresh(server: servers.Server) -> Wire:
    """A POST with a new key."""
    return Wire.to(server, server.command("createapikey", ADA, "fresh")["api_key"])


@pytest.fixture
def connection(wire: Wire) -> Iterator[socket.socket]:
    with wire.connect() as connection:
        yield connection


@each("framing", [CHUNKED, "Content-Length: 1000"])
def test_half_sent_bodies_block_no_thread(wire: Wire, framing: str) -> None:
    waiting = [half_sent(wire, wire.head("POST", "/v1/courses", JSON, framing)) for _ in range(THREADS * 2)]
    assert wire.ask(wire.head("GET", "/v1/me")).status == 200
    assert all(is_open(connection) for connection in waiting)  # none had to be closed for that
    for connection in waiting:
        connection.close()


@pytest.mark.parametrize("pieces", [1, 2, 7])
def test_a_body_that_arrives_later_is_read(connection: socket.socket, wire: Wire, pieces: int) -> None:
    for framing, body in ((f"Content-Length: {len(COURSE)}", COURSE), (CHUNKED, chunked(COURSE[:9], COURSE[9:]))):
        connection.sendall(wire.head("POST", "/v1/courses", JSON, framing))
        for start in range(0, len(body), step := -(-len(body) // pieces)):
            time.sleep(0.1)
            connection.sendall(body[start : start + step])
        response = received(connection)
        assert (response.status, response.body["name"]) == (201, "Cell Biology")


@each("is_chunked", [False, True])
def test_a_complete_syllabus_is_accepted_but_nothing_larger(wire: Wire, is_chunked: bool) -> None:
    """500,000 characters escaped in JSON. Over 8 MiB, or over 1 MiB without a syllabus, is rejected."""
    syllabus = b'{"name": "Cell Biology", "syllabus_text": "' + rb"\u0416" * 500_000 + b'"}'

    def answered(path: str, body: bytes) -> int:
        pieces = [body[start : start + 16_384] for start in range(0, len(body), 16_384)]
        framing = CHUNKED if is_chunked else f"Content-Length: {len(body)}"
        with wire.connect() as connection:
            head = wire.head("POST", path, JSON, framing)
            connection.sendall(head + (chunked(*pieces) if is_chunked else body))
            return received(connection).status

    assert answered("/v1/courses", syllabus) == 201
    assert answered("/v1/courses", syllabus + b" " * (8 * MIB - len(syllabus))) == 201
    assert answered("/v1/courses", syllabus + b" " * (8 * MIB - len(syllabus) + 1)) == 400
    assert answered(f"/v1/courses/{uuid4()}/items", b"{}" + b" " * MIB) == 400
    assert answered(f"/v1/vocab-decks/{uuid4()}/cards", b"{}" + b" " * MIB) == 404


def test_a_request_counts_once_even_if_its_body_arrives_later(fresh: Wire) -> None:
    with half_sent(fresh, half_body(fresh)) as connection:
        time.sleep(0.5)
        connection.sendall(COURSE[10:] + b" " * (1000 - len(COURSE)))
        response = received(connection)
    assert (response.status, response.headers["RateLimit-Remaining"]) == (201, "119")
    assert fresh.ask(fresh.head("GET", "/v1/me")).headers["RateLimit-Remaining"] == "118"


def test_a_client_that_asks_first_may_continue(connection: socket.socket, wire: Wire) -> None:
    length = f"Content-Length: {len(COURSE)}"
    connection.sendall(wire.head("POST", "/v1/courses", JSON, length, "Expect: 100-continue"))
    assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    connection.sendall(COURSE)
    assert received(connection).status == 201


def test_a_client_that_asks_first_with_too_large_a_body_is_not_told_to_send_it(wire: Wire) -> None:
    length = f"Content-Length: {20 * MIB}"
    with half_sent(wire, wire.head("POST", "/v1/courses", JSON, length, "Expect: 100-continue")) as connection:
        response = received(connection)
    assert (response.status, response.headers["Connection"]) == (400, "close")


@each("framing", [CHUNKED, f"Content-Length: {100 * MIB}"])
def test_a_body_that_is_far_too_large_is_rejected_before_its_end(wire: Wire, framing: str) -> None:
    sent = 0
    with half_sent(wire, wire.head("PATCH", "/v1/me", JSON, framing)) as connection:
        while is_open(connection) and sent < 64 * MIB:
            connection.sendall(b"10000\r\n" + b" " * 65_536 + b"\r\n" if framing == CHUNKED else b" " * 65_536)
            sent += 65_536
        assert is_envelope(received(connection), "invalid_request")
    assert sent < 32 * MIB


def test_bodies_of_files_are_received_on_disk(wire: Wire, server: servers.Server) -> None:
    """Not in `TMPDIR`, which is in memory on many systems, and without a name that could stay."""
    [worker] = machine.children(server.process.pid)
    data = Path(server.environment["DATA_DIR"])
    before = set(data.iterdir())

    def unnamed() -> list[str]:
        files = (str(file.readlink()) for file in Path(f"/proc/{worker}/fd").iterdir())
        return [file for file in files if file.startswith(str(data)) and file.endswith("(deleted)")]

    with half_sent(wire, wire.head("POST", "/v1/import", f"Content-Length: {20 * MIB}") + b" " * (5 * MIB)):
        wait_until("its file", unnamed)
        assert set(data.iterdir()) == before


def test_an_error_is_seen_although_the_body_is_long(wire: Wire) -> None:
    """It is received, so that the connection is not reset before the answer is seen."""
    head = Wire(wire.port, "svc_sk_wrong").head("POST", "/v1/courses", JSON, f"Content-Length: {6 * MIB}")
    with wire.connect() as connection:
        connection.sendall(head + b" " * (6 * MIB))
        assert received(connection).status == 401


def test_a_connection_is_kept_after_a_complete_rejected_body(connection: socket.socket, wire: Wire) -> None:
    head = Wire(wire.port, "svc_sk_wrong").head("POST", "/v1/courses", JSON, f"Content-Length: {len(COURSE)}")
    connection.sendall(head + COURSE)
    assert received(connection).status == 401
    connection.sendall(wire.head("GET", "/v1/me"))
    assert received(connection).status == 200


@pytest.mark.parametrize(
    ("path", "lines", "sent"),
    [
        ("/v1/courses", [JSON, f"Content-Length: {len(COURSE) + 1}"], COURSE),
        ("/v1/courses", [JSON, f"Content-Length: {len(COURSE) + 1}"], b""),
        ("/v1/courses", [JSON, CHUNKED], chunked(COURSE).removesuffix(b"0\r\n\r\n")),
        ("/v1/courses", [JSON, CHUNKED], chunked(COURSE).removesuffix(b"\r\n")),
        ("/mcp", [JSON, "Accept: application/json, text/event-stream", "Content-Length: 9"], b"{}"),
    ],
)
def test_a_truncated_body_is_400(
    connection: socket.socket, wire: Wire, path: str, lines: list[str], sent: bytes
) -> None:
    before = wire.ask(wire.head("GET", "/v1/courses")).body
    connection.sendall(wire.head("POST", path, *lines) + sent)
    connection.shutdown(socket.SHUT_WR)
    response = received(connection)
    assert (response.status, is_envelope(response, "invalid_request")) == (400, True)
    assert wire.ask(wire.head("GET", "/v1/courses")).body == before


def test_a_truncated_form_is_400(connection: socket.socket) -> None:
    connection.sendall(
        b"POST /oauth/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        b"Content-Length: 99\r\n\r\ngrant_type=refresh_token"
    )
    connection.shutdown(socket.SHUT_WR)
    response = received(connection)
    assert (response.status, response.body["error"]) == (400, "invalid_request")


def test_a_deletion_with_a_truncated_body_is_400(connection: socket.socket, wire: Wire) -> None:
    head = wire.head("POST", "/v1/courses", JSON, f"Content-Length: {len(COURSE)}")
    course = wire.ask(head + COURSE).body["id"]
    connection.sendall(wire.head("DELETE", f"/v1/courses/{course}", "Content-Length: 9") + b"{}")
    connection.shutdown(socket.SHUT_WR)
    assert received(connection).status == 400
    assert wire.ask(wire.head("GET", f"/v1/courses/{course}")).status == 200


@each("size", [512 * 1024, 8 * MIB])
def test_chunks_may_be_large(wire: Wire, size: int) -> None:
    body = b'{"name": "Cell Biology", "syllabus_text": "' + b"x" * 490_000 + b'"}'
    body += b" " * (8 * MIB - len(body))
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    assert wire.ask(wire.head("POST", "/v1/courses", JSON, CHUNKED) + chunked(*pieces)).status == 201


def test_many_small_chunks_are_read(wire: Wire) -> None:
    head = wire.head("POST", "/v1/courses", JSON, CHUNKED)
    assert wire.ask(head + chunked(*[b" "] * 20_000, COURSE)).status == 201


def test_too_many_small_chunks_are_400(wire: Wire) -> None:
    response = wire.ask(wire.head("POST", "/v1/courses", JSON, CHUNKED) + chunked(*[b" "] * 200_000, COURSE))
    assert (response.status, is_envelope(response, "invalid_request")) == (400, True)


@each("path", ["/v1/courses", "/mcp", "/oauth/register"])
def test_an_encoded_body_is_400(wire: Wire, path: str) -> None:
    head = wire.head(
        "POST", path, JSON, "Accept: application/json, text/event-stream", "Content-Encoding: gzip", "Content-Length: 2"
    )
    assert wire.ask(head + b"{}").status == 400


def test_an_identity_encoded_body_is_read(wire: Wire) -> None:
    head = wire.head("POST", "/v1/courses", JSON, "Content-Encoding: identity", f"Content-Length: {len(COURSE)}")
    assert wire.ask(head + COURSE).status == 201
