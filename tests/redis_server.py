"""A real Redis for tests."""

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


class Redis:
    """A real Redis on loopback, which can be killed and started again."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port: int = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = ["redis-server", "--port", str(self._port), "--bind", "127.0.0.1", "--save", ""]
        self._process = subprocess.Popen(  # a fixed command
            command, cwd=self._directory, stdout=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self._port)) == 0:
                    return
            time.sleep(0.02)
        raise TimeoutError("redis-server did not start")

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(timeout=10)
            self._process = None


@contextmanager
def start_redis(directory: Path) -> Iterator[Redis]:
    """A running Redis; the test is skipped where there is none."""
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not on PATH")
    server = Redis(directory)
    server.start()
    yield server
    server.kill()
