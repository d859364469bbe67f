"""`python -m bench`: start PostgreSQL, seed, serve, measure, write `bench/RESULTS.md`, and leave nothing behind."""

import argparse
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import psycopg

from bench import agree, contestants, machine
from bench.cast import Cast
from bench.contestants import CONTESTANTS, Server
from bench.gunicorn import ROOT
from bench.measure import Course, Sample
from bench.prepare import prepared
from bench.redis_server import Redis
from bench.results import Results
from bench.rows import ROWS, SERVICE, Row
from tests.support import postgres

RESULTS = Path(__file__).with_name("RESULTS.md")
MEMBERS = 1_000
MANY_MEMBERS = 10_000
ITEMS_EACH = 200
_PROFILED = [name for name, one in CONTESTANTS.items() if one.server != "uvicorn"]
_DURABILITY = ("fsync", "synchronous_commit", "shared_buffers")


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
    parser.add_argument("--contestant", choices=_PROFILED, default=SERVICE, help="to profile")
    parser.add_argument("--calls", type=int, default=2000, help="to profile")
    options = parser.parse_args()
    if unknown := set(options.rows) - set(names):
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    options.rounds = options.rounds or (1 if options.quick else 3)
    options.seconds = options.seconds or (2.0 if options.quick else 3.0)
    if options.scale is None:
        options.scale = not options.quick and options.rows == names
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # both end everything that was started
    with ExitStack() as stack:
        bench = Bench(stack, options)
        if options.profile:
            bench.profile()
            return
        page = bench.compare([row for row in ROWS if row.name in options.rows])
    print(f"\n{page}")
    if not options.quick and options.rows == names:
        RESULTS.write_text(page)


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


class Bench:
    """A temporary directory, a PostgreSQL in it, and the servers; all end with `stack`."""

    def __init__(self, stack: ExitStack, options: argparse.Namespace) -> None:
        self._stack = stack
        self._options = options
        self._port: int = options.port
        self._secret_key = secrets.token_urlsafe(64)
        self._serving, others = machine.split_cores()
        self._busy = os.getloadavg()[0]
        os.sched_setaffinity(0, others)  # ours, and what PostgreSQL inherits
        made = tempfile.TemporaryDirectory(prefix="studyservice-bench-", ignore_cleanup_errors=True)
        self._directory = Path(stack.enter_context(made))
        self._postgres, _ = postgres.start(self._directory / "postgresql", durable=True)
        stack.callback(self._postgres.stop)

    def _seeded(self, database: str, members: int, fill: str = "fill") -> tuple[str, Cast]:
        """The URL of a new database with so many members, and who they are."""
        started = time.monotonic()
        self._postgres.psql(f"CREATE DATABASE {database}")
        url = str(self._postgres.get_uri(database=database))
        env, cast = self._environment(url, self._port), self._directory / f"{database}.json"
        with machine.running_on(self._serving):  # the other half of the work is PostgreSQL's
            people = prepared(f"bench.seed.{fill}", members, env, cast)
        _tell(f"seeded {members} members with {members * ITEMS_EACH} items in {time.monotonic() - started:.0f} s")
        return url, people

    def _environment(self, url: str, port: int) -> dict[str, str]:
        return contestants.environment(url, self._directory / "data", self._secret_key, port)

    def _serve(self, name: str, url: str) -> Server:
        port = self._next_port()
        env = self._environment(url, port)
        if CONTESTANTS[name].redis:
            env["REDIS_URL"] = self._redis()
        server = Server(name, port, env, self._directory / f"server-{port}.log")
        self._stack.callback(server.stop)
        with machine.running_on(self._serving):
            server.start()
        return server

    def _next_port(self) -> int:
        port, self._port = self._port, self._port + 1
        return port

    def _redis(self) -> str:
        """The URL of a Redis that is started; it shares the other cores with PostgreSQL."""
        redis = Redis(self._next_port())
        self._stack.callback(redis.kill)
        return redis.url

    def compare(self, rows: Sequence[Row]) -> str:
        """Measure `rows`; gives the page of results."""
        url, people = self._seeded("bench", MEMBERS)
        wanted = {name for row in rows for name in row.contestants}
        servers = {name: self._serve(name, url) for name in CONTESTANTS if name in wanted}
        for row in rows:
            agree.check(row, [servers[name] for name in row.contestants], people)
        course = self._course(rows, servers, people, url)
        warm = {name: machine.resident_mib(server.worker) for name, server in servers.items()}
        samples = course.rounds(self._options.rounds, _tell)
        after = {name: machine.resident_mib(server.worker) for name, server in servers.items()}
        results = Results(
            rows=rows,
            samples=samples,
            rounds=self._options.rounds,
            seconds=self._options.seconds,
            busy=self._busy,
            postgres=_settings(url),
            memory={name: (warm[name], after[name]) for name in servers},
        )
        if self._options.scale:
            results.scale = self._scale(servers[SERVICE], people, url)
        return results.markdown()

    def _course(
        self, rows: Sequence[Row], servers: dict[str, Server], people: Cast, url: str, warm_up: float = 1.0
    ) -> Course:
        """Where `rows` can be run at once: warm, and every key used just now, which the service records every 5 min.

        Args:
            warm_up: seconds for each row and contestant.
        """
        rounds, seconds = self._options.rounds, self._options.seconds
        course = Course(rows, servers, people, self._postgres.get_pid(), seconds=seconds, rounds=rounds)
        course.warm_up(warm_up)
        with psycopg.connect(url) as connection:
            connection.execute("UPDATE accounts_apikey SET last_used_at = now()")
        return course

    def _scale(self, small: Server, people: Cast, url: str) -> dict[str, list[Sample]]:
        """list_items of this service from the small database and from a large one, in turn."""
        [row] = [row for row in ROWS if row.name == "list_items"]
        large_url, many = self._seeded("bench_large", MANY_MEMBERS, "fill_items")
        large = self._serve(SERVICE, large_url)
        courses = {
            MEMBERS: self._course([row], {SERVICE: small}, people, url),
            # Long enough for each key to come once: a process remembers whose 10,000 secrets are.
            MANY_MEMBERS: self._course([row], {SERVICE: large}, many, large_url, warm_up=MANY_MEMBERS / 400),
        }
        found: dict[str, list[Sample]] = {}
        for _ in range(self._options.rounds):
            for members, course in courses.items():
                name = f"{members:,} members, {members * ITEMS_EACH:,} items"
                [samples] = course.rounds(1, _tell).values()
                found.setdefault(name, []).extend(samples)
        return found

    def profile(self) -> None:
        """Print the profile of a row, made in a process of its own on the serving core."""
        url, _ = self._seeded("bench", MEMBERS)
        options = self._options
        command = [sys.executable, "-m", "bench.profiling", options.profile, options.contestant, str(options.calls)]
        command.append(str(self._directory / "bench.json"))
        with machine.running_on(self._serving):
            subprocess.run(command, cwd=ROOT, env=self._environment(url, self._port), check=True)


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
