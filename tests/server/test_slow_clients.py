"""Clients that are slow, with the service's times made short by a configuration of the test's own."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from tests.support import server as servers
from tests.support.databases import copied
from tests.support.server import ADA
from tests.support.wire import JSON, Wire, half_body, half_sent, is_envelope, is_open, received

pytestmark = pytest.mark.once

ANSWERS = 8
LAST = b'"next_cursor":null}'

Started = Callable[[str], Wire]


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    """Start a server with some lines of configuration."""
    with ExitStack() as stack:

        @contextmanager
        def _running(lines: str) -> Iterator[Wire]:
            config = tmp_path / "gunicorn.py"
            config.write_text(
                f"from studyservice.gunicorn import *\nfrom studyservice.server import pace, waiting_room\n{lines}\n"
            )
            with copied(f"slow_{tmp_path.name}", tmp_path) as url, servers.started(tmp_path, url, str(config)) as own:
                yield Wire.to(own, own.command("createmember", ADA, "--api-key", "live")["api_key"])

        yield lambda lines: stack.enter_context(_running(lines))


def closes(connection: socket.socket, drip: bytes = b"") -> None:
    """Wait until `connection` is closed without an answer, while `drip` is sent again and again."""
    deadline = time.monotonic() + 60
    while is_open(connection):
        assert time.monotonic() < deadline, "It is still waited for."
        time.sleep(0.1)
        connection.sendall(drip)
    with suppress(ConnectionResetError):
        assert connection.recv(100) == b""


def test_a_head_that_drips_is_not_waited_for(started: Started) -> None:
    wire = started("waiting_room.HEAD_SECONDS = 1")
    with half_sent(wire, wire.head("GET", "/v1/me")[:40]) as connection:
        closes(connection, drip=b"x")


def test_a_head_that_drips_behind_an_answer_is_not_waited_for(started: Started) -> None:
    wire = started("waiting_room.HEAD_SECONDS = 1")
    head = wire.head("GET", "/v1/me")
    with half_sent(wire, head + head[:40]) as connection:
        assert received(connection).status == 200
        closes(connection, drip=b"x")


def test_what_sends_nothing_is_waited_for_longer_than_a_head(started: Started) -> None:
    wire = started("waiting_room.HEAD_SECONDS, waiting_room.IDLE_SECONDS = 1, 4")
    head = wire.head("GET", "/v1/me")
    with wire.connect() as silent, wire.connect() as kept, half_sent(wire, head[:40]) as half:
        kept.sendall(head)
        assert received(kept).status == 200
        closes(half)
        assert is_open(silent)
        assert is_open(kept)
        closes(silent)
        closes(kept)


@pytest.mark.parametrize("sent", [0, 40])
def test_who_waits_longest_for_a_head_makes_room(started: Started, sent: int) -> None:
    wire = started("worker_connections = 20")
    head = wire.head("GET", "/v1/me")
    with ExitStack() as stack:
        waiting = [stack.enter_context(half_sent(wire, head[:sent])) for _ in range(40)]
        assert wire.ask(head).status == 200
        assert not any(is_open(connection) for connection in waiting[:15])
        waiting[-1].sendall(head[sent:])
        assert received(waiting[-1]).status == 200


def test_a_body_that_drips_in_is_given_up(started: Started) -> None:
    wire = started("pace.WINDOW_SECONDS = 1")
    with half_sent(wire, half_body(wire)) as connection:
        deadline = time.monotonic() + 60
        while is_open(connection):
            assert time.monotonic() < deadline, "It is still waited for."
            connection.sendall(b" ")
            time.sleep(0.2)
        assert is_envelope(received(connection), "invalid_request")


def test_a_body_that_stands_still_is_given_up(started: Started) -> None:
    wire = started("pace.STILL_SECONDS = 1")
    with half_sent(wire, half_body(wire)) as connection:
        assert is_envelope(received(connection), "invalid_request")


def long_answers(wire: Wire) -> bytes:
    """The heads of requests whose answers are longer than a socket takes at once."""
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


def test_a_steady_reader_gets_the_whole_answer(started: Started) -> None:
    """It takes several times as long as a client may stand still."""
    wire = started("pace.STILL_SECONDS, pace.WINDOW_SECONDS = 1, 2")
    heads = long_answers(wire)
    with slow_reader(wire, heads, 65_536) as connection:
        taken = b""
        while data := connection.recv(65_536):
            taken += data
            time.sleep(0.03)
    assert taken.endswith(LAST)
    assert taken.count(LAST) == ANSWERS


def test_a_reader_that_stands_still_is_given_up(started: Started) -> None:
    wire = started("pace.STILL_SECONDS = 1")
    heads = long_answers(wire)
    with slow_reader(wire, heads) as connection:
        time.sleep(3)
        taken = b""
        with suppress(ConnectionResetError):
            while data := connection.recv(65_536):
                taken += data
    assert len(taken) > 0
    assert taken.count(LAST) < ANSWERS


def test_readers_that_stand_still_hold_no_thread(started: Started) -> None:
    wire = started("")
    heads = long_answers(wire)
    with ExitStack() as stack:
        readers = [stack.enter_context(slow_reader(wire, heads)) for _ in range(12)]
        assert wire.ask(wire.head("GET", "/v1/me")).status == 200
        assert all(received(reader).status == 200 for reader in readers)
