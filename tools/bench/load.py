"""The load generator: a few keep-alive connections, each sending the next request when the last one is answered.

One thread and raw sockets take about 20 µs per request, so one core can saturate a server in Python.
"""

import re
import selectors
import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

CONNECTIONS = 8
SILENCE_SECONDS = 20
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)


@dataclass(slots=True)
class Outcome:
    """The result of a stretch of load.

    Attributes:
        answered: number of 2xx answers.
        refused: statuses of the others.
        waits: seconds from each request to its complete answer.
        seconds: to the last answer, so that a disk that pauses past the end is counted too.
        cpu_seconds: CPU time of the load generator.
    """

    answered: int = 0
    refused: Counter[int] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0


class BrokenAnswerError(Exception):
    """The server closed a connection, did not answer, or sent no Content-Length."""


def run(port: int, requests: Iterator[bytes], seconds: float, connections: int = CONNECTIONS) -> Outcome:
    """Send `requests` to a server on loopback for some seconds, or until they run out."""
    with ExitStack() as stack:
        selector = stack.enter_context(selectors.DefaultSelector())
        return _run(selector, [stack.enter_context(connect(port)) for _ in range(connections)], requests, seconds)


def connect(port: int) -> socket.socket:
    """Open a keep-alive connection to a server on loopback."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=SILENCE_SECONDS)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _run(
    selector: selectors.BaseSelector, sockets: list[socket.socket], requests: Iterator[bytes], seconds: float
) -> Outcome:
    outcome = Outcome()
    cpu = time.process_time()
    started = time.perf_counter()
    deadline = started + seconds
    finished = started
    waiting = 0
    sent: dict[socket.socket, float] = {}
    for one, first in zip(sockets, requests, strict=False):
        selector.register(one, selectors.EVENT_READ, (one, bytearray()))
        sent[one] = time.perf_counter()
        one.sendall(first)
        waiting += 1
    while waiting:
        ready = selector.select(SILENCE_SECONDS)
        if not ready:
            raise BrokenAnswerError(f"no answer in {SILENCE_SECONDS} s")
        for key, _ in ready:
            one, received = key.data
            status = receive(one, received)
            if status is None:
                continue
            waiting -= 1
            now = finished = time.perf_counter()
            outcome.waits.append(now - sent[one])
            if 200 <= status < 300:
                outcome.answered += 1
            else:
                outcome.refused[status] += 1
            request = next(requests, None) if now < deadline else None
            if request is not None:
                received.clear()
                sent[one] = now
                one.sendall(request)
                waiting += 1
    outcome.seconds = finished - started
    outcome.cpu_seconds = time.process_time() - cpu
    return outcome


def receive(connection: socket.socket, received: bytearray) -> int | None:
    """Add to `received`; returns the status if the whole answer has arrived."""
    data = connection.recv(262_144)
    if not data:
        raise BrokenAnswerError("the server closed the connection")
    received += data
    head = received.find(b"\r\n\r\n")
    if head < 0:
        return None
    length = _LENGTH.search(received, 0, head + 2)
    if length is None:
        raise BrokenAnswerError(f"an answer without Content-Length: {bytes(received[:head])!r}")
    return int(received[9:12]) if len(received) >= head + 4 + int(length[1]) else None
