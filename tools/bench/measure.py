"""Rounds of measurements: all rows and contestants alternate, so that a slow minute affects all of them.

Latency is measured under a share of the load that one core can answer: the waits of members, not of a full queue.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from math import ceil
from random import Random
from statistics import median
from typing import NamedTuple

from tools.bench import load, machine
from tools.bench.cast import Cast
from tools.bench.rows import FASTAPI, FLOOR, SERVICE, Row
from tools.bench.servers import Server

SHARE = 0.7
"""Of the median rate that the rounds reached, on the same core and at the same distance."""

SECONDS = 2.0
"""Of each row and contestant in a round."""

PACED_DISTANCES = (0, 1)
"""Milliseconds to PostgreSQL. At 0 there is no proxy between."""

PACED_ROWS = ("list_items", "get_agenda", "create_item", "review_vocab_card")
PACED = (SERVICE, FLOOR, FASTAPI)


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


class Sample(NamedTuple):
    """One stretch of load.

    Attributes:
        rate: 2xx answers per second.
        server_us: CPU time of the server process per answer, in microseconds.
        postgres_us: CPU time of PostgreSQL per answer, in microseconds.
        load_share: share of its core that the load generator used.
        p50_ms: median response time in milliseconds.
        p99_ms: 99th percentile.
    """

    rate: float
    server_us: float
    postgres_us: float
    load_share: float
    p50_ms: float
    p99_ms: float


class Spread(NamedTuple):
    """Median, least and greatest of a few figures."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        """Return the spread of at least one figure."""
        return cls(median(values), min(values), max(values))


class RefusedError(Exception):
    """A contestant refused a request during the measurement."""


Samples = dict[tuple[str, str], list[Sample]]
"""Row and contestant to one sample for each round."""


class Course:
    """The rows and contestants to measure, with their requests.

    Args:
        servers: contestant to its server.
        postgres: process id of the database server.
        seconds: for each row and contestant in a round.
        cast: the members who send the requests.
        connections: of the load generator.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        servers: Mapping[str, Server],
        cast: Cast,
        postgres: int,
        *,
        seconds: float,
        connections: int = load.CONNECTIONS,
    ) -> None:
        self._servers, self._postgres, self._seconds, self._connections = servers, postgres, seconds, connections
        self._entries = [(row, name, row.requests(cast)) for row in rows for name in row.contestants if name in servers]

    def warm_up(self, seconds: float = 1.0) -> None:
        """Fill every contestant's caches, connections and prepared statements."""
        for row, name, requests in self._entries:
            self._run(row, name, requests, seconds)

    def rounds(self, number: int, tell: Callable[[str], None]) -> Samples:
        """Run the rounds, every other one in reverse order."""
        samples: Samples = {(row.name, name): [] for row, name, _ in self._entries}
        for turn in range(number):
            for row, name, requests in self._entries if turn % 2 == 0 else reversed(self._entries):
                sample = self._run(row, name, requests, self._seconds)
                samples[row.name, name].append(sample)
                tell(f"round {turn + 1}  {row.name:<18} {name:<14} {sample.rate:7.0f}/s")
        return samples

    def under_load(self, samples: Samples, number: int, tell: Callable[[str], None]) -> Latencies:
        """Send requests of `PACED_ROWS` in an open loop, at `SHARE` of their rates in `samples`.

        Raises:
            RefusedError: an answer was not a success.
        """
        entries = [one for one in self._entries if one[0].name in PACED_ROWS and one[1] in PACED]
        seconds: dict[tuple[str, str], list[float]] = defaultdict(list)
        rates = {key: SHARE * median(sample.rate for sample in found) for key, found in samples.items()}
        for turn in range(number):
            for row, name, requests in entries if turn % 2 == 0 else reversed(entries):
                moments = load.arrivals(rates[row.name, name], SECONDS, Random(turn))  # noqa: S311  # the same for all
                timed = map(load.Timed, moments, repeat(row.name), requests)
                outcome = load.paced(self._servers[name].port, timed)
                if outcome.refused:
                    raise RefusedError(f"{row.name}: {name} answered {dict(outcome.refused)}")
                seconds[row.name, name] += outcome.waits[row.name]
        found = {key: Latency.of(rates[key], waits) for key, waits in seconds.items()}
        for (row_name, name), one in found.items():
            tell(f"under load  {row_name:<18} {name:<14} {one.rate:5.0f}/s  {one.p50_ms:6.1f} / {one.p99_ms:6.1f} ms")
        return found

    def _run(self, row: Row, name: str, requests: Iterator[bytes], seconds: float) -> Sample:
        server = self._servers[name]
        served, asked = machine.cpu_seconds(server.worker), machine.family_cpu_seconds(self._postgres)
        try:
            outcome = load.run(server.port, requests, seconds, self._connections)
        except (load.BrokenAnswerError, OSError) as error:
            error.add_note(f"{row.name}: {name}. {server.end_of_log()}")
            raise
        served = machine.cpu_seconds(server.worker) - served
        asked = machine.family_cpu_seconds(self._postgres) - asked
        if outcome.refused or not outcome.answered:
            raise RefusedError(f"{row.name}: {name} answered {dict(outcome.refused)}, and {outcome.answered} times 2xx")
        return Sample(
            rate=outcome.answered / outcome.seconds,
            server_us=served / outcome.answered * 1e6,
            postgres_us=asked / outcome.answered * 1e6,
            load_share=outcome.cpu_seconds / outcome.seconds,
            p50_ms=percentile(outcome.waits[""], 0.50) * 1000,
            p99_ms=percentile(outcome.waits[""], 0.99) * 1000,
        )


def percentile(values: Sequence[float], share: float) -> float:
    """Return the least of the values that this `share` of them do not exceed."""
    return sorted(values)[ceil(share * len(values)) - 1]


def ratio(samples: Sequence[Sample], to: Sequence[Sample]) -> Spread:
    """Return the ratio of the rates for each round. Both rates of a round were measured in the same minute."""
    return Spread.of([one.rate / other.rate for one, other in zip(samples, to, strict=True)])
