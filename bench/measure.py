"""Rounds of measuring: every row and contestant in turn, so that a slow minute of the machine affects all of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from bench import load, machine
from bench.cast import Cast
from bench.rows import Row
from bench.servers import Server


class Sample(NamedTuple):
    """One stretch of load.

    Attributes:
        rate: 2xx answers per second.
        server_us: CPU time of the server process per answer, in microseconds.
        postgres_us: CPU time of PostgreSQL per answer, in microseconds.
        load_share: share of its core that the load generator used.
    """

    rate: float
    server_us: float
    postgres_us: float
    load_share: float


class Spread(NamedTuple):
    """Median, least and greatest of a few figures."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        """The spread of at least one figure."""
        return cls(median(values), min(values), max(values))


class RefusedError(Exception):
    """A contestant refused a request while it was measured."""


Samples = dict[tuple[str, str], list[Sample]]
"""Row and contestant to one sample for each round."""


class Course:
    """The rows and contestants to measure, with their requests.

    Args:
        servers: contestant to its server.
        postgres: process id of the database server.
        seconds: for each row and contestant in a round.
        rounds: the most there will be; requests that work only once are divided among them.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        servers: Mapping[str, Server],
        cast: Cast,
        postgres: int,
        *,
        seconds: float,
        rounds: int,
    ) -> None:
        self._servers, self._postgres, self._seconds = servers, postgres, seconds
        self._entries: list[tuple[Row, str, Iterator[Iterator[bytes]]]] = [
            (row, name, row.requests(cast, name, rounds + 1))
            for row in rows
            for name in row.contestants
            if name in servers
        ]

    def warm_up(self, seconds: float = 1.0) -> None:
        """Fill every contestant's caches, connections and prepared statements."""
        for row, name, requests in self._entries:
            self._run(row, name, next(requests), seconds)

    def rounds(self, number: int, tell: Callable[[str], None]) -> Samples:
        """Run the rounds; every other one in reverse order."""
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
        outcome = load.run(server.port, requests, seconds)
        served = machine.cpu_seconds(server.worker) - served
        asked = machine.family_cpu_seconds(self._postgres) - asked
        if outcome.refused or not outcome.answered:
            raise RefusedError(f"{row.name}: {name} answered {dict(outcome.refused)}, and {outcome.answered} times 2xx")
        return Sample(
            rate=outcome.answered / outcome.seconds,
            server_us=served / outcome.answered * 1e6,
            postgres_us=asked / outcome.answered * 1e6,
            load_share=outcome.cpu_seconds / outcome.seconds,
        )


def ratio(samples: Sequence[Sample], to: Sequence[Sample]) -> Spread:
    """Return the ratio of the rates, round by round: the two of one round ran in the same minute."""
    return Spread.of([one.rate / other.rate for one, other in zip(samples, to, strict=True)])
