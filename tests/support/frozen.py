"""A frozen database server: the kernel accepts data, and nothing answers."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import parse_qs, quote, urlsplit


class Freezer:
    """Passes bytes between clients and the PostgreSQL server at `url`. `freeze` pauses it and `thaw` resumes.

    Attributes:
        url: the URL of the same database through this proxy.
    """

    def __init__(self, url: str, listener: socket.socket) -> None:
        parts = urlsplit(url)
        directory = parse_qs(parts.query)["host"][0]
        self._behind = f"{directory}/.s.PGSQL.5432"
        self._listener = listener
        self._flowing = threading.Event()
        self.url = f"postgres://postgres@127.0.0.1:{listener.getsockname()[1]}/{quote(parts.path[1:])}"
        self.thaw()
        threading.Thread(target=self._accept, daemon=True).start()

    def freeze(self) -> None:
        self._flowing.clear()

    def thaw(self) -> None:
        self._flowing.set()

    def _accept(self) -> None:
        with suppress(OSError):  # closed at the end
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._behind)
                for pair in ((client, server), (server, client)):
                    threading.Thread(target=self._pass, args=pair, daemon=True).start()

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):  # either end may have closed
            while data := source.recv(65_536):
                self._flowing.wait()
                target.sendall(data)
        for end in (source, target):
            with suppress(OSError):  # the other direction closed it first
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@contextmanager
def freezer(url: str) -> Iterator[Freezer]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        passing = Freezer(url, listener)
        try:
            yield passing
        finally:
            passing.thaw()
