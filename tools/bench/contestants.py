"""The measured applications, each as one process on one core. Threaded ones have as many threads as the service."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tools.bench.rows import FASTAPI, FLOOR, IDIOMATIC, NINJA, SERVICE, WITH_REDIS
from tools.bench.servers import THREADS

_GUNICORN = ("gunicorn", "--log-level", "warning")
_SERVICE = (*_GUNICORN, "-c", "studyservice/gunicorn.py")
_PLAIN = (*_GUNICORN, "-k", "gthread", "-b", "127.0.0.1:{port}", "--threads", str(THREADS), "--keep-alive", "75")
_UVICORN = "uvicorn --host 127.0.0.1 --port {port} --timeout-keep-alive 75 --no-access-log --log-level warning"
_DJANGO = "django.core.wsgi:get_wsgi_application()"


@dataclass(frozen=True, slots=True)
class Contestant:
    """An application and its server. With `redis` it counts requests in Redis."""

    application: str
    server: tuple[str, ...] = _PLAIN
    variables: Mapping[str, str] = field(default_factory=dict)
    redis: bool = False

    @property
    def command(self) -> tuple[str, ...]:
        """The module that is run, and its arguments. `{port}` is replaced."""
        return (*self.server, self.application)


def _framework(urls: str) -> Contestant:
    variables = {
        "DJANGO_SETTINGS_MODULE": "tools.bench.frameworks.settings",
        "BENCH_URLS": f"tools.bench.frameworks.{urls}",
    }
    return Contestant(_DJANGO, variables=variables)


CONTESTANTS = {
    SERVICE: Contestant("studyservice.wsgi:application", _SERVICE),
    WITH_REDIS: Contestant("studyservice.wsgi:application", _SERVICE, redis=True),
    FLOOR: Contestant("tools.bench.floor:application"),
    IDIOMATIC: _framework("drf"),
    NINJA: _framework("ninja_api"),
    FASTAPI: Contestant("tools.bench.frameworks.fastapi_app:application", tuple(_UVICORN.split())),
}
