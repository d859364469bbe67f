"""`python -m tools.bench.cold`: measure calls whose data is in no cache. Writes COLD.md; needs Linux, and root."""

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

import psycopg

from tools.bench import load, machine
from tools.bench.cast import Cast, save
from tools.bench.cold.bound import MIB, MemoryGroup, disk_reads, drop_cached, family, memory_group, write_out
from tools.bench.cold.pages import PAGE, Cell, Found, Phase, Statement, calls, markdown, pages_of
from tools.bench.measure import Latency
from tools.bench.servers import ROOT, Server
from tools.bench.site import Site, temporary_site

PER_GIGABYTE = 1_120
"""Members of a gigabyte, indexes included."""

LEAST_GIGABYTES = 0.1

RATES = (10, 100)
CACHE = 256 * MIB
SHARED_BUFFERS = "32MB"
WARM_UP_SECONDS = 30.0
"""At the highest rate: until the pages that every call needs are in memory, and the others come and go."""

CLUSTERED = {
    "courses_item": "item_member_due_times",
    "vocab_card": "card_member_deck_due",
    "vocab_review": "review_member_age",
}
"""Tables, and the indexes by which `CLUSTER` orders them, which begin with the member."""

_UNBOUND = ("fsync=off", "shared_buffers=1GB", "maintenance_work_mem=1GB", "max_wal_size=16GB")
_BOUND = (f"shared_buffers={SHARED_BUFFERS}",)


def main() -> None:
    """Read the options, measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.cold", description=__doc__)
    parser.add_argument("--gigabytes", type=float, default=4.0)
    parser.add_argument("--minutes", type=float, default=10.0, help="of each rate")
    parser.add_argument("--note", default="", help="a sentence for the page, as of other work on the machine")
    options = parser.parse_args()
    if options.gigabytes < LEAST_GIGABYTES:
        parser.error(f"members would exceed their rate limits with less than {LEAST_GIGABYTES} GB")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # both end everything that was started
    serving, others = machine.split_cores()
    os.sched_setaffinity(0, others)  # ours, and inherited by PostgreSQL
    busy = os.getloadavg()[0]
    with memory_group() as group, temporary_site() as site:
        cold = _Cold(site, group, serving, options.minutes * 60)
        found = cold.measure(options.gigabytes, busy)
    PAGE.write_text(markdown(found, options.note))
    print(PAGE.read_text())


def _tell(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


class _Cold:
    """A database, whose PostgreSQL is started again for each part of the work. The server uses the cores `serving`."""

    def __init__(self, site: Site, group: MemoryGroup, serving: set[int], seconds: float) -> None:
        self._site = site
        self._postgres = site.postgres
        self._options = self._postgres.options
        self._group = group
        self._serving = serving
        self._seconds = seconds
        self._chance = random.Random(1)  # noqa: S311  # picks members and times, no secrets

    def measure(self, gigabytes: float, busy: float) -> Found:
        """Fill the database, and measure it as it was written and clustered."""
        self._restart(_UNBOUND)
        url, members = self._postgres.create("cold"), round(gigabytes * PER_GIGABYTE)
        _tell(f"seeding {members:,} members")
        with machine.running_on(self._serving):  # the other half of the work is PostgreSQL's
            cast = self._site.fill(url, self._site.directory / "data", members, "cold.seed.fill")
        (size, tables), version = _sizes(url), _version(url)
        _tell(f"seeded {size / MIB:,.0f} MiB")
        warm = self._in_memory(url, cast)
        written = self._phase("as written", url, cast, RATES)
        self._restart(_UNBOUND)
        for table, index in CLUSTERED.items():
            self._postgres.execute("cold", f"CLUSTER {table} USING {index}", f"VACUUM ANALYZE {table}")
        _tell("clustered")
        clustered = self._phase("clustered", url, cast, RATES[-1:])
        return Found(busy, members, size, tables, self._seconds, version, warm, (written, clustered))

    def _restart(self, settings: Sequence[str]) -> None:
        """Start PostgreSQL again."""
        self._postgres.stop()
        write_out(self._postgres.data)
        self._postgres.options = " ".join([self._options, *(f"-c {one}" for one in settings)])
        self._postgres.start()

    def _in_memory(self, url: str, cast: Cast) -> Cell:
        """Measure with all files in memory, where filling has left them."""
        self._restart(())
        with self._site.part():
            server = self._serve(url)
            load.paced(server.port, self._mixed(cast, RATES[-1], WARM_UP_SECONDS))
            return self._cell("in memory", server, cast, RATES[-1], min(self._seconds, 60.0))

    def _serve(self, url: str) -> Server:
        with machine.running_on(self._serving):
            return self._site.start(url, self._site.directory / "data", {})

    def _phase(self, name: str, url: str, cast: Cast, rates: Sequence[int]) -> Phase:
        """Measure one order of the rows, from the disk."""
        self._postgres.stop()
        drop_cached(self._postgres.data)
        self._restart(_BOUND)
        reads = disk_reads(self._postgres.data / "base")
        self._group.limit(2 * CACHE)
        self._group.add(family(self._postgres.pid))
        with self._site.part():
            server = self._serve(url)
            load.paced(server.port, self._mixed(cast, RATES[-1], WARM_UP_SECONDS / 2))
            self._group.limit_files(CACHE)  # now that every thread has its connection
            load.paced(server.port, self._mixed(cast, RATES[-1], WARM_UP_SECONDS / 2))
            cells = {rate: self._cell(name, server, cast, rate, self._seconds) for rate in rates}
        pages = self._pages(url, cast)
        self._postgres.stop()  # its processes leave the group
        return Phase(name, Latency.of(0, reads), cells, pages)

    def _cell(self, name: str, server: Server, cast: Cast, rate: int, length: float) -> Cell:
        outcome = load.paced(server.port, self._mixed(cast, rate, length))
        latencies = {
            call: Latency.of(len(seconds) / length, seconds) for call, seconds in sorted(outcome.waits.items())
        }
        _tell(f"{name}, {rate}/s: {latencies} {dict(outcome.refused)}")
        return Cell(latencies, outcome.refused, self._group.files())

    def _mixed(self, cast: Cast, rate: float, seconds: float) -> Iterator[load.Timed]:
        """Yield requests at random moments, each a random call of a random member."""
        rows, chance = calls(), self._chance
        for due in load.arrivals(rate, seconds, chance):
            row, subject = chance.choice(rows), chance.choice(cast.members)
            call = row.call(subject, chance.randrange(len(subject.cards)))
            yield load.Timed(due, row.name, call.encode(subject))

    def _pages(self, url: str, cast: Cast) -> dict[str, list[Statement]]:
        """Count pages in a process of its own."""
        directory = self._site.directory
        people, pages = directory / "cast.json", directory / "pages.json"
        save(people, cast)
        arguments = [str(people), str(self._chance.randrange(1000)), str(pages)]
        command = [sys.executable, "-m", "tools.bench.cold.pages", *arguments]
        env = self._site.environment(url, directory / "data")
        with machine.running_on(self._serving):
            subprocess.run(command, cwd=ROOT, env=env, check=True)
        return pages_of(pages)


def _sizes(url: str) -> tuple[int, dict[str, tuple[int, int]]]:
    """Return the bytes of the database, and rows and bytes of its largest tables, indexes included."""
    with psycopg.connect(url) as connection:
        [(size,)] = connection.execute("SELECT pg_database_size(current_database())").fetchall()
        tables = connection.execute(
            "SELECT relname, reltuples::bigint, pg_total_relation_size(oid) FROM pg_class "
            "WHERE relkind = 'r' ORDER BY 3 DESC LIMIT 6"
        ).fetchall()
    return size, {name: (rows, total) for name, rows, total in tables}


def _version(url: str) -> str:
    with psycopg.connect(url) as connection:
        return str(connection.execute("SELECT current_setting('server_version')").fetchall()[0][0])


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
