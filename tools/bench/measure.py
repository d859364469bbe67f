"""Rounds of measurements: all rows and contestants alternate, so that a slow minute affects all of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import ceil
from statistics import median
from typing import NamedTuple

from tools.bench import load, machine
from tools.bench.cast import Cast
from tools.bench.rows import Row
from tools.bench.servers import Server


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


Stretches = Mapping[tuple[str, str], Iterator[Iterator[bytes]]]
"""Row and contestant to the requests of successive stretches of load."""


def stretches_of(rows: Sequence[Row], cast: Cast, number: int) -> Stretches:
    """Return the requests of each row and contestant. Single-use ones are divided among `number` stretches."""
    return {(row.name, name): row.requests(cast, name, number) for row in rows for name in row.contestants}


class Course:
    """The rows and contestants to measure, with their requests.

    Args:
        servers: contestant to its server.
        postgres: process id of the database server.
        seconds: for each row and contestant in a round.
        stretches: by row and contestant, the requests of each future stretch of load.
        connections: of the load generator.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        servers: Mapping[str, Server],
        stretches: Stretches,
        postgres: int,
        *,
        seconds: float,
        connections: int = load.CONNECTIONS,
    ) -> None:
        self._servers, self._postgres, self._seconds, self._connections = servers, postgres, seconds, connections
        self._entries: list[tuple[Row, str, Iterator[Iterator[bytes]]]] = [
            (row, name, stretches[row.name, name]) for row in rows for name in row.contestants if name in servers
        ]

    def warm_up(self, seconds: float = 1.0) -> None:
        """Fill every contestant's caches, connections and prepared statements."""
        for row, name, requests in self._entries:
            self._run(row, name, next(requests), seconds)

    def rounds(self, number: int, tell: Callable[[str], None]) -> Samples:
        """Run the rounds, every other one in reverse order."""
        samples: Samples = {(row.name, name): [] for row, name, _ in self._entries}
        for turn in range(number):
            for row, name, requests in self._entries if turn % 2 == 0 else reversed(self._entries):
                sample = self._run(row, name, next(requests), self._seconds)
                samples[row.name, name].append(sample)
                tell(f"round {turn + 1}  {row.name:<18} {name:<14} {sample.rate:7.0f}/s")
        return samples

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
            p50_ms=percentile(outcome.waits, 0.50) * 1000,
            p99_ms=percentile(outcome.waits, 0.99) * 1000,
        )


def percentile(values: Sequence[float], share: float) -> float:
    """Return the least of the values that this `share` of them do not exceed."""
    return sorted(values)[ceil(share * len(values)) - 1]


def ratio(samples: Sequence[Sample], to: Sequence[Sample]) -> Spread:
    """Return the ratio of the rates for each round. Both rates of a round were measured in the same minute."""
    return Spread.of([one.rate / other.rate for one, other in zip(samples, to, strict=True)])
