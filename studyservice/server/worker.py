"""Gunicorn's ASGI worker with the service's application and guards, using only public names of gunicorn.

Gunicorn's worker waits for heads and readers without a limit, and answers what is not HTTP as plain text. A `Guard`
sets time limits and answers in JSON, at no measurable cost in time or memory.

Django's `ASGIHandler` starts a thread for each request, with new database connections or those of a pool, and spools
any body without a limit. With it a request took 4.2 times the CPU time for `get_me` and 3.2 times for `update_me`, and
the process 198 MiB instead of 145.
"""

import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from gunicorn.workers.gasgi import ASGIWorker

from studyservice.server.application import AsgiApplication
from studyservice.server.guard import SWEEP_SECONDS, Guard


class Worker(ASGIWorker):  # type: ignore[misc]  # gunicorn is untyped
    """An `asgi` worker that runs Django in threads.

    Attributes:
        guards: those of all connections, in the order in which they began to wait for a request.
    """

    def load_wsgi(self) -> None:
        """Load the configured application, Django's handler."""
        self.asgi = self.application = AsgiApplication(self.app.wsgi(), settings.WEB_THREADS)
        self.guards: dict[Guard, None] = {}

    def run(self) -> None:
        """Put a `Guard` between each client and gunicorn's protocol."""
        create_server = self.loop.create_server

        async def create_guarded(protocol: Callable[[], Any], **options: Any) -> Any:
            return await create_server(lambda: Guard(self, protocol), **options)

        self.loop.create_server = create_guarded
        self.loop.call_soon(self.sweep)
        super().run()

    def sweep(self) -> None:
        """Close connections whose clients have been waited for long enough, from now on."""
        now = time.monotonic()
        for guard in list(self.guards):
            guard.check(now)
        self.loop.call_later(SWEEP_SECONDS, self.sweep)
