"""Waits of paced load count from the moment of a request, so that a slow answer is not left out of those behind it."""

import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from tools.bench import load
from tools.bench.measure import Latency, percentile

pytestmark = pytest.mark.database("sqlite", "numbers")

REQUEST = b"GET / HTTP/1.1\r\n\r\n"


@contextmanager
def server(answer: Callable[[int], int]) -> Iterator[Any]:
    """Serve the n-th request with the status `answer(n)`; its `seen` has the moments of requests."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while self.rfile.readline():
                self.rfile.readline()
                seen.append(time.perf_counter())
                status = answer(len(seen) - 1)
                self.wfile.write(b"HTTP/1.1 %d X\r\nContent-Length: 2\r\n\r\nok" % status)

    seen: list[float] = []
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as running:
        running.seen = seen  # type: ignore[attr-defined]
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield running
        finally:
            running.shutdown()
            thread.join()


def timed(*moments: float, name: str = "one") -> list[load.Timed]:
    return [load.Timed(moment, name, REQUEST) for moment in moments]


def test_what_waits_behind_a_slow_answer_has_waited() -> None:
    def slow_at_first(number: int) -> int:
        time.sleep(0.4 if number == 0 else 0)
        return 200

    with server(slow_at_first) as running:
        outcome = load.paced(running.server_address[1], timed(0.0, 0.1, 0.2, 0.6), connections=1)
    first, second, third, fourth = outcome.waits["one"]
    assert first >= 0.4
    assert second >= 0.3
    assert third >= 0.2
    assert fourth < third


def test_requests_leave_at_their_moments_beside_slow_ones() -> None:
    def slow(_number: int) -> int:
        time.sleep(0.3)
        return 200

    with server(slow) as running:
        started = time.perf_counter()
        load.paced(running.server_address[1], timed(0.0, 0.05, 0.1), connections=3)
    assert all(seen - started >= due for seen, due in zip(running.seen, (0.0, 0.05, 0.1), strict=True))
    assert all(later - earlier < 0.3 for earlier, later in pairwise(running.seen))


def test_every_answer_is_awaited_and_other_statuses_are_counted() -> None:
    with server(lambda number: 503 if number % 2 else 200) as running:
        requests = timed(0.0, 0.01, name="read") + timed(0.02, 0.03, name="write")
        outcome = load.paced(running.server_address[1], requests, connections=2)
    assert {name: len(seconds) for name, seconds in outcome.waits.items()} == {"read": 2, "write": 2}
    assert outcome.refused == {503: 2}


def test_arrivals_have_their_rate_and_come_at_random() -> None:
    moments = list(load.arrivals(100, 50, Random(1)))  # noqa: S311  # the same every time
    assert 4800 < len(moments) < 5200
    assert moments == sorted(moments)
    assert moments[-1] < 50
    gaps = [later - earlier for earlier, later in pairwise(moments)]
    assert 0.35 < sum(gap > 0.01 for gap in gaps) / len(gaps) < 0.39  # 1/e of them are longer than the mean


def test_a_percentile_is_the_least_value_that_the_share_does_not_exceed() -> None:
    values = [float(number) for number in range(200, 0, -1)]
    assert percentile(values, 0.50) == 100
    assert percentile(values, 0.99) == 198
    assert percentile([7.0], 0.99) == 7
    assert Latency.of(10, [one / 1000 for one in values]) == (10, 100, 198)
