"""A real Redis for tests, and a server that never answers."""

import os
import shutil
import signal
import socket
import socketserver
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


class Redis:
    """A real Redis on loopback that can be killed, restarted, or frozen for a while."""

    def __init__(self, directory: Path, port: int = 0) -> None:
        self._directory = directory
        with socket.create_server(("127.0.0.1", port)) as free:
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

    def hang(self) -> None:
        """Freeze the server. The kernel still accepts connections, but nothing answers."""
        if self._process is not None:
            os.kill(self._process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        if self._process is not None:
            os.kill(self._process.pid, signal.SIGCONT)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait(timeout=10)
            self._process = None


@contextmanager
def start_redis(directory: Path, port: int = 0) -> Iterator[Redis]:
    """A running Redis on any free port. Skips the test if Redis is not installed."""
    if shutil.which("redis-server") is None:
        pytest.skip("redis-server is not on PATH")
    server = Redis(directory, port)
    server.start()
    yield server
    server.kill()


class SilentRedis(socketserver.ThreadingTCPServer):
    """Accept connections and never answer."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Silent)
        self.port = self.server_address[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.lock = threading.Lock()
        self.open = 0
        self.most = 0
        """The largest number of simultaneously open connections."""
        self.asked = 0
        """Number of connections so far."""


@contextmanager
def start_silent_redis() -> Iterator[SilentRedis]:
    """A server that accepts connections and never answers."""
    with SilentRedis() as silent:
        threading.Thread(target=silent.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield silent
        silent.shutdown()


class _Silent(socketserver.BaseRequestHandler):
    server: SilentRedis

    def handle(self) -> None:
        with self.server.lock:
            self.server.asked += 1
            self.server.open += 1
            self.server.most = max(self.server.most, self.server.open)
        while self.request.recv(4096):
            pass
        with self.server.lock:
            self.server.open -= 1
