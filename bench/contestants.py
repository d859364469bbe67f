"""The servers: gunicorn's threaded worker, one process, the same threads and core for each of them."""

import os
from pathlib import Path

from bench.gunicorn import Gunicorn
from bench.rows import FLOOR, IDIOMATIC, SERVICE

THREADS = 4
APPLICATIONS = {
    SERVICE: "studyservice.wsgi",
    FLOOR: "bench.floor",
    IDIOMATIC: "bench.idiomatic.wsgi",
}
"""Contestant to the module of its WSGI application."""

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


class Server(Gunicorn):
    """A contestant."""

    def __init__(self, name: str, port: int, env: dict[str, str], log: Path) -> None:
        # The others run on the same server without the service's settings, which its configuration would load.
        own = ("-k", "gthread", "-b", f"127.0.0.1:{port}", "--threads", str(THREADS), "--keep-alive", "75")
        settings = ("-c", "studyservice/gunicorn.py") if name == SERVICE else own
        super().__init__(port, env, log, ("--log-level", "warning", *settings, f"{APPLICATIONS[name]}:application"))
        self.name = name

    @property
    def worker(self) -> int:
        """Process id of the one worker."""
        [worker] = self.workers()
        return worker
