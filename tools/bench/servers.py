"""Run servers and commands of the service as processes. Servers are ended by process id."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx2

from tools.bench import machine

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 180  # for a very busy machine
THREADS = 16
_STOP_SECONDS = 60
_FOREIGN = ("REDIS_URL", "TRUSTED_PROXIES", "CREDENTIAL_PREFIX", "METRICS_ADDRESS", "DJANGO_SETTINGS_MODULE")


def wait_until(what: str, happened: Callable[[], object], seconds: float = START_SECONDS) -> None:
    """Wait until `happened()` is true, or raise `TimeoutError`."""
    deadline = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.05)


def listens(port: int) -> bool:
    """Return whether a server listens on a port of loopback."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    """Return an unused port on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def environment(database_url: str, data: Path, **variables: str) -> dict[str, str]:
    """Return the environment of a server or a command."""
    inherited = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    return inherited | {
        "DATABASE_URL": database_url,
        "DATA_DIR": str(data),
        "EMAIL_URL": f"filemail:///{data}/mail",
        "HOST": "127.0.0.1",
        "WEB_CONCURRENCY": "1",
        "WEB_THREADS": str(THREADS),
        "LOG_FORMAT": "json",
        "ADMIN_SECOND_FACTOR": "proxy",  # the operator of a drill has no device
        "TRUSTED_PROXIES": "1",  # the load generator reports many client addresses
        **variables,
    }


def manage(env: Mapping[str, str], *arguments: str) -> str:
    """Run a management command and return its output, or raise `RuntimeError`."""
    command = [sys.executable, "manage.py", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(arguments)}: {done.stderr[-2000:]}")
    return done.stdout


def manage_at_once(env: Mapping[str, str], times: int, *arguments: str) -> int:
    """Start a management command several times at once. Return how many succeed."""
    command, nowhere = [sys.executable, "manage.py", *arguments], subprocess.DEVNULL
    started = [
        subprocess.Popen(command, cwd=ROOT, env=env, stdin=nowhere, stdout=nowhere, stderr=nowhere)
        for _ in range(times)
    ]
    return [one.wait(START_SECONDS) for one in started].count(0)


@dataclass(slots=True)
class Server:
    """A server on a port of loopback. `root` is the directory of its code."""

    port: int
    environment: dict[str, str]
    log: Path
    command: tuple[str, ...] = ("gunicorn", "-c", "studyservice/gunicorn.py", "studyservice.wsgi")
    root: Path = ROOT
    master: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Start it and wait for an answer. Raises `RuntimeError` with the end of its log."""
        command = [sys.executable, "-m", *self.command]
        with self.log.open("ab") as output:
            self.master = subprocess.Popen(command, cwd=self.root, env=self.environment, stdout=output, stderr=output)
        try:
            wait_until("an answer", self.answers)
        except TimeoutError:
            raise RuntimeError(self.end_of_log()) from None

    def answers(self) -> bool:
        """Return whether it answers, with any status."""
        if self.master is None or self.master.poll() is not None:
            raise RuntimeError(self.end_of_log())
        try:
            httpx2.get(f"http://127.0.0.1:{self.port}/health", timeout=START_SECONDS, trust_env=False)
        except httpx2.TransportError:
            return False
        return True

    def end_of_log(self) -> str:
        """Return its command and the last lines of its output."""
        return f"{' '.join(self.command)}:\n{self.log.read_text(errors='replace')[-2000:]}"

    def workers(self) -> list[int]:
        """Return the process ids of the workers."""
        return [pid for pid in machine.children(self.master.pid) if not machine.ended(pid)] if self.master else []

    @property
    def worker(self) -> int:
        """Return the process id of the only worker, or of a server without workers."""
        [worker] = self.workers() or [self.master.pid if self.master else 0]
        return worker

    def kill_worker(self) -> None:
        """SIGKILL one worker, once there is one."""
        wait_until("a worker", self.workers)
        os.kill(self.workers()[0], signal.SIGKILL)

    def kill(self) -> None:
        """SIGKILL all its processes, as if the machine failed."""
        if self.master:
            workers = self.workers()
            master, self.master = self.master, None
            master.kill()
            for pid in workers:
                os.kill(pid, signal.SIGKILL)
            wait_until("workers to end", lambda: all(map(machine.ended, workers)))
            master.wait()

    def stop(self) -> None:
        """Stop it, by force after a minute."""
        if self.master:
            self.master.terminate()
            try:
                self.master.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
