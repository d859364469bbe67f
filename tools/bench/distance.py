"""Simulate a distant PostgreSQL: `python -m tools.bench.distance SOCKET SERVER MS` delays bytes by half of MS.

It is a separate process, on another core than the servers, with a thread for each direction of a connection. Each
thread waits half the round trip before it forwards what it read.
"""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from tools.bench.postgres import Postgres
from tools.bench.servers import ROOT, wait_until

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
    proxy = subprocess.Popen([sys.executable, "-m", "tools.bench.distance", *arguments], cwd=ROOT)
    try:
        wait_until("the proxy", listening.exists)
        yield Postgres(postgres.programs, postgres.data, str(directory), postgres.user)
    finally:
        proxy.terminate()
        proxy.wait(_STOP_SECONDS)


if __name__ == "__main__":
    main(*sys.argv[1:])
