"""The servers: gunicorn's threaded worker, one process, the same threads and core for each of them."""

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench import machine
from bench.rows import FLOOR, IDIOMATIC, SERVICE

ROOT = Path(__file__).resolve().parent.parent
THREADS = 4
APPLICATIONS = {
    SERVICE: "studyservice.wsgi",
    FLOOR: "bench.floor",
    IDIOMATIC: "bench.idiomatic.wsgi",
}
"""Contestant to the module of its WSGI application."""

_START_SECONDS = 30
_FOREIGN = ("REDIS_URL", "TRUSTED_PROXIES", "CREDENTIAL_PREFIX", "METRICS_ADDRESS", "DJANGO_SETTINGS_MODULE")


def environment(database_url: str, directory: Path, secret_key: str, port: int = 8000) -> dict[str, str]:
    """The environment of a contestant, and of what prepares its database."""
    inherited = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
    return inherited | {
        "DATABASE_URL": database_url,
        "SECRET_KEY": secret_key,
        "BASE_URL": f"http://127.0.0.1:{port}",
        "DATA_DIR": str(directory),
        "EMAIL_URL": "consolemail://",
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "WEB_CONCURRENCY": "1",
        "WEB_THREADS": str(THREADS),
        "LOG_FORMAT": "json",
        "TRUSTED_PROXIES": "1",  # the load generator forwards for clients at as many addresses as it likes
    }


@dataclass(slots=True)
class Server:
    """A contestant that is running.

    Attributes:
        name: the contestant.
        port: on loopback.
        worker: the process id of the one worker.
    """

    name: str
    port: int
    master: "subprocess.Popen[bytes]"
    worker: int
    log: Path

    def stop(self) -> None:
        """End it, by force if it does not end in ten seconds."""
        self.master.send_signal(signal.SIGTERM)
        try:
            self.master.wait(10)
        except subprocess.TimeoutExpired:
            self.master.send_signal(signal.SIGQUIT)
            self.master.kill()
            self.master.wait()


def start(name: str, port: int, env: Mapping[str, str], cores: set[int], log: Path) -> Server:
    """Start a contestant on `cores` and wait until it answers.

    Raises:
        RuntimeError: it ended, or does not answer; with the end of its log.
    """
    command = [sys.executable, "-m", "gunicorn", "--log-level", "warning"]
    if name == SERVICE:
        command += ["-c", "studyservice/gunicorn.py"]
    else:
        # The same server without the service's settings, which its configuration would load.
        command += ["-k", "gthread", "-b", f"127.0.0.1:{port}", "--threads", str(THREADS), "--keep-alive", "75"]
    with log.open("wb") as output:
        master = subprocess.Popen(
            [*command, f"{APPLICATIONS[name]}:application"],
            cwd=ROOT,
            env=dict(env),
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    os.sched_setaffinity(master.pid, cores)  # before it starts its worker, which inherits them
    server = Server(name, port, master, 0, log)
    try:
        _wait(server)
        server.worker = machine.only_child(master.pid)
    except BaseException:
        server.stop()
        raise
    return server


def _wait(server: Server) -> None:
    until = time.monotonic() + _START_SECONDS
    while server.master.poll() is None and time.monotonic() < until:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=_START_SECONDS)
        try:
            connection.request("GET", "/v1/items")
            connection.getresponse()
        except ConnectionRefusedError:
            time.sleep(0.1)
        else:
            return
        finally:
            connection.close()
    end = server.log.read_text(errors="replace")[-2000:]
    raise RuntimeError(f"{server.name} does not answer:\n{end}")
