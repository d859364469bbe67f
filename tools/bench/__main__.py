"""`python -m tools.bench`: start PostgreSQL, seed, serve, measure, write RESULTS.md, and leave nothing behind."""

import argparse
import os
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psycopg

from tools.bench import agree, machine
from tools.bench.cast import Cast
from tools.bench.load import CONNECTIONS
from tools.bench.measure import PACED_DISTANCES, Course, Latencies, Sample, Samples
from tools.bench.postgres import CONNECTIONS as DISTANT_CONNECTIONS
from tools.bench.postgres import DISTANCES, at_distance
from tools.bench.results import Results
from tools.bench.rows import CONTESTANTS, DISTANT, ROWS, SERVICE, TOOLS_LIST, WITH_REDIS, Row
from tools.bench.servers import Server
from tools.bench.site import Site, temporary_site

RESULTS = Path(__file__).with_name("RESULTS.md")
MEMBERS = 1_000
MANY_MEMBERS = 10_000
ITEMS_EACH = 200
_DURABILITY = ("fsync", "synchronous_commit", "shared_buffers")


def main() -> None:
    """Read the options and run."""
    names = [row.name for row in ROWS]
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round of 2 s instead of three of 3 s")
    parser.add_argument(
        "--rows",
        type=lambda text: text.split(","),
        default=names,
        help=f"some of {','.join(names)}; only all are measured at a distance and written",
    )
    options = parser.parse_args()
    if unknown := set(options.rows) - set(names):
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    is_whole = not options.quick and options.rows == names
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # both signals end everything that was started
    busy = os.getloadavg()[0]
    serving, others = machine.split_cores()
    os.sched_setaffinity(0, others)  # ours, inherited by PostgreSQL
    with temporary_site() as site:
        bench = Bench(site, serving, *((1, 2.0) if options.quick else (3, 3.0)), is_whole=is_whole)
        page = bench.compare([row for row in ROWS if row.name in options.rows], busy)
    print(f"\n{page}")
    if is_whole:
        RESULTS.write_text(page)


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Bench:
    """The databases and servers of a run. Servers use the cores `serving`.

    Args:
        rounds: their number, of `seconds` for each row and contestant.
        is_whole: also measure list_items with ten times the data, the latency at 70 % of the rate, and rows with
            PostgreSQL further away.
    """

    def __init__(self, site: Site, serving: set[int], rounds: int, seconds: float, *, is_whole: bool) -> None:
        self._site, self._serving = site, serving
        self._rounds, self._seconds, self._is_whole = rounds, seconds, is_whole

    def _seeded(self, database: str, members: int, fill: str = "fill") -> tuple[str, Cast]:
        """Return the URL and the cast of a new database."""
        started = time.monotonic()
        url = self._site.postgres.create(database)
        with machine.running_on(self._serving):  # PostgreSQL does the other half of the work
            people = self._site.fill(url, self._site.directory / database, members, f"seed.{fill}")
        _tell(f"seeded {members} members with {members * ITEMS_EACH} items in {time.monotonic() - started:.0f} s")
        return url, people

    def _serve(self, name: str, url: str) -> Server:
        contestant = CONTESTANTS[name]
        variables = dict(contestant.variables)
        if contestant.redis:
            variables["REDIS_URL"] = self._site.redis().url
        with machine.running_on(self._serving):
            return self._site.start(url, self._site.directory / "bench", variables, command=contestant.command)

    def compare(self, rows: Sequence[Row], busy: float) -> str:
        """Measure `rows`. Return the page of results."""
        url, people = self._seeded("bench", MEMBERS)
        wanted = {name for row in rows for name in row.contestants}
        with self._site.part():  # both sets of servers would exceed max_connections
            servers = {name: self._serve(name, url) for name in CONTESTANTS if name in wanted}
            for row in rows:
                agree.check(row, {name: servers[name] for name in row.contestants}, people)
            far = [row for row in rows if row.name in DISTANT] if self._is_whole else []
            course = self._course(rows, servers, people, url)
            warm = {name: machine.resident_mib(server.worker) for name, server in servers.items()}
            samples = course.rounds(self._rounds, _tell)
            latencies = {0: course.under_load(samples, self._rounds, _tell)} if self._is_whole else {}
            memory = {name: (warm[name], machine.resident_mib(server.worker)) for name, server in servers.items()}
            tools_list = agree.answer_size(TOOLS_LIST, servers[SERVICE], people)
            scale = self._scale(servers[SERVICE], people, url) if self._is_whole else {}
        distances = {}
        for distance in DISTANCES if far else ():
            distances[distance], latency = self._at_distance(distance, far, people)
            latencies.update({distance: latency} if latency else {})
        return Results(
            rows=rows,
            samples=samples,
            rounds=self._rounds,
            seconds=self._seconds,
            busy=busy,
            postgres=_settings(url),
            tools_list=tools_list,
            memory=memory,
            scale=scale,
            distances=distances,
            latencies=latencies,
        ).markdown()

    def _at_distance(self, milliseconds: int, rows: Sequence[Row], people: Cast) -> tuple[Samples, Latencies]:
        """Measure `rows` with PostgreSQL at the same distance for all contestants."""
        directory = self._site.directory / f"distance-{milliseconds}"
        directory.mkdir()
        wanted = {name for row in rows for name in row.contestants if name != WITH_REDIS}
        with at_distance(self._site.postgres, directory, milliseconds) as postgres, self._site.part():
            url = postgres.url("bench")
            servers = {name: self._serve(name, url) for name in CONTESTANTS if name in wanted}
            _tell(f"{milliseconds} ms to PostgreSQL")
            course = self._course(rows, servers, people, url, connections=DISTANT_CONNECTIONS)
            samples = course.rounds(self._rounds, _tell)
            paced = milliseconds and milliseconds in PACED_DISTANCES
            return samples, course.under_load(samples, self._rounds, _tell) if paced else {}

    def _course(
        self,
        rows: Sequence[Row],
        servers: Mapping[str, Server],
        people: Cast,
        url: str,
        *,
        warm_up: float = 1.0,
        connections: int = CONNECTIONS,
    ) -> Course:
        """Warm up each row and contestant for `warm_up` seconds.

        Afterwards every key was used recently. The service records such a use only every 5 minutes.
        """
        postgres = self._site.postgres.pid
        course = Course(rows, servers, people, postgres, seconds=self._seconds, connections=connections)
        course.warm_up(warm_up)
        with psycopg.connect(url) as connection:
            connection.execute("UPDATE accounts_apikey SET last_used_at = now()")
        return course

    def _scale(self, small: Server, people: Cast, url: str) -> dict[str, list[Sample]]:
        """Measure list_items of the service with the small database and a large one, alternately."""
        [row] = [row for row in ROWS if row.name == "list_items"]
        large_url, many = self._seeded("bench_large", MANY_MEMBERS, "fill_items")
        large = self._serve(SERVICE, large_url)
        courses = {
            MEMBERS: self._course([row], {SERVICE: small}, people, url),
            # Long enough to use each key once: a process caches the members of 10,000 secrets.
            MANY_MEMBERS: self._course([row], {SERVICE: large}, many, large_url, warm_up=MANY_MEMBERS / 400),
        }
        found: dict[str, list[Sample]] = {}
        for _ in range(self._rounds):
            for members, course in courses.items():
                name = f"{members:,} members, {members * ITEMS_EACH:,} items"
                [samples] = course.rounds(1, _tell).values()
                found.setdefault(name, []).extend(samples)
        return found


def _settings(url: str) -> str:
    """Version and durability of PostgreSQL."""
    with psycopg.connect(url) as connection:
        version, *settings = (
            connection.execute("SELECT current_setting(%s)", [name]).fetchall()[0][0]
            for name in ("server_version", *_DURABILITY)
        )
    durability = ", ".join(f"{name} {value}" for name, value in zip(_DURABILITY, settings, strict=True))
    return f"PostgreSQL {version} with its default settings ({durability}), the same for all"


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
