"""What the service stands on, each to be started, killed and started again: PostgreSQL, Redis, gunicorn.

Everything runs on loopback or a socket in a temporary directory, and is ended by its process id.
"""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench import machine
from bench.cast import Cast
from bench.contestants import environment
from bench.gunicorn import START_SECONDS, Gunicorn, wait_until
from bench.prepare import prepared
from bench.redis_server import Redis, listens
from tests.support import postgres

__all__ = ["Instance", "Postgres", "Redis", "Site", "listens", "wait_until"]

MEMBERS = 300
_SHIFTED_CLOCK = Path(__file__).with_name("shifted_clock")

Instance = Gunicorn


class Postgres:
    """A PostgreSQL that waits for the disk at each commit, as in production."""

    def __init__(self, directory: Path) -> None:
        self._server, _ = postgres.start(directory, durable=True)
        self.programs = Path(self._server.bin_path)
        self.user: str | None = self._server.system_user  # whom it runs as, if that is not us
        self.data = Path(self._server.pgdata)
        self.socket_directory = Path(self._server.get_postmaster_info().socket_dir)

    def url(self, database: str) -> str:
        """The address of a database."""
        return str(self._server.get_uri(database=database))

    def create(self, database: str, template: str = "template1") -> str:
        """A new database; gives its address."""
        self._server.psql(f"CREATE DATABASE {database} TEMPLATE {template};")
        return self.url(database)

    def run(self, program: str, *arguments: str) -> None:
        """Run one of PostgreSQL's programs, as the user that PostgreSQL runs as."""
        subprocess.run(
            [str(self.programs / program), *arguments],
            user=self.user,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
            timeout=START_SECONDS,
        )

    def start(self) -> None:
        """Start it again."""
        control = ("-w", "-t", str(START_SECONDS), "-D", str(self.data), "-l", str(self.data / "log"))
        self.run("pg_ctl", *control, "-o", f"-h '' -k {self.socket_directory}", "start")
        self._server.ensure_postgres_running()  # by itself it waits ten seconds; now it sees which process it is

    def stop(self) -> None:
        """Stop it in the fast way: connections are closed, transactions are rolled back."""
        self._server.stop()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """SIGSTOP for every process of it; at the end they go on."""
        pids = [self._server.get_pid(), *machine.children(self._server.get_pid())]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL for the postmaster; its children see that and end."""
        pid = self._server.get_pid()
        children = machine.children(pid)
        os.kill(pid, signal.SIGKILL)
        wait_until("PostgreSQL's processes to end", lambda: all(map(machine.ended, [pid, *children])))
        # Where nobody collects what has ended, as in some containers, its id still looks alive to the next start.
        for lock in (Path(self._server.pgdata) / "postmaster.pid", *self.socket_directory.glob(".s.PGSQL.*.lock")):
            lock.unlink()


class Site:
    """A temporary directory, ports, and what is started in them; all ends with `stack`."""

    def __init__(self, stack: ExitStack, directory: Path, port: int, secret_key: str) -> None:
        self.stack = self._whole = stack
        self.directory = directory
        self.origin_port = port
        self._next_port = port
        self._secret_key = secret_key
        self._numbers = iter(range(1, 1000))
        self._postgres: Postgres | None = None
        self._prepared: dict[str, Cast] = {}

    @property
    def postgres(self) -> Postgres:
        """The one PostgreSQL, started when it is first asked for."""
        if self._postgres is None:
            self._postgres = Postgres(self.directory / "postgresql")
            self._whole.callback(self._postgres.stop)
        return self._postgres

    def apart(self, name: str) -> "Site":
        """A site with a PostgreSQL of its own, which a drill may ruin; it ends with the drill."""
        directory = self.directory / name
        directory.mkdir()
        return Site(self.stack, directory, self.port(), self._secret_key)

    def port(self) -> int:
        """A port that no other server of the drills has."""
        port, self._next_port = self._next_port, self._next_port + 1
        return port

    def redis(self) -> Redis:
        """A new Redis."""
        redis = Redis(self.port())
        self.stack.callback(redis.kill)
        return redis

    def fresh(self, kind: str, data: Path | None = None) -> tuple[str, Path, Cast]:
        """A new database with the prepared members: its address, its DATA_DIR and who is in it.

        Args:
            kind: `postgresql` or `sqlite`.
            data: the directory to make it in; by default one in the temporary directory.
        """
        cast = self._prepare(kind)
        name = f"drill_{next(self._numbers)}"
        data = data or self.directory / name
        shutil.copytree(self.directory / f"prepared-{kind}", data, dirs_exist_ok=True)
        if kind == "postgresql":
            return self.postgres.create(name, "prepared"), data, cast
        return f"sqlite:///{data / 'studyservice.sqlite3'}", data, cast

    def _prepare(self, kind: str) -> Cast:
        if kind not in self._prepared:
            data = self.directory / f"prepared-{kind}"
            data.mkdir()
            sqlite = f"sqlite:///{data / 'studyservice.sqlite3'}"
            url = self.postgres.create("prepared") if kind == "postgresql" else sqlite
            env = self.environment(url, data, self.origin_port)
            self._prepared[kind] = prepared(
                "bench.drills.seed.fill", MEMBERS, env, self.directory / f"cast-{kind}.json"
            )
        return self._prepared[kind]

    def environment(self, url: str, data: Path, port: int) -> dict[str, str]:
        """The environment of an instance; all have one origin and one secret, as behind one proxy."""
        origin = {"BASE_URL": f"http://127.0.0.1:{self.origin_port}", "EMAIL_URL": f"filemail:///{data}/mail"}
        return environment(url, data, self._secret_key, port) | origin

    def serve(
        self,
        url: str,
        data: Path,
        *,
        processes: int = 1,
        redis: Redis | None = None,
        ahead: float = 0,
        **extra: str,
    ) -> Instance:
        """Start an instance.

        Args:
            processes: more than one need `redis`.
            ahead: seconds by which its clock is ahead.
        """
        port = self.port()
        env = self.environment(url, data, port) | {"WEB_CONCURRENCY": str(processes)} | extra
        if redis:
            env["REDIS_URL"] = redis.url
        if ahead:
            env |= {"PYTHONPATH": str(_SHIFTED_CLOCK), "DRILL_CLOCK_SHIFT": str(ahead)}
        instance = Instance(port, env, self.directory / f"server-{port}.log")
        self.stack.callback(instance.stop)
        instance.start()
        return instance
