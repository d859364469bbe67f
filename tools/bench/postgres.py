"""A PostgreSQL server that can be stopped, killed and frozen, and a proxy that makes it distant.

The proxy (`python -m tools.bench.postgres SOCKET SERVER MS`) is a separate process, on another core than the servers,
with a thread for each direction of a connection. Each thread waits half the round trip before it forwards what it read.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg

from tests.support import postgres
from tools.bench import machine
from tools.bench.servers import ROOT, START_SECONDS, wait_until


@dataclass(slots=True)
class Postgres:
    """One server.

    Attributes:
        programs: directory of `pg_ctl` and the other programs.
        data: its data directory.
        host: directory of its socket, or its address.
        user: the system user that it runs as; None for the current one.
        options: arguments of the server itself.
    """

    programs: Path
    data: Path
    host: str
    user: str | None
    port: int = 5432
    options: str = ""

    def url(self, database: str) -> str:
        """Return the URL of a database."""
        if self.host.startswith("/"):
            return f"postgresql://postgres:@/{database}?host={self.host}"
        return f"postgresql://postgres@{self.host}:{self.port}/{database}"

    def execute(self, database: str, *statements: str) -> None:
        """Run statements, each in its own transaction."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def create(self, database: str, template: str = "template1") -> str:
        """Create a database and return its address."""
        self.execute("postgres", f"CREATE DATABASE {database} TEMPLATE {template}")
        return self.url(database)

    def run(self, program: str, *arguments: str) -> None:
        """Run one of its programs as its user, without our home directory and its keys."""
        errors = self.data.parent / f"{self.data.name}-errors"  # a pipe would stay open until the server ends
        with errors.open("wb") as output:
            done = subprocess.run(
                [str(self.programs / program), *arguments],
                user=self.user,
                env=os.environ | {"HOME": str(self.data.parent), "LC_ALL": "C"},
                stdout=subprocess.DEVNULL,
                stderr=output,
                timeout=START_SECONDS,
                check=False,
            )
        if done.returncode:
            raise RuntimeError(f"{program}: {errors.read_text(errors='replace')}")

    def control(self, *arguments: str) -> None:
        """Run `pg_ctl` and wait until it is done."""
        self.run("pg_ctl", "-w", "-t", str(START_SECONDS), "-D", str(self.data), *arguments)

    def start(self) -> None:
        """Start it."""
        self.control("-l", str(self.data / "log"), "-o", self.options, "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop it if it runs."""
        if (self.data / "postmaster.pid").exists():
            self.control("-m", mode, "stop")

    @property
    def pid(self) -> int:
        """Return the process id of the postmaster."""
        return int((self.data / "postmaster.pid").read_text().split()[0])

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop all its processes with SIGSTOP, and continue them at the end."""
        pids = [self.pid, *machine.children(self.pid)]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL the postmaster. Its children notice and end."""
        pids = [self.pid, *machine.children(self.pid)]
        os.kill(pids[0], signal.SIGKILL)
        wait_until("PostgreSQL's processes to end", lambda: all(map(machine.ended, pids)))
        # Without a process that collects zombies, as in some containers, the next start would think the old process is
        # alive.
        sockets = Path(self.host) if self.host.startswith("/") else self.data.parent
        for lock in (self.data / "postmaster.pid", *sockets.glob(".s.PGSQL.*.lock")):
            lock.unlink(missing_ok=True)


def started(directory: Path, *, durable: bool) -> Postgres:
    """Start a new PostgreSQL. If durable, it waits for the disk at each commit, as in production."""
    server, _ = postgres.start(directory, durable=durable)
    host = str(server.get_postmaster_info().socket_dir)
    options = f"-h '' -k {host}"
    return Postgres(Path(server.bin_path), Path(server.pgdata), host, server.system_user, options=options)


DISTANCES = (0, 1, 2, 4)
"""Milliseconds of a round trip, in addition to the machine's own."""

CONNECTIONS = 32
"""Connections of the load generator: more than any contestant has threads, so that all threads are in use."""

_SOCKET = ".s.PGSQL.5432"
_STOP_SECONDS = 10


def main(listening: str, server: str, milliseconds: str) -> None:
    """Forward connections to a socket until the process is ended."""
    half = float(milliseconds) / 2000
    with socket.socket(socket.AF_UNIX) as waiting:
        waiting.bind(listening)
        waiting.listen(128)
        while True:
            near, _ = waiting.accept()
            far = socket.socket(socket.AF_UNIX)
            far.connect(server)
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=_pass_on, args=(source, target, half), daemon=True).start()


def _pass_on(source: socket.socket, target: socket.socket, half: float) -> None:
    """Forward one direction. Its end also ends the other direction."""
    with closing(target), suppress(OSError):
        while data := source.recv(262_144):
            if half:
                time.sleep(half)
            target.sendall(data)
        target.shutdown(socket.SHUT_RDWR)


@contextmanager
def at_distance(postgres: Postgres, directory: Path, milliseconds: float) -> Iterator[Postgres]:
    """Run the proxy. Yield the server as seen through it.

    Args:
        postgres: a server that listens on a socket.
        directory: an existing one, for the proxy's socket.
    """
    listening = directory / _SOCKET
    arguments = [str(listening), str(Path(postgres.host) / _SOCKET), str(milliseconds)]
    proxy = subprocess.Popen([sys.executable, "-m", "tools.bench.postgres", *arguments], cwd=ROOT)
    try:
        wait_until("the proxy", listening.exists)
        yield Postgres(postgres.programs, postgres.data, str(directory), postgres.user)
    finally:
        proxy.terminate()
        proxy.wait(_STOP_SECONDS)


if __name__ == "__main__":
    main(*sys.argv[1:])
