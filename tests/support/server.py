"""The service as in production: a gunicorn process with its own database."""

import json
import os
import secrets
import socket
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

from tests.support.databases import connected, copied
from tests.support.forked import Forked, Process

ADA = "ada@example.org"
PASSWORD = "correct horse battery"


@dataclass(frozen=True)
class Server:
    """A running server.

    Attributes:
        url: its origin and issuer.
        process: gunicorn's first process.
    """

    url: str
    environment: dict[str, str]
    process: Process

    def command(self, *arguments: str) -> Any:
        """Run a management command in this process on the server's database. Return the JSON that it prints."""
        with ThreadPoolExecutor(1) as thread:  # a thread has its own database connections
            return thread.submit(self._run, *arguments).result()

    def _run(self, *arguments: str) -> Any:
        from django.core.management import call_command

        printed = StringIO()
        with connected(self.environment["DATABASE_URL"]):
            call_command(*arguments, "--json", stdout=printed)
        return json.loads(printed.getvalue())


@contextmanager
def running(directory: Path, **variables: str) -> Iterator[Server]:
    """A server with its data in `directory`, on the database of the run."""
    with copied(f"server_{secrets.token_hex(4)}", directory) as url, started(directory, url, **variables) as server:
        yield server


@contextmanager
def started(
    directory: Path, database_url: str, config: str = "studyservice/gunicorn.py", **variables: str
) -> Iterator[Server]:
    """Start a server with its data in `directory` and its database at `database_url`."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    environment = os.environ | {
        "DATABASE_URL": database_url,
        "DATA_DIR": str(directory),
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "BASE_URL": url,
        "SECRET_KEY": secrets.token_urlsafe(64),
        "LOG_FORMAT": "text",
        **variables,
    }
    process = Forked(["gunicorn", "-c", config, "studyservice.wsgi"], environment, directory / "server.log")
    try:
        wait_for(url, process)
        yield Server(url, environment, process)
    finally:
        process.terminate()
        process.wait(timeout=60)


def free_port() -> int:
    """A free port on loopback."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def wait_for(url: str, process: "Process | subprocess.Popen[bytes]") -> None:
    """Wait for any answer. Return early if the server ended."""
    deadline = time.monotonic() + 180  # only very busy machines need this long
    while True:
        try:
            with urlopen(f"{url}/health", timeout=5):  # noqa: S310  # http on loopback
                return
        except HTTPError:
            return
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.1)
