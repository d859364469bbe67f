"""A Redis of our own, for the benchmark and the drills."""

import shutil
import signal
import socket
import subprocess

from bench.gunicorn import wait_until


def listens(port: int) -> bool:
    """Whether anybody listens at a port of loopback."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Redis:
    """A Redis that keeps nothing.

    Raises:
        SystemExit: there is no redis-server.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self.url = f"redis://127.0.0.1:{port}/0"
        self.start()

    def start(self) -> None:
        """Start it (again) and wait until it answers."""
        program = shutil.which("redis-server")
        if program is None:
            raise SystemExit("redis-server is needed on the PATH.")
        options = ["--port", str(self._port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
        wait_until("Redis", lambda: listens(self._port), 5)

    def hang(self) -> None:
        """SIGSTOP: connections are still accepted, by the kernel; nothing is answered."""
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """SIGCONT."""
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()
        self._process.wait()
