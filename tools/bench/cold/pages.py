"""`tools/bench/cold/pages.py CAST_FILE SEED FILE`, as a module: count the pages that each statement of a call reads.

Each statement of a call is explained, with `EXPLAIN (ANALYZE, BUFFERS)`, right before it is executed, for members who
made no call for a while. What explaining writes is rolled back. Checks of foreign keys at the commit are not counted.
The figures become `tools/bench/COLD.md`.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import median

import orjson

from tools.bench.cast import Cast
from tools.bench.cold.bound import MIB
from tools.bench.explained import Plan, explained, nodes, set_up
from tools.bench.markdown import machine_line, table
from tools.bench.measure import Latency
from tools.bench.rows import ROWS, Row

CALLS = ("list_items", "get_agenda", "review_vocab_card")
MEMBERS = 20
"""Of each call."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a call, and the medians of the pages that it found in shared buffers, and that it did not.

    `key` tells it from the others of the call.
    """

    key: str
    what: str
    hit: float
    read: float


Reading = tuple[str, str, int, int]
"""SQL and description of a statement, and its pages found in shared buffers and read."""


def main() -> None:
    """Explain the statements of the calls, in a process with the settings."""
    _, cast, seed, target = sys.argv
    people, chance = set_up(Path(cast)), Random(int(seed))  # noqa: S311  # a sample of members
    found = {row.name: [asdict(one) for one in _statements(row, people, chance)] for row in calls()}
    Path(target).write_bytes(orjson.dumps(found))


def calls() -> list[Row]:
    """Return the measured rows."""
    return [row for row in ROWS if row.name in CALLS]


def pages_of(file: Path) -> dict[str, list[Statement]]:
    """Return what `main` wrote: the statements of each call, in their order."""
    return {name: [Statement(**one) for one in found] for name, found in orjson.loads(file.read_bytes()).items()}


def _statements(row: Row, cast: Cast, chance: Random) -> Iterator[Statement]:
    """Yield the statements that at least half of the members' calls have."""
    readings = []
    for subject in chance.sample(cast.members, MEMBERS):
        call = row.call(subject, chance.randrange(len(subject.cards)))
        readings.append([_reading(sql, plan) for sql, plan in explained(subject, call)])
    longest = max(readings, key=len)
    for place, (sql, what, _, _) in enumerate(longest):
        turn = [one[0] for one in longest[:place]].count(sql)  # a statement can be executed twice
        same = [found[turn] for one in readings if len(found := [of for of in one if of[0] == sql]) > turn]
        if len(same) * 2 >= len(readings):
            yield Statement(f"{sql} {turn}", what, median(one[2] for one in same), median(one[3] for one in same))


def _reading(sql: str, plan: Plan) -> Reading:
    """Describe a statement by what it does and its tables."""
    tables = dict.fromkeys(node["Relation Name"] for node in nodes(plan) if "Relation Name" in node)
    verb: str = plan.get("Operation", sql.split(None, 1)[0])
    return sql, f"{verb.upper()} {', '.join(tables)}", plan["Shared Hit Blocks"], plan["Shared Read Blocks"]


PAGE = Path(__file__).parent.with_name("COLD.md")


@dataclass(frozen=True, slots=True)
class Cell:
    """A run at one rate.

    Attributes:
        latencies: by call.
        refused: statuses that are not 2xx.
        files: bytes of files in memory at its end.
    """

    latencies: Mapping[str, Latency]
    refused: Counter[int]
    files: int


@dataclass(frozen=True, slots=True)
class Phase:
    """The figures of one order of the rows.

    Attributes:
        disk: how long a read of one page from the disk takes.
        cells: by the requests per second.
        pages: the statements of each call.
    """

    name: str
    disk: Latency
    cells: Mapping[int, Cell]
    pages: Mapping[str, list[Statement]]


@dataclass(frozen=True, slots=True)
class Found:
    """The findings of a run.

    Attributes:
        busy: load average when the run began.
        size: bytes of the database.
        tables: rows and bytes of the largest ones, indexes included.
        seconds: of each rate.
        postgres: version of the database server.
        in_memory: the run at the highest rate, with nothing on the disk alone.
    """

    busy: float
    members: int
    size: int
    tables: Mapping[str, tuple[int, int]]
    seconds: float
    postgres: str
    in_memory: Cell
    phases: Sequence[Phase]


def markdown(found: Found, note: str) -> str:
    """The whole page, with a sentence of who ran it."""
    return "\n\n".join([_HEAD, _setting(found, note), _waits(found), _pages(found), _clustering(found)]) + "\n"


def _setting(found: Found, note: str) -> str:
    rows = [(name, f"{number:,}", f"{size / MIB:,.0f}") for name, (number, size) in found.tables.items()]
    files = [cell.files / MIB for phase in found.phases for cell in phase.cells.values()]
    disk = found.phases[0].disk
    cells = [found.in_memory, *(cell for phase in found.phases for cell in phase.cells.values())]
    other = sum((cell.refused for cell in cells), Counter[int]())
    told = [machine_line(), f"Load average when the run began: {found.busy:.1f}.", *([note] if note else [])]
    return (
        f"{chr(10).join(told)}\nPostgreSQL {found.postgres} with its default settings but `shared_buffers`.\n"
        "One process of the service with its default settings, on a core of its own.\n\n"
        f"{found.members:,} members, {found.size / MIB:,.0f} MiB with indexes. The largest tables:\n\n"
        f"{table(['', 'rows', 'MiB'], rows)}\n\n"
        f"{_BOUND}At the end of the runs {min(files):.0f} to {max(files):.0f} MiB of files were in memory.\n"
        f"A read of one page (8 KiB) from the disk, past every cache of the system, took "
        f"{disk.p50_ms:.2f} ms (median), {disk.p99_ms:.2f} ms (p99).\n\n"
        f"{'Every answer was a success.' if not other else f'Answers that were no success, by status: {dict(other)}.'}"
    )


def _waits(found: Found) -> str:
    columns = {f"{rate} / s, {phase.name}": cell for phase in found.phases for rate, cell in phase.cells.items()}
    columns = {f"{max(found.phases[0].cells)} / s, all in memory": found.in_memory} | columns
    rows = [[call, *(_latency(cell, call) for cell in columns.values())] for call in found.in_memory.latencies]
    return f"## Waits\n\n{table(['', *columns], rows)}\n\n{_READING.format(minutes=found.seconds / 60)}"


def _latency(cell: Cell, call: str) -> str:
    one = cell.latencies[call]
    return f"{one.p50_ms:.1f} / {one.p99_ms:.1f}"


def _pages(found: Found) -> str:
    rows = [line for call in found.phases[0].pages for line in _page_rows(found.phases, call)]
    return f"## Pages\n\n{table(['', 'statement', *(phase.name for phase in found.phases)], rows)}\n\n{_COUNTED}"


def _page_rows(phases: Sequence[Phase], call: str) -> Iterator[list[str]]:
    """Yield a line for each statement of a call, and one for all."""
    by_key = [{one.key: one for one in phase.pages[call]} for phase in phases]
    for key, first in by_key[0].items():
        found = [statements.get(key) for statements in by_key]
        yield [call, first.what, *(f"{one.hit:g} + {one.read:g}" if one else "–" for one in found)]
    sums = [(sum(one.hit for one in found.values()), sum(one.read for one in found.values())) for found in by_key]
    yield [call, "**all**", *(f"**{hit:g} + {read:g}**" for hit, read in sums)]


def _clustering(found: Found) -> str:
    """Say how many reads each call has, in the first order of the rows and in the last."""
    first, last = ({call: sum(one.read for one in of) for call, of in phase.pages.items()} for phase in found.phases)
    told = ", ".join(f"{call} {last[call]:g} in place of {before:g}" for call, before in first.items())
    return f"## Effect of the order of rows\n\nReads of pages that are not in shared buffers: {told}.\n\n{_CLUSTERING}"


_HEAD = """# Cold data

Written by `python -m tools.bench.cold`; do not edit. The latency of calls for members whose rows are on the disk and
not in memory, as after a night, and the pages that each statement then reads. Figures hold for this machine and its
disk."""

_BOUND = """The rows are in the order that a year of writes leaves: rows that a member wrote together are adjacent,
between those of other members. PostgreSQL was stopped, its files were written to the disk and dropped from memory
(`posix_fadvise`), and it was started with `shared_buffers` 32MB in a memory control group. The group may hold the
memory of its processes and 256 MiB of files.
"""

_READING = """p50 / p99 in milliseconds, over {minutes:g} minutes of each rate (with all in memory, one at most). The
three calls are mixed in equal numbers, each of a random member, at random moments (Poisson), whether earlier ones are
answered or not. A wait counts from the planned moment of the call. With all in memory, `shared_buffers` has its
default and memory is not limited."""

_COUNTED = f"""Pages of 8 KiB, of tables and indexes, that were in shared buffers + that were not: medians of {MEMBERS}
random members, by `EXPLAIN (ANALYZE, BUFFERS)` right before each statement. Pages outside shared buffers are read from
the system's cache or the disk. Checks of foreign keys at the commit are not counted."""

_CLUSTERING = """`CLUSTER` put items, cards and reviews in the order of an index that begins with the member. A
member's items and cards are then on a few pages, so lists and the agenda read fewer. A review looks up one card and
adds one row to each log, so it reads mostly pages of indexes, and about as many as before. Each page that is not read
saves the time of one read from the disk, which is short on this machine compared with the call. `CLUSTER` locks a
table while it copies it, needs room for the copy, and must be repeated, because new rows are added at the end. A
covering index would avoid the reads of rows, too, but would store every note and title twice and slow each write of an
item. Neither is done."""

if __name__ == "__main__":
    main()
