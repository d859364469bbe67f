"""Gunicorn's configuration: `gunicorn -c studyservice/gunicorn.py studyservice.wsgi`.

It loads the settings before any process starts, so a wrong one stops the server with a message.
"""

import gc
import logging
import os
import resource
import sys
from itertools import count
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyservice.settings")

# Needs the path and DJANGO_SETTINGS_MODULE set above.
from django.conf import settings
from django.core.checks import Tags
from django.core.management.base import BaseCommand
from django.db import DEFAULT_DB_ALIAS

from studyservice.server.startup import load_settings

load_settings()
logging.captureWarnings(True)
# No log line uses these, and each record looks them up (Python's logging HOWTO, "Optimization").
logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
logging._srcfile = None  # noqa: SLF001  # its name there

bind = f"[{settings.HOST}]:{settings.PORT}" if ":" in settings.HOST else f"{settings.HOST}:{settings.PORT}"
workers = settings.WEB_CONCURRENCY
max_requests = settings.WEB_MAX_REQUESTS
max_requests_jitter = max_requests // 10  # so that processes do not end at the same time
worker_class = "studyservice.server.application.Worker"  # with WEB_THREADS threads
asgi_loop = "asyncio"  # another installed one is not used
asgi_lifespan = "off"  # the application has nothing to start
timeout = 60
graceful_timeout = 30
keepalive = 75  # unused: studyservice.server.guard has its own timeouts
# Each connection needs a file descriptor. Raise a low limit as far as allowed; the rest is for files, the database and
# Redis.
_, _most = resource.getrlimit(resource.RLIMIT_NOFILE)
_files = 65_536 if _most == resource.RLIM_INFINITY else min(_most, 65_536)
resource.setrlimit(resource.RLIMIT_NOFILE, (_files, _most))
worker_connections = max(64, min(4096, _files - 256))
http_parser = "python"  # other installed ones are not used either
permit_unconventional_http_method = True  # an unknown method is 405, not 400
limit_request_line = 8190
limit_request_field_size = 16380
control_socket_disable = True
# Log gunicorn's own lines in the service's format.
_own = {"gunicorn.error": {"level": "INFO", "handlers": [], "propagate": True}}
logconfig_dict = {**settings.LOGGING, "loggers": {**settings.LOGGING["loggers"], **_own}}

SWITCH_SECONDS = 0.003
"""How long a thread computes before it yields. Python's default is 5 ms. A call needs the interpreter again after each
wait for the database, some ten times, so beside a long computation it would be 50 ms late. Each switch costs both
threads time, so a shorter interval slows every call.
"""


def post_fork(arbiter: Any, worker: Any) -> None:
    """Runs in each process before it loads the service. Freezing loaded objects saves a fifth of garbage collection."""
    gc.disable()
    if settings.METRICS_ADDRESS is not None:
        arbiter.metrics.enter(worker.metrics_slot)


def post_worker_init(worker: Any) -> None:
    """Runs in each process after it has loaded the service.

    Loaded objects stay, so garbage collection can skip them. Scanning them would stop every thread for about 0.1 s each
    time.
    """
    if settings.METRICS_ADDRESS is not None:
        from studyservice.server.sampling import watch  # noqa: PLC0415  # it counts in the files of this process

        worker.application.threads = watch()
    BaseCommand().check(tags=[Tags.database], databases=[DEFAULT_DB_ALIAS])
    gc.freeze()  # with a megabyte of garbage; finding that would take 0.2 s
    gc.collect()  # a full collection runs when a quarter of the objects is new; few objects remain now
    gc.enable()
    sys.setswitchinterval(SWITCH_SECONDS)


if workers > 1 and settings.REDIS_URL is None:
    raise SystemExit(
        f"Not started: WEB_CONCURRENCY is {workers} but REDIS_URL is not set. Several processes need Redis to share "
        "their rate limits. Set REDIS_URL, or run one process."
    )

if settings.METRICS_ADDRESS is not None:
    from studyservice.server.metrics_server import MetricsServer

    _host, _port = settings.METRICS_ADDRESS

    def when_ready(arbiter: Any) -> None:
        """Runs before the first process starts."""
        arbiter.metrics = MetricsServer(_host, _port)

    def pre_fork(arbiter: Any, worker: Any) -> None:
        """Runs before each fork. The process gets the first free slot: those that ended are not the arbiter's."""
        used = {other.metrics_slot for other in arbiter.WORKERS.values()}
        worker.metrics_slot = next(slot for slot in count() if slot not in used)

    def on_exit(arbiter: Any) -> None:
        """Runs after the last process ended."""
        arbiter.metrics.close()
