"""Latency of rows under a share of the load that one core can answer: the waits of members, not of a full queue."""

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from random import Random
from statistics import median
from typing import NamedTuple

from tools.bench import pace
from tools.bench.measure import RefusedError, Samples, Stretches, percentile
from tools.bench.rows import FASTAPI, FLOOR, SERVICE, Row
from tools.bench.servers import Server

SHARE = 0.7
"""Of the median rate that the rounds reached, on the same core and at the same distance."""

SECONDS = 2.0
"""Of each row and contestant in a round."""

DISTANCES = (0, 1)
"""Milliseconds to PostgreSQL. At 0 there is no proxy between."""

ROWS = ("list_items", "get_agenda", "create_item", "review_vocab_card")
CONTESTANTS = (SERVICE, FLOOR, FASTAPI)


class Latency(NamedTuple):
    """Requests sent per second, and the milliseconds in which half of them, and 99 of 100, were answered."""

    rate: float
    p50_ms: float
    p99_ms: float

    @classmethod
    def of(cls, rate: float, seconds: Sequence[float]) -> "Latency":
        """The latency of at least one wait."""
        return cls(rate, percentile(seconds, 0.50) * 1000, percentile(seconds, 0.99) * 1000)


Latencies = Mapping[tuple[str, str], Latency]
"""Row and contestant to the latency."""


def measure(
    rows: Sequence[Row],
    servers: Mapping[str, Server],
    stretches: Stretches,
    samples: Samples,
    *,
    rounds: int,
    tell: Callable[[str], None],
) -> Latencies:
    """Send requests of `ROWS` at `SHARE` of their rates in `samples`, every row and contestant in turn.

    Raises:
        RefusedError: an answer was not a success.
    """
    keys = [
        (row.name, name)
        for row in rows
        for name in row.contestants
        if row.name in ROWS and name in CONTESTANTS and name in servers
    ]
    rates = {key: SHARE * median(sample.rate for sample in samples[key]) for key in keys}
    seconds: dict[tuple[str, str], list[float]] = {key: [] for key in keys}
    for turn in range(rounds):
        for key in keys if turn % 2 == 0 else reversed(keys):
            row, name = key
            moments = pace.arrivals(rates[key], SECONDS, Random(turn))  # noqa: S311  # the same for all
            waits = pace.run(servers[name].port, map(pace.Timed, moments, repeat(row), next(stretches[key])))
            if waits.refused:
                raise RefusedError(f"{row}: {name} answered {dict(waits.refused)}")
            seconds[key] += waits.seconds[row]
    found = {key: Latency.of(rates[key], seconds[key]) for key in keys}
    for (row, name), one in found.items():
        tell(f"under load  {row:<18} {name:<14} {one.rate:5.0f}/s  {one.p50_ms:6.1f} / {one.p99_ms:6.1f} ms")
    return found
