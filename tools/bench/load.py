"""The load generator: keep-alive connections to a server on loopback, in one thread with raw sockets.

In a closed loop each connection sends its next request when the last one is answered. In an open loop each request has
a moment, whether earlier ones are answered by then or not, as members do not wait for each other. A closed loop sends
nothing while the server is stuck, and so leaves out the waits that members would have had ("coordinated omission").
"""

import re
import selectors
import socket
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import takewhile
from random import Random
from typing import NamedTuple

CONNECTIONS = 8
OPEN_CONNECTIONS = 32
"""Of an open loop, more than a server has threads. A request that finds none free waits, and its wait counts."""

SILENCE_SECONDS = 20
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)


class Timed(NamedTuple):
    """A request, and the seconds after the start at which it is due; None for the next free connection."""

    due: float | None
    name: str
    request: bytes


@dataclass(slots=True)
class Outcome:
    """The result of a stretch of load.

    Attributes:
        answered: number of 2xx answers.
        refused: statuses of the others.
        waits: by the name of the request, seconds until the whole answer: from the moment it was due, else sent.
        seconds: to the last answer, so that a disk that pauses past the end is counted too.
        cpu_seconds: CPU time of the load generator.
    """

    answered: int = 0
    refused: Counter[int] = field(default_factory=Counter)
    waits: dict[str, list[float]] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0


class BrokenAnswerError(Exception):
    """The server closed a connection, did not answer, or sent no Content-Length."""


def arrivals(rate: float, seconds: float, chance: Random) -> Iterator[float]:
    """Yield moments as of members who know nothing of each other (a Poisson process), `rate` a second on average."""
    moment = chance.expovariate(rate)
    while moment < seconds:
        yield moment
        moment += chance.expovariate(rate)


def run(port: int, requests: Iterator[bytes], seconds: float, connections: int = CONNECTIONS) -> Outcome:
    """Send `requests` in a closed loop for some seconds, or until they run out. Their name is empty."""
    end = time.perf_counter() + seconds
    in_time = takewhile(lambda _: time.perf_counter() < end, requests)
    return paced(port, (Timed(None, "", request) for request in in_time), connections)


def paced(port: int, timed: Iterable[Timed], connections: int = OPEN_CONNECTIONS) -> Outcome:
    """Send requests in the order of their moments, and wait for every answer."""
    with ExitStack() as stack:
        # select(2) waits to the microsecond, epoll(7) to the millisecond.
        selector = stack.enter_context(selectors.SelectSelector())
        idle = deque(stack.enter_context(_connect(port)) for _ in range(connections))
        return _run(selector, idle, iter(timed))


def _connect(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=SILENCE_SECONDS)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _run(selector: selectors.BaseSelector, idle: deque[socket.socket], timed: Iterator[Timed]) -> Outcome:
    outcome = Outcome()
    cpu, started = time.process_time(), time.perf_counter()
    ahead = next(timed, None)
    under_way = 0
    while ahead or under_way:
        now = time.perf_counter() - started
        while ahead and idle and (ahead.due is None or ahead.due <= now):
            one = idle.popleft()
            one.sendall(ahead.request)
            since = now if ahead.due is None else ahead.due
            selector.register(one, selectors.EVENT_READ, (one, ahead.name, since, bytearray()))
            under_way += 1
            ahead = next(timed, None)
            now = time.perf_counter() - started
        pause = ahead.due - now if ahead and idle and ahead.due is not None else SILENCE_SECONDS
        ready = selector.select(max(0.0, pause))
        if not ready and under_way and pause >= SILENCE_SECONDS:
            raise BrokenAnswerError(f"no answer in {SILENCE_SECONDS} s")
        for key, _ in ready:
            one, name, since, received = key.data
            status = _receive(one, received)
            if status is None:
                continue
            outcome.seconds = time.perf_counter() - started
            outcome.waits.setdefault(name, []).append(outcome.seconds - since)
            if 200 <= status < 300:
                outcome.answered += 1
            else:
                outcome.refused[status] += 1
            selector.unregister(one)
            idle.append(one)
            under_way -= 1
    outcome.cpu_seconds = time.process_time() - cpu
    return outcome


def _receive(connection: socket.socket, received: bytearray) -> int | None:
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
