"""Connections that wait for their clients, over real sockets."""

import socket
from collections.abc import Iterator
from selectors import DefaultSelector

import pytest

from studyservice.server import connection_queue
from studyservice.server.channel import Channel
from studyservice.server.connection_queue import LARGE_BYTES, ConnectionQueue

ANSWER = b"x" * (8 * 1024 * 1024)
"""More than a socket takes at once."""


class Connection:
    """A client that does not read until it is told to."""

    def __init__(self) -> None:
        ours, self.client = socket.socketpair()
        self.sock = Channel(ours)

    def close(self) -> None:
        self.sock.hang_up()
        self.client.close()


class Queue(ConnectionQueue[Connection]):
    """Notes whom it told of."""

    def __init__(self) -> None:
        self.delivered: list[Connection] = []
        self.poller = DefaultSelector()
        super().__init__(self.poller, lambda _: None, self.delivered.append, lambda: None)

    def turn(self) -> None:
        """What the main loop does."""
        for key, _ in self.poller.select(timeout=1):
            key.data(key.fileobj)


@pytest.fixture
def queue() -> Iterator[Queue]:
    made = Queue()
    yield made
    made.poller.close()


@pytest.fixture
def readers(queue: Queue) -> Iterator[list[Connection]]:
    """Two, to whom an answer begins to go."""
    made = [Connection(), Connection()]
    yield made
    for connection in made:
        connection.close()


def answer(queue: Queue, readers: list[Connection]) -> None:
    for connection in readers:
        connection.sock.sendall(ANSWER)
        queue.await_reader(connection, kept=True)


def test_answers_that_have_just_begun_are_not_called_slow(
    queue: Queue, readers: list[Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_queue, "HELD_BYTES", len(ANSWER))
    answer(queue, readers)
    assert queue.given_up == 0


def test_beyond_what_is_kept_the_slowest_reader_goes(
    queue: Queue, readers: list[Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_queue, "HELD_BYTES", len(ANSWER))
    monkeypatch.setattr(connection_queue, "_UNKNOWN_PACE_SECONDS", 0)
    answer(queue, readers)
    assert queue.given_up == 1
    assert len(queue.delivered) == 1


def test_an_answer_is_delivered_when_little_of_it_is_left(queue: Queue, readers: list[Connection]) -> None:
    slow, quick = readers
    answer(queue, readers)
    assert queue.delivered == []
    quick.client.setblocking(False)
    while quick.sock.unsent() > LARGE_BYTES:
        quick.client.recv(LARGE_BYTES)
        queue.turn()
    assert set(queue.delivered) == {quick}
    assert slow.sock.unsent() > LARGE_BYTES
