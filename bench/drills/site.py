"""What the service stands on, each to be started, killed and started again: PostgreSQL, Redis, gunicorn.

Everything runs on loopback or a socket in a temporary directory, and is ended by its process id.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import machine
from bench.cast import Cast, load
from bench.contestants import ROOT, environment
from bench.drills.client import Client, ClosedError
from tests import postgres

_START_SECONDS = 60
_SHIFTED_CLOCK = Path(__file__).with_name("shifted_clock")


def wait_until(what: str, happened: Callable[[], Any], seconds: float = _START_SECONDS) -> None:
    """Wait until `happened()` is true.

    Raises:
        TimeoutError: it does not become true.
    """
    deadline = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.05)


def _ended(pid: int) -> bool:
    """Whether a process is gone, or only its entry is left."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def _kill(pids: list[int]) -> None:
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    wait_until("processes that end", lambda: all(map(_ended, pids)))


class Postgres:
    """A PostgreSQL that waits for the disk at each commit, as in production."""

    def __init__(self, directory: Path) -> None:
        self._server, _ = postgres.start(directory, durable=True)
        self.programs = Path(self._server.bin_path)
        self.user: str | None = self._server.system_user  # whom it runs as, if that is not us
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
            timeout=_START_SECONDS,
        )

    def start(self) -> None:
        """Start it again."""
        self._server.ensure_postgres_running()

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
        wait_until("PostgreSQL's processes to end", lambda: all(map(_ended, [pid, *children])))
        # Where nobody collects what has ended, as in some containers, its id still looks alive to the next start.
        (Path(self._server.pgdata) / "postmaster.pid").unlink()


class Redis:
    """A Redis that keeps nothing."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"redis://127.0.0.1:{port}/0"
        self.start()

    def start(self) -> None:
        """Start it (again) and wait until it answers."""
        program = shutil.which("redis-server")
        if program is None:
            raise SystemExit("The drills need redis-server on the PATH.")
        options = ["--port", str(self._port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
        time.sleep(0.3)
        wait_until("Redis", lambda: self._process and self._process.poll() is None, 5)

    def hang(self) -> None:
        """SIGSTOP: connections are still accepted, by the kernel; nothing is answered."""
        if self._process:
            self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """SIGCONT."""
        if self._process:
            self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL."""
        if self._process:
            self._process.kill()
            self._process.wait()


@dataclass(slots=True)
class Instance:
    """The service: one gunicorn with its workers, on a port of its own."""

    port: int
    environment: dict[str, str]
    log: Path
    master: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Start it and wait until it answers.

        Raises:
            RuntimeError: it ended; with the end of its log.
        """
        command = [sys.executable, "-m", "gunicorn", "-c", "studyservice/gunicorn.py", "studyservice.wsgi"]
        with self.log.open("ab") as output:
            self.master = subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=output, stderr=output)
        try:
            wait_until("the service to answer", self.answers)
        except TimeoutError:
            raise RuntimeError(self.log.read_text(errors="replace")[-2000:]) from None

    def answers(self) -> bool:
        """Whether anybody listens and answers."""
        if self.master is None or self.master.poll() is not None:
            raise RuntimeError(self.log.read_text(errors="replace")[-2000:])
        with Client(self.port) as client:
            try:
                client.call("GET", "/health")
            except ClosedError:
                return False
        return True

    def workers(self) -> list[int]:
        """Process ids of the workers."""
        return [pid for pid in machine.children(self.master.pid) if not _ended(pid)] if self.master else []

    def kill_worker(self) -> None:
        """SIGKILL for one worker."""
        os.kill(self.workers()[0], signal.SIGKILL)

    def kill(self) -> None:
        """SIGKILL for every process of it, as when the machine goes."""
        if self.master:
            master, self.master = self.master, None
            workers = machine.children(master.pid)
            master.kill()
            _kill([pid for pid in workers if not _ended(pid)])
            master.wait()

    def stop(self) -> None:
        """End it; by force if that takes more than 15 s."""
        if self.master:
            self.master.terminate()
            try:
                self.master.wait(15)
            except subprocess.TimeoutExpired:
                self.kill()


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
            data, people = self.directory / f"prepared-{kind}", self.directory / f"cast-{kind}.json"
            data.mkdir()
            sqlite = f"sqlite:///{data / 'studyservice.sqlite3'}"
            url = self.postgres.create("prepared") if kind == "postgresql" else sqlite
            command = [sys.executable, "-m", "bench.drills.prepare", str(people)]
            subprocess.run(command, cwd=ROOT, env=self.environment(url, data, self.origin_port), check=True)
            self._prepared[kind] = load(people)
        return self._prepared[kind]

    def environment(self, url: str, data: Path, port: int) -> dict[str, str]:
        """The environment of an instance; all have one origin and one secret, as behind one proxy."""
        origin = {"BASE_URL": f"http://127.0.0.1:{self.origin_port}", "EMAIL_URL": f"filemail:///{data}/mail"}
        return environment(url, data, self._secret_key, port) | origin

    def serve(
        self, url: str, data: Path, *, processes: int = 1, redis: Redis | None = None, ahead: float = 0, **extra: str
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
