"""The figures as Markdown tables, and how to read them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import median

from bench import machine
from bench.contestants import THREADS
from bench.load import CONNECTIONS
from bench.measure import Sample, Samples, Spread, ratio
from bench.rows import FLOOR, IDIOMATIC, SERVICE, Row


@dataclass(slots=True)
class Results:
    """Everything that one run found out.

    Attributes:
        rows: what was measured.
        samples: the figures.
        rounds: how many, of `seconds` each.
        busy: load average of the machine when the run began; above a few tenths it did something else meanwhile.
        postgres: version and the durability settings of the database server.
        memory: contestant to resident MiB after warming up and after the run.
        scale: samples of list_items under the names of the data set's sizes, small one first; empty if not measured.
    """

    rows: Sequence[Row]
    samples: Samples
    rounds: int
    seconds: float
    busy: float
    postgres: str
    memory: dict[str, tuple[float, float]]
    scale: Mapping[str, list[Sample]] = field(default_factory=dict)

    def markdown(self) -> str:
        """The whole page."""
        parts = [_HEAD, self._setting(), self._rates(), self._where(), self._memory()]
        if self.scale:
            parts.append(self._scale())
        return "\n\n".join([*parts, _READING]) + "\n"

    def _setting(self) -> str:
        return (
            f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC. {machine.describe()}.\n"
            f"Load average when the run began: {self.busy:.1f}.\n"
            f"{self.postgres}.\n"
            f"{self.rounds} rounds of {self.seconds:g} s for each row and contestant, {CONNECTIONS} connections, "
            f"gunicorn gthread with one process of {THREADS} threads."
        )

    def _rates(self) -> str:
        lines = [
            "## Requests per second\n",
            f"| | {SERVICE} | {FLOOR} | {IDIOMATIC} | {SERVICE} / {FLOOR} | {IDIOMATIC} / {FLOOR} |",
            "|---|---|---|---|---|---|",
        ]
        for row in self.rows:
            cells = [self._rate(row.name, name) for name in (SERVICE, FLOOR, IDIOMATIC)]
            ratios = [self._ratio(row, name) for name in (SERVICE, IDIOMATIC)]
            lines.append(f"| {row.name} | {' | '.join(cells + ratios)} |")
        lines += ["", *(f"- {row.name}: {row.what}" for row in self.rows)]
        return "\n".join(lines)

    def _rate(self, row: str, name: str) -> str:
        found = self.samples.get((row, name))
        return _spread(Spread.of([sample.rate for sample in found]), "{:.0f}") if found else "–"

    def _ratio(self, row: Row, name: str) -> str:
        found = self.samples.get((row.name, name))
        to = self.samples.get((row.against, SERVICE) if row.against else (row.name, FLOOR))
        if not found or not to:
            return "–"
        against = f" of {row.against}" if row.against else ""
        return f"**{_spread(ratio(found, to), '{:.2f}')}**{against}"

    def _where(self) -> str:
        lines = [
            "## CPU time per request, µs (medians)\n",
            f"| | server process | {FLOOR} / it | PostgreSQL | load generator, share of its core |",
            "|---|---|---|---|---|",
        ]
        for (row, name), found in self.samples.items():
            server, postgres = (median(getattr(one, at) for one in found) for at in ("server_us", "postgres_us"))
            least = self.samples.get((row, FLOOR))
            share = f"{median(one.server_us for one in least) / server:.2f}" if least else "–"
            load = median(one.load_share for one in found)
            lines.append(f"| {row}, {name} | {server:.0f} | {share} | {postgres:.0f} | {load:.0%} |")
        return "\n".join(lines)

    def _memory(self) -> str:
        lines = [
            "## Memory of the server process, MiB resident\n",
            "| | after warming up | after the run |",
            "|---|---|---|",
        ]
        lines += [f"| {name} | {before:.0f} | {after:.0f} |" for name, (before, after) in self.memory.items()]
        return "\n".join(lines)

    def _scale(self) -> str:
        [(small, few), (large, many)] = self.scale.items()
        lines = ["## list_items as the data grows\n", "| data | requests per second | ratio |", "|---|---|---|"]
        for name, found, share in ((small, few, "1"), (large, many, f"**{_spread(ratio(many, few), '{:.2f}')}**")):
            lines.append(f"| {name} | {_spread(Spread.of([one.rate for one in found]), '{:.0f}')} | {share} |")
        return "\n".join(lines)


def _spread(spread: Spread, form: str) -> str:
    if spread.least == spread.most:
        return form.format(spread.median)
    return f"{form} ({form}..{form})".format(*spread)


_HEAD = """# Results

Written by `make bench`; do not edit. Figures hold for the machine and the day named here: the ratios say more than the
rates, and a new run more than both."""

_READING = f"""## How to read this

- **{FLOOR}** is one bare WSGI function with psycopg and hand-written, prepared queries that gives the same bodies
  (checked before measuring). It has no request ids, rate limits, log, CORS or helpful errors: nothing that does the
  same job in Python on this server can be faster. Rows of one member with very much are measured without it.
- **{IDIOMATIC}** is ModelSerializers and ModelViewSets on the same tables: what most would write.
- All three run one after the other within each round, on the same core; PostgreSQL and the load generator share the
  other cores. A figure is the median of the rounds, with the least and the greatest in brackets; a ratio is taken
  within each round first.
- Every request carries one of the members' API keys or tokens in turn; every answer's status is checked.
- Where other work disturbs the machine, the ratio of CPU times is steadier than that of the rates.
- With a load generator near 100 % of its core the fastest contestant is held back, and the service looks better than
  it is."""
