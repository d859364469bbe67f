"""PostgreSQL servers with Citus on loopback: a coordinator, and the servers that members are on."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bench import machine
from bench.gunicorn import ROOT, START_SECONDS, wait_until

_CONFIGURATION = """
shared_preload_libraries = 'citus'
port = {port}
listen_addresses = '127.0.0.1'
unix_socket_directories = '{directory}'
max_connections = 300
max_prepared_transactions = 300
wal_level = logical
shared_buffers = 128MB
fsync = off  # nothing here outlives the machine
citus.enable_statistics_collection = off
"""


@dataclass(slots=True)
class Server:
    """One PostgreSQL.

    Attributes:
        user: whom it runs as, if that is not us.
    """

    programs: Path
    directory: Path
    port: int
    user: str | None

    def make(self) -> None:
        """Make and start it."""
        self.directory.mkdir()
        if self.user:
            shutil.chown(self.directory, self.user)
        self._run("initdb", "-E", "UTF8", "-A", "trust", "-U", "postgres", "-D", str(self._data), "--no-sync")
        with (self._data / "postgresql.conf").open("a") as configuration:
            configuration.write(_CONFIGURATION.format(port=self.port, directory=self.directory))
        self.start()

    def start(self) -> None:
        """Start it."""
        self._run("pg_ctl", "-w", "-D", str(self._data), "-l", str(self.directory / "log"), "start")

    def stop(self) -> None:
        """Stop it, if it runs, without waiting for its clients."""
        if (self._data / "postmaster.pid").exists():
            self._run("pg_ctl", "-w", "-D", str(self._data), "-m", "immediate", "stop")

    def url(self, database: str) -> str:
        """The address of a database."""
        return f"postgres://postgres@127.0.0.1:{self.port}/{database}"

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """SIGSTOP for every process of it; at the end they go on."""
        pids = self._pids()
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL for every process of it."""
        pids = self._pids()
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        wait_until("PostgreSQL's processes to end", lambda: all(map(machine.ended, pids)))
        (self._data / "postmaster.pid").unlink(missing_ok=True)

    @property
    def _data(self) -> Path:
        return self.directory / "data"

    def _pids(self) -> list[int]:
        postmaster = int((self._data / "postmaster.pid").read_text().split()[0])
        return [postmaster, *machine.children(postmaster)]

    def _run(self, program: str, *arguments: str) -> None:
        """Run one of its programs, which must not find our keys in our home."""
        errors = self.directory / "errors"  # a pipe would be waited for until the server itself ends
        with errors.open("wb") as output:
            done = subprocess.run(
                [str(self.programs / program), *arguments],
                user=self.user,
                env=os.environ | {"HOME": str(self.directory), "LC_ALL": "C"},
                stdout=subprocess.DEVNULL,
                stderr=output,
                timeout=START_SECONDS,
                check=False,
            )
        if done.returncode:
            raise RuntimeError(f"{program}: {errors.read_text(errors='replace')}")


@dataclass(slots=True)
class Servers:
    """A coordinator and the servers of members."""

    coordinator: Server
    others: Sequence[Server]

    def create(self, database: str) -> str:
        """A database on all of them, with Citus; gives its address at the coordinator."""
        for server in (self.coordinator, *self.others):
            _execute(server.url("postgres"), f"CREATE DATABASE {database}")
            _execute(server.url(database), "CREATE EXTENSION citus")
        _execute(
            self.coordinator.url(database),
            f"SELECT citus_set_coordinator_host('127.0.0.1', {self.coordinator.port})",
            *(f"SELECT citus_add_node('127.0.0.1', {server.port})" for server in self.others),
        )
        return self.coordinator.url(database)


def started(stack: ExitStack, directory: Path, programs: Path, ports: Sequence[int]) -> Servers:
    """A server for each port, the first of which coordinates; they end with `stack`."""
    user = "postgres" if os.geteuid() == 0 else None  # PostgreSQL does not run as root; Debian's package has this user
    servers = [Server(programs, directory / f"citus-{port}", port, user) for port in ports]
    for server in servers:
        stack.callback(server.stop)
        server.make()
    return Servers(servers[0], servers[1:])


def _execute(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def manage(env: Mapping[str, str], *arguments: str) -> str:
    """What a management command prints.

    Raises:
        RuntimeError: it failed.
    """
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr[-2000:]}")
    return done.stdout
