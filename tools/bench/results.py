"""The figures as Markdown tables, with an explanation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from tools.bench.load import CONNECTIONS
from tools.bench.markdown import machine_line, table
from tools.bench.measure import SHARE, Latencies, Latency, Sample, Samples, Spread, ratio
from tools.bench.postgres import CONNECTIONS as DISTANT_CONNECTIONS
from tools.bench.rows import CONTESTANTS, FASTAPI, FLOOR, IDIOMATIC, SERVICE, WITH_REDIS, Row
from tools.bench.servers import THREADS
from tools.bench.targets import verdicts

_Figure = TypeVar("_Figure")


@dataclass(slots=True)
class Results:
    """The results of a run.

    Attributes:
        rounds: their number, of `seconds` each.
        busy: load average of the machine when the run began; above a few tenths, it had other work.
        postgres: version and durability settings of the database server.
        tools_list: bytes of the service's answer to tools/list, which every session of an assistant reads.
        memory: contestant to resident MiB after warming up and after the run.
        scale: samples of list_items by the size of the data set, small one first; empty if not measured.
        distances: samples by the milliseconds of a round trip to PostgreSQL; empty if not measured.
        latencies: under a share of the load, by those milliseconds; empty if not measured.
    """

    rows: Sequence[Row]
    samples: Samples
    rounds: int
    seconds: float
    busy: float
    postgres: str
    tools_list: int
    memory: Mapping[str, tuple[float, float]]
    scale: Mapping[str, list[Sample]]
    distances: Mapping[int, Samples]
    latencies: Mapping[int, Latencies]

    def markdown(self) -> str:
        """Return the whole page."""
        setting = (
            f"{machine_line()}\nLoad average when the run began: {self.busy:.1f}.\n{self.postgres}.\n"
            f"{self.rounds} rounds of {self.seconds:g} s for each row and contestant, {CONNECTIONS} connections, "
            f"one process each: gunicorn asgi with {THREADS} threads, for others gthread, "
            f"for {FASTAPI} uvicorn with uvloop.\n"
            f"The answer to tools/list has {self.tools_list:,} bytes."
        )
        parts = [_HEAD, setting, self._targets(), self._rates(), self._ratios(), self._cpu(), self._memory()]
        return "\n\n".join([*parts, *self._under_load(), *self._scale(), *self._distances(), _READING]) + "\n"

    def _targets(self) -> str:
        found = list(verdicts(self.samples, self.memory, self.distances, self.scale))
        rows = [[one.name, one.target, one.reached, "**short**" if one.is_short else "reached"] for one in found]
        short = "; ".join(one.name for one in found if one.is_short)
        where = f"Short: {short}. For the time they spend, see [PROFILE.md](PROFILE.md#what-takes-the-time)."
        return (
            f"{_titled('Targets', ['', 'target', 'reached', ''], rows)}\n\n"
            f"Without a unit: CPU time of {FLOOR} divided by that of the row; for a tool, that of its REST call. "
            f"Compared with {FASTAPI}: requests per second.\n"
            f"{where if short else 'None is short.'}\n"
            "For the gain of each step, see [PROFILE.md](PROFILE.md#before-and-after)."
        )

    def _names(self) -> list[str]:
        return [name for name in CONTESTANTS if any(found == name for _, found in self.samples)]

    def _rates(self) -> str:
        found = {key: _rates_of(samples) for key, samples in self.samples.items()}
        rows = [[row.name, *(found.get((row.name, name), "–") for name in self._names())] for row in self.rows]
        what = "\n".join(f"- {row.name}: {row.what}" for row in self.rows)
        return f"{_titled('Requests per second', ['', *self._names()], rows)}\n\n{what}"

    def _ratios(self) -> str:
        names = [name for name in self._names() if name != FLOOR]
        rows = []
        for row in self.rows:
            to, against = ((row.against, SERVICE), f" of {row.against}") if row.against else ((row.name, FLOOR), "")
            ratios = [self._ratio((row.name, name), to, against) for name in names]
            rows.append([row.name, *ratios, self._ratio((row.name, SERVICE), (row.name, FASTAPI))])
        head = ["", *(f"{name} / {FLOOR}" for name in names), f"{SERVICE} / {FASTAPI}"]
        return _titled("Ratio of requests per second", head, rows)

    def _ratio(self, one: tuple[str, str], other: tuple[str, str], against: str = "") -> str:
        found, to = self.samples.get(one), self.samples.get(other)
        return f"**{_spread(ratio(found, to), '{:.2f}')}**{against}" if found and to else "–"

    def _cpu(self) -> str:
        rows = []
        for (row, name), found in self.samples.items():
            server, postgres, load = map(median, zip(*(sample[1:4] for sample in found), strict=True))
            least = self.samples.get((row, FLOOR))
            share = f"{median(one.server_us for one in least) / server:.2f}" if least else "–"
            rows.append([f"{row}, {name}", f"{server:.0f}", share, f"{postgres:.0f}", f"{load:.0%}"])
        head = ["", "server process", f"{FLOOR} / server process", "PostgreSQL", "load generator, share of its core"]
        return _titled("CPU time per request, µs (medians)", head, rows)

    def _memory(self) -> str:
        rows = [[name, f"{before:.0f}", f"{after:.0f}"] for name, (before, after) in self.memory.items()]
        return _titled("Memory of the server process, MiB resident", ["", "after warming up", "after the run"], rows)

    def _scale(self) -> list[str]:
        if not self.scale:
            return []
        [(small, few), (large, many)] = self.scale.items()
        growth = f"**{_spread(ratio(many, few), '{:.2f}')}**"
        rows = [[small, _rates_of(few), "1"], [large, _rates_of(many), growth]]
        return [_titled("list_items as the data grows", ["data", "requests per second", "ratio"], rows)]

    def _distances(self) -> list[str]:
        what = (
            f"Requests per second · p50 / p99 in milliseconds, with {DISTANT_CONNECTIONS} connections, by the "
            "round-trip time that a proxy adds between a contestant and PostgreSQL. Each uses its defaults, "
            "as in the table above."
        )
        return _by_distance("With PostgreSQL further away", self.distances, _rate_and_waits, what)

    def _under_load(self) -> list[str]:
        what = (
            f"Requests per second · p50 / p99 in milliseconds, at {SHARE:.0%} of what the row answers at most with "
            "PostgreSQL beside it, and with a proxy that adds a round trip of 1 ms. Requests come at random moments "
            "(Poisson), whether earlier ones are answered or not, and the time of each counts from its moment."
        )
        return _by_distance("Latency under load", self.latencies, _latency, what)


def _by_distance(
    title: str, found: Mapping[int, Mapping[tuple[str, str], _Figure]], told: Callable[[_Figure], str], what: str
) -> list[str]:
    """Return a table with a column for each distance; nothing if none was measured."""
    if not found:
        return []
    rows = [
        [f"{row}, {name}", *(told(there[row, name]) if (row, name) in there else "–" for there in found.values())]
        for row, name in next(iter(found.values()))
    ]
    return [f"{_titled(title, ['', *(f'{distance} ms' for distance in found)], rows)}\n\n{what}"]


def _latency(one: Latency) -> str:
    return f"{one.rate:.0f} · {one.p50_ms:.1f} / {one.p99_ms:.1f}"


def _rate_and_waits(samples: Sequence[Sample]) -> str:
    rate, p50, p99 = (
        median(values) for values in zip(*((one.rate, one.p50_ms, one.p99_ms) for one in samples), strict=True)
    )
    return f"{rate:.0f} · {p50:.0f} / {p99:.0f}"


def _titled(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return f"## {title}\n\n{table(head, rows)}"


def _rates_of(samples: Sequence[Sample]) -> str:
    return _spread(Spread.of([sample.rate for sample in samples]), "{:.0f}")


def _spread(spread: Spread, form: str) -> str:
    if spread.least == spread.most:
        return form.format(spread.median)
    return f"{form} ({form}..{form})".format(*spread)


_HEAD = """# Results

Written by `make bench`; do not edit. The figures are valid only for this machine and day. The ratios are more
meaningful than the rates, and a new run is more meaningful than both."""

_READING = f"""## How to read this

- **{FLOOR}** is one bare WSGI function with psycopg and handwritten, prepared queries that returns the same bodies
  (checked before measuring). It has no request ids, rate limits, log, CORS or helpful errors. Nothing that does the
  same job in Python on this server can be faster. Rows of a member with very much data are measured without it.
- **{WITH_REDIS}** counts requests in Redis, as several processes must; the floor counts nothing.
- **{IDIOMATIC}** is ModelSerializers and ModelViewSets on the same tables, **{FASTAPI}** its asyncio with SQLAlchemy
  and asyncpg: the code most people would write. They return the same objects, without request ids, rate limits, log or
  CORS.
- All run one after the other within each round, on the same core; PostgreSQL and the load generator share the
  other cores. A figure is the median of the rounds, with the minimum and the maximum in brackets; ratios are
  calculated within each round first.
- Requests use the members' API keys in turn; every answer's status is checked.
- If other work disturbs the machine, the ratio of CPU times is steadier than that of the rates.
- With a load generator near 100 % of its core the fastest contestant is slowed, and the service looks better than
  it is."""
