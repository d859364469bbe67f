"""`python -m bench`: start PostgreSQL, seed, serve, measure, write `bench/RESULTS.md`, and leave nothing behind."""

import argparse
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NoReturn

from bench import agree, cast, contestants, machine
from bench.contestants import ROOT, Server
from bench.measure import Course, Sample
from bench.results import Results
from bench.rows import ROWS, SERVICE, Row
from tests import postgres

RESULTS = Path(__file__).with_name("RESULTS.md")
MEMBERS = 1_000
MANY_MEMBERS = 10_000
ITEMS_EACH = 200


def main() -> None:
    """Read the options and run."""
    names = [row.name for row in ROWS]
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round of 2 s, no scale, RESULTS.md stays")
    parser.add_argument("--rows", type=lambda text: text.split(","), default=names, help=f"some of {','.join(names)}")
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float, help="of each row and contestant in a round")
    parser.add_argument("--scale", action=argparse.BooleanOptionalAction, help="list_items with ten times the data")
    parser.add_argument("--port", type=int, default=9100, help="the first of the ports used")
    parser.add_argument("--profile", metavar="ROW", choices=names, help="show where the time of a row goes instead")
    parser.add_argument("--contestant", choices=list(contestants.APPLICATIONS), default=SERVICE, help="to profile")
    parser.add_argument("--calls", type=int, default=2000, help="to profile")
    options = parser.parse_args()
    if unknown := set(options.rows) - set(names):
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    options.rounds = options.rounds or (1 if options.quick else 3)
    options.seconds = options.seconds or (2.0 if options.quick else 3.0)
    if options.scale is None:
        options.scale = not options.quick and options.rows == names
    signal.signal(signal.SIGTERM, _ended)
    with ExitStack() as stack:
        bench = Bench(stack, options.port)
        if options.profile:
            bench.profile(options.profile, options.contestant, options.calls)
            return
        page = bench.compare([row for row in ROWS if row.name in options.rows], options)
    print(f"\n{page}")
    if not options.quick and options.rows == names:
        RESULTS.write_text(page)


def _ended(*_: Any) -> NoReturn:
    """SIGTERM ends the run like Ctrl-C: everything started is stopped."""
    raise KeyboardInterrupt


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Bench:
    """A temporary directory, a PostgreSQL in it, and the servers; all end with `stack`."""

    def __init__(self, stack: ExitStack, port: int) -> None:
        self._stack = stack
        self._port = port
        self._secret_key = secrets.token_urlsafe(64)
        self._serving, others = machine.split_cores()
        self._busy = os.getloadavg()[0]
        os.sched_setaffinity(0, others)  # ours, and what PostgreSQL inherits
        self._directory = Path(tempfile.mkdtemp(prefix="studyservice-bench-"))
        stack.callback(shutil.rmtree, self._directory, ignore_errors=True)
        self._postgres, _ = postgres.start(self._directory / "postgresql", durable=True)
        stack.callback(self._postgres.stop)

    def _seeded(self, database: str, members: int, *, items_only: bool = False) -> tuple[str, Path]:
        """The URL of a new database with so many members, and the file of its cast."""
        started = time.monotonic()
        self._postgres.psql(f"CREATE DATABASE {database}")
        url, path = self._postgres.get_uri(database=database), self._directory / f"{database}.json"
        command = [sys.executable, "-m", "bench.prepare", "--members", str(members), "--cast", str(path)]
        command += ["--items-only"] if items_only else []
        with _on(self._serving):  # the other half of the work is PostgreSQL's
            subprocess.run(command, cwd=ROOT, env=self._environment(url, self._port), check=True)
        _tell(f"seeded {members} members with {members * ITEMS_EACH} items in {time.monotonic() - started:.0f} s")
        return url, path

    def _environment(self, url: str, port: int) -> dict[str, str]:
        return contestants.environment(url, self._directory / "data", self._secret_key, port)

    def _serve(self, name: str, url: str) -> Server:
        port, self._port = self._port, self._port + 1
        log = self._directory / f"server-{port}.log"
        server = contestants.start(name, port, self._environment(url, port), self._serving, log)
        self._stack.callback(server.stop)
        return server

    def compare(self, rows: Sequence[Row], options: argparse.Namespace) -> str:
        """Measure `rows`; gives the page of results."""
        url, path = self._seeded("bench", MEMBERS)
        people = cast.load(path)
        wanted = {name for row in rows for name in row.contestants}
        servers = {name: self._serve(name, url) for name in contestants.APPLICATIONS if name in wanted}
        for row in rows:
            agree.check(row, [servers[name] for name in row.contestants], people)
        postmaster = self._postgres.get_pid()
        course = Course(rows, servers, people, postmaster, seconds=options.seconds, rounds=options.rounds)
        course.warm_up()
        self._refresh("bench")
        warm = {name: machine.resident_mib(server.worker) for name, server in servers.items()}
        samples = course.rounds(options.rounds, _tell)
        after = {name: machine.resident_mib(server.worker) for name, server in servers.items()}
        results = Results(
            rows=rows,
            samples=samples,
            rounds=options.rounds,
            seconds=options.seconds,
            busy=self._busy,
            postgres=self._postgres_settings(),
            memory={name: (warm[name], after[name]) for name in servers},
        )
        if options.scale:
            results.scale = self._scale(servers[SERVICE], people, options)
        return results.markdown()

    def _refresh(self, database: str) -> None:
        """Let every key have been used just now: this service records a key's use once in five minutes."""
        self._postgres.psql(f"\\c {database}\nUPDATE accounts_apikey SET last_used_at = now();")

    def _scale(self, small: Server, people: cast.Cast, options: argparse.Namespace) -> dict[str, list[Sample]]:
        """list_items of this service from the small database and from a large one, in turn."""
        url, path = self._seeded("bench_large", MANY_MEMBERS, items_only=True)
        large = self._serve(SERVICE, url)
        [row] = [row for row in ROWS if row.name == "list_items"]
        postmaster = self._postgres.get_pid()
        databases = [(MEMBERS, small, people), (MANY_MEMBERS, large, cast.load(path))]
        sizes = [
            (
                members,
                Course([row], {SERVICE: server}, asking, postmaster, seconds=options.seconds, rounds=options.rounds),
            )
            for members, server, asking in databases
        ]
        found: dict[str, list[Sample]] = {}
        for _, course in sizes:
            course.warm_up()
        self._refresh("bench")
        self._refresh("bench_large")
        for _ in range(options.rounds):
            for members, course in sizes:
                name = f"{members:,} members, {members * ITEMS_EACH:,} items"
                [samples] = course.rounds(1, _tell).values()
                found.setdefault(name, []).extend(samples)
        return found

    def _postgres_settings(self) -> str:
        def setting(name: str) -> str:
            return self._postgres.psql(f"\\pset format unaligned\n\\t on\nSHOW {name};").splitlines()[-1].strip()

        durability = ", ".join(f"{name} {setting(name)}" for name in ("fsync", "synchronous_commit", "shared_buffers"))
        return f"PostgreSQL {setting('server_version')} with its default settings ({durability}), the same for all"

    def profile(self, row: str, contestant: str, calls: int) -> None:
        """Print the profile of `row`, made in a process of its own on the serving core."""
        url, path = self._seeded("bench", MEMBERS)
        command = [sys.executable, "-m", "bench.profiling", "--row", row, "--contestant", contestant]
        command += ["--calls", str(calls), "--cast", str(path)]
        with _on(self._serving):
            subprocess.run(command, cwd=ROOT, env=self._environment(url, self._port), check=True)


@contextmanager
def _on(cores: set[int]) -> Iterator[None]:
    """Run on `cores`; what is started inside inherits them."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
