"""Slow clients, with the service's timeouts shortened by a configuration for tests."""

import json
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from django.conf import settings

from studyservice.server.lanes import READS_AT_ONCE
from tests.support import server as servers
from tests.support.databases import copied
from tests.support.server import ADA
from tests.support.wire import JSON, MIB, Wire, half_body, half_sent, is_envelope, is_open, received
from tools.bench import machine

pytestmark = pytest.mark.database("sqlite", "server connections")

ANSWERS = 8
LAST = b'"next_cursor":null}'

THREADS = settings.WEB_THREADS

QUICK = "guard.STILL_SECONDS, guard.REQUEST_SECONDS, guard.IDLE_SECONDS = 1, 3, 4"
SMALL = "worker_connections = 20"
FULL = "application.SPOOL_BYTES = 1024 * 1024"


@contextmanager
def configured(directory: Path, lines: str) -> Iterator[Wire]:
    """A server with additional lines of configuration."""
    config = directory / "gunicorn.py"
    config.write_text(
        f"from studyservice.gunicorn import *\nfrom studyservice.server import application, guard\n{lines}\n"
    )
    with copied(f"slow_{secrets.token_hex(4)}", directory) as url, servers.started(directory, url, str(config)) as own:
        yield Wire.to(own, own.command("createmember", ADA, "--api-key", "live")["api_key"])


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """Connects to a server with timeouts of a few seconds."""
    with configured(tmp_path_factory.mktemp("quick"), QUICK) as wire:
        yield wire


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """Connects to a server with room for 20 connections."""
    with configured(tmp_path_factory.mktemp("small"), SMALL) as wire:
        yield wire


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """Connects to a server that stores no more than 1 MiB for all clients."""
    with configured(tmp_path_factory.mktemp("full"), FULL) as wire:
        yield wire


@pytest.fixture(scope="module")
def usual(server: servers.Server) -> Wire:
    """Connects to a server with the timeouts of production."""
    return Wire.to(server, server.command("createapikey", ADA, "slow")["api_key"])


def closes(connection: socket.socket, drip: bytes = b"") -> None:
    """Wait until `connection` is closed without an answer, while `drip` is sent repeatedly."""
    deadline = time.monotonic() + 60
    while is_open(connection):
        assert time.monotonic() < deadline, "Somebody still waits for it."
        time.sleep(0.1)
        with suppress(ConnectionError):  # it may be closed now
            connection.sendall(drip)
    with suppress(ConnectionResetError):
        assert connection.recv(100) == b""


def test_a_slow_head_is_not_waited_for(quick: Wire) -> None:
    with half_sent(quick, quick.head("GET", "/v1/me")[:40]) as connection:
        closes(connection, drip=b"x")


def test_a_slow_head_after_an_answer_is_not_waited_for(quick: Wire) -> None:
    head = quick.head("GET", "/v1/me")
    with half_sent(quick, head + head[:40]) as connection:
        assert received(connection).status == 200
        closes(connection, drip=b"x")


def test_an_idle_connection_has_a_longer_timeout_than_a_head(quick: Wire) -> None:
    head = quick.head("GET", "/v1/me")
    with quick.connect() as silent, quick.connect() as kept, half_sent(quick, head[:40]) as half:
        kept.sendall(head)
        assert received(kept).status == 200
        closes(half)
        assert is_open(silent)
        assert is_open(kept)
        closes(silent)
        closes(kept)


@pytest.mark.parametrize("sent", [0, 40])
def test_the_connection_idle_the_longest_makes_room(small: Wire, sent: int) -> None:
    head = small.head("GET", "/v1/me")
    with ExitStack() as stack:
        waiting = [stack.enter_context(half_sent(small, head[:sent])) for _ in range(40)]
        assert small.ask(head).status == 200
        assert not any(is_open(connection) for connection in waiting[:15])
        waiting[-1].sendall(head[sent:])
        assert received(waiting[-1]).status == 200


def test_a_slow_body_is_not_waited_for(quick: Wire) -> None:
    with half_sent(quick, half_body(quick)) as connection:
        closes(connection, drip=b" ")


def test_a_slow_body_after_an_answer_is_not_waited_for(quick: Wire) -> None:
    with half_sent(quick, quick.head("GET", "/v1/me") + half_body(quick)) as connection:
        assert received(connection).status == 200
        closes(connection, drip=b" ")


def test_stalled_bodies_are_closed(quick: Wire) -> None:
    with ExitStack() as stack:
        waiting = [stack.enter_context(half_sent(quick, half_body(quick))) for _ in range(THREADS)]
        assert quick.ask(quick.head("GET", "/v1/me")).status == 200
        for connection in waiting:
            closes(connection)


@contextmanager
def large_half_bodies(wire: Wire, number: int) -> Iterator[list[socket.socket]]:
    """Bodies of 8 MiB without their end, sent at once."""
    head = wire.head("POST", "/v1/courses", JSON, f"Content-Length: {8 * MIB}")
    with ExitStack() as stack:
        connections = [stack.enter_context(half_sent(wire, head)) for _ in range(number)]
        for connection in connections * 64:
            with suppress(ConnectionError):
                connection.sendall(bytes(MIB // 8 - 1))
        yield connections


def test_large_bodies_that_stall_are_closed(quick: Wire) -> None:
    with large_half_bodies(quick, 3 * THREADS) as connections:
        for connection in connections:
            with suppress(ConnectionError):
                while connection.recv(MIB):
                    continue


def test_large_bodies_that_stall_take_little_memory(usual: Wire, server: servers.Server) -> None:
    [worker] = machine.children(server.process.pid)
    machine.reset_peak(worker)
    before = machine.resident_mib(worker)
    with large_half_bodies(usual, 48):
        assert machine.peak_mib(worker) < before + 100


def long_answers(wire: Wire) -> bytes:
    """Heads of requests whose answers exceed the buffer of a socket."""
    cards = [{"term": f"term {number}", "definition": "d" * 1900} for number in range(500)]
    body = json.dumps({"name": "Long", "cards": cards}).encode()
    deck = wire.ask(wire.head("POST", "/v1/vocab-decks", JSON, f"Content-Length: {len(body)}") + body).body["id"]
    target = f"/v1/vocab-decks?include_cards=true&deck_id={deck}"
    return wire.head("GET", target) * (ANSWERS - 1) + wire.head("GET", target, "Connection: close")


def slow_reader(wire: Wire, heads: bytes, buffer: int = 4096) -> socket.socket:
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    connection.settimeout(60)
    connection.connect(("127.0.0.1", wire.port))
    connection.sendall(heads)
    return connection


def test_a_steady_reader_gets_the_complete_answer(quick: Wire) -> None:
    """It takes several times as long as the maximum pause."""
    heads = long_answers(quick)
    with slow_reader(quick, heads, 65_536) as connection:
        taken = b""
        while data := connection.recv(65_536):
            taken += data
            time.sleep(0.03)
    assert taken.endswith(LAST)
    assert taken.count(LAST) == ANSWERS


def test_a_stalled_reader_is_closed(quick: Wire) -> None:
    heads = long_answers(quick)
    with slow_reader(quick, heads) as connection:
        time.sleep(3)
        taken = b""
        with suppress(ConnectionResetError):
            while data := connection.recv(65_536):
                taken += data
    assert len(taken) > 0
    assert taken.count(LAST) < ANSWERS


def test_stalled_readers_delay_nobody_else(usual: Wire, server: servers.Server) -> None:
    heads = long_answers(usual)
    other = Wire.to(server, server.command("createmember", "bob@example.org", "--api-key", "other")["api_key"])
    with ExitStack() as stack:
        readers = [stack.enter_context(slow_reader(usual, heads)) for _ in range(12)]
        time.sleep(1)
        assert other.ask(other.head("GET", "/v1/me")).status == 200
        assert all(received(reader).status == 200 for reader in readers)


def test_a_stalled_upload_is_closed(quick: Wire) -> None:
    length = f"Content-Length: {20 * MIB}"
    kind = "Content-Type: multipart/form-data; boundary=b"
    part = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'
    with half_sent(quick, quick.head("POST", "/v1/import", kind, length) + part + bytes(10 * MIB)) as connection:
        closes(connection)


def test_bodies_beyond_the_spool_are_503(full: Wire) -> None:
    head = full.head("POST", "/v1/courses", JSON, f"Content-Length: {2 * MIB}")
    with half_sent(full, head + b" " * 600_000), full.connect() as connection:
        time.sleep(1)
        connection.sendall(head + b" " * 600_000)
        response = received(connection)
        assert (response.status, response.headers["Retry-After"]) == (503, "60")
        assert is_envelope(response, "internal_error")
        assert full.ask(full.head("GET", "/v1/me")).status == 200


def test_large_unread_answers_stop_further_ones(usual: Wire) -> None:
    """Two reads of a member may run at once. Others are answered."""
    heads = long_answers(usual)
    with ExitStack() as stack:
        readers = [stack.enter_context(slow_reader(usual, heads)) for _ in range(READS_AT_ONCE)]
        time.sleep(1)
        with usual.connect() as another:
            another.sendall(usual.head("GET", "/v1/me"))
            assert is_open(another)
            time.sleep(1)
            another.settimeout(0.1)
            with pytest.raises(TimeoutError):
                another.recv(1)
            stack.pop_all().close()
            another.settimeout(60)
            assert received(another).status == 200
    assert len(readers) == READS_AT_ONCE


def test_requests_are_not_read_far_ahead(usual: Wire) -> None:
    """While an answer waits for its reader, the client's further requests wait in its own buffers."""
    heads = usual.head("GET", "/v1/items?limit=100") * 2_000
    sent = 0
    with usual.connect() as connection:
        connection.settimeout(3)
        with suppress(TimeoutError):
            while sent < 64 * MIB:
                sent += connection.send(heads)
    assert sent < 16 * MIB
