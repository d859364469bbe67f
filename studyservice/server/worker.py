"""Gunicorn's ASGI worker with the service's settings, using only public names of gunicorn."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from gunicorn.workers.gasgi import ASGIWorker

from studyservice.server.bridge import Bridge
from studyservice.server.connection import Connection
from studyservice.server.connections import Connections


class Worker(ASGIWorker):  # type: ignore[misc]  # gunicorn is untyped
    """An `asgi` worker that runs a WSGI application in threads."""

    _look: Callable[[], None] | None = None

    def load_wsgi(self) -> None:
        """Load the configured application, which is WSGI."""
        self.asgi = self.bridge = Bridge(self.app.wsgi(), settings.WEB_THREADS)

    def run(self) -> None:
        """Put a `Connection` between each client and gunicorn's protocol."""
        connections = Connections(self.worker_connections, self.bridge.refuse, lambda: self.alive)
        create_server = self.loop.create_server

        async def create_guarded(protocol: Callable[[], Any], **options: Any) -> Any:
            return await create_server(lambda: Connection(connections, protocol()), **options)

        self.loop.create_server = create_guarded
        self.loop.call_soon(connections.sweep)
        super().run()
        self.bridge.shutdown()

    def watched_by(self, look: Callable[[], None], waited: Callable[[float], None]) -> None:
        """Call `look` once a second, and `waited` with the seconds that each request waited for a thread."""
        self._look = look
        self.bridge.watched_by(waited)

    def load(self) -> tuple[int, int]:
        """Return the numbers of running and waiting requests, not counting `/health`."""
        return self.bridge.load()

    def notify(self) -> None:
        """Called by gunicorn once a second."""
        super().notify()
        if self._look is not None:
            self._look()
