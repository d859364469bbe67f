"""The servers: one process on one core for each of them, and the same four threads where they have threads."""

import os
from dataclasses import dataclass
from pathlib import Path

from bench.gunicorn import Gunicorn
from bench.rows import FASTAPI, FLOOR, IDIOMATIC, NINJA, SERVICE, WITH_REDIS

THREADS = 4


@dataclass(frozen=True, slots=True)
class Contestant:
    """An application and what serves it.

    Attributes:
        application: the module of its WSGI or ASGI application.
        server: `service` is gunicorn with the service's configuration, `gunicorn` without it, as that would load the
            service's settings, `uvicorn` the usual server of asyncio, on uvloop.
        redis: whether requests are counted in Redis.
    """

    application: str
    server: str = "gunicorn"
    redis: bool = False

    def command(self, port: int) -> tuple[str, ...]:
        """The module that is run, and its arguments."""
        if self.server == "uvicorn":
            listening = ("--host", "127.0.0.1", "--port", str(port), "--timeout-keep-alive", "75")
            return (
                "uvicorn",
                f"{self.application}:application",
                *listening,
                "--no-access-log",
                "--log-level",
                "warning",
            )
        own = ("-k", "gthread", "-b", f"127.0.0.1:{port}", "--threads", str(THREADS), "--keep-alive", "75")
        settings = ("-c", "studyservice/gunicorn.py") if self.server == "service" else own
        return ("gunicorn", "--log-level", "warning", *settings, f"{self.application}:application")


CONTESTANTS = {
    SERVICE: Contestant("studyservice.wsgi", "service"),
    WITH_REDIS: Contestant("studyservice.wsgi", "service", redis=True),
    FLOOR: Contestant("bench.floor"),
    IDIOMATIC: Contestant("bench.idiomatic.wsgi"),
    NINJA: Contestant("bench.ninja.wsgi"),
    FASTAPI: Contestant("bench.fastapi_sqlalchemy.asgi", "uvicorn"),
}

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
        "ADMIN_SECOND_FACTOR": "proxy",  # a drill's operator has no device
        "TRUSTED_PROXIES": "1",  # the load generator forwards for clients at as many addresses as it likes
    }


class Server(Gunicorn):
    """A contestant that is served."""

    def __init__(self, name: str, port: int, env: dict[str, str], log: Path) -> None:
        module, *arguments = CONTESTANTS[name].command(port)
        super().__init__(port, env, log, tuple(arguments), module)
        self.name = name

    @property
    def worker(self) -> int:
        """Process id of the one that answers: gunicorn's only worker, or uvicorn itself."""
        if self.module == "uvicorn" and self.master:
            return self.master.pid
        [worker] = self.workers()
        return worker
