"""Open-loop load: each request has a moment, whether earlier ones are answered by then or not.

Members do not wait for each other. A load generator that sends a request once the last one is answered sends none while
the server is stuck, and so leaves out the waits that members would have had ("coordinated omission"). Here a wait
begins at the moment of the request, also while every connection is taken.
"""

import selectors
import socket
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from tools.bench.load import SILENCE_SECONDS, BrokenAnswerError, connect, receive

CONNECTIONS = 32
"""More than a server has threads. A request that finds none free waits, and its wait counts."""


class Timed(NamedTuple):
    """A request, and the seconds after the start at which it is due."""

    due: float
    name: str
    request: bytes


@dataclass(slots=True)
class Waits:
    """The result of paced load.

    Attributes:
        seconds: by the name of the request, from the moment it was due to the whole answer.
        refused: statuses that are not 2xx.
    """

    seconds: dict[str, list[float]] = field(default_factory=dict)
    refused: Counter[int] = field(default_factory=Counter)


def arrivals(rate: float, seconds: float, chance: Random) -> Iterator[float]:
    """Yield moments as of members who know nothing of each other (a Poisson process), `rate` a second on average."""
    moment = chance.expovariate(rate)
    while moment < seconds:
        yield moment
        moment += chance.expovariate(rate)


def run(port: int, timed: Iterable[Timed], connections: int = CONNECTIONS) -> Waits:
    """Send requests, in the order of their moments, to a server on loopback, and wait for every answer."""
    with ExitStack() as stack:
        # select(2) waits to the microsecond, epoll(7) to the millisecond.
        selector = stack.enter_context(selectors.SelectSelector())
        idle = deque(stack.enter_context(connect(port)) for _ in range(connections))
        return _run(selector, idle, iter(timed))


def _run(selector: selectors.BaseSelector, idle: deque[socket.socket], timed: Iterator[Timed]) -> Waits:
    waits = Waits()
    started = time.perf_counter()
    ahead = next(timed, None)
    under_way = 0
    while ahead or under_way:
        while ahead and idle and ahead.due <= time.perf_counter() - started:
            one = idle.popleft()
            one.sendall(ahead.request)
            selector.register(one, selectors.EVENT_READ, (one, ahead, bytearray()))
            under_way += 1
            ahead = next(timed, None)
        pause = ahead.due - (time.perf_counter() - started) if ahead and idle else SILENCE_SECONDS
        ready = selector.select(max(0.0, pause))
        if not ready and under_way and pause >= SILENCE_SECONDS:
            raise BrokenAnswerError(f"no answer in {SILENCE_SECONDS} s")
        for key, _ in ready:
            one, request, received = key.data
            status = receive(one, received)
            if status is None:
                continue
            waits.seconds.setdefault(request.name, []).append(time.perf_counter() - started - request.due)
            if not 200 <= status < 300:
                waits.refused[status] += 1
            selector.unregister(one)
            idle.append(one)
            under_way -= 1
    return waits
