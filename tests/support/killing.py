"""A gunicorn configuration whose worker a call can kill after the call is carried out and before it is answered."""

import os
import signal
from typing import Any

from studyservice import gunicorn as service

globals().update({name: value for name, value in vars(service).items() if not name.startswith("_")})


def post_worker_init(worker: Any) -> None:
    """Wrap the service."""
    service.post_worker_init(worker)
    answer = worker.bridge.application

    def answer_or_die(environ: dict[str, Any], start_response: Any) -> Any:
        chunks = answer(environ, start_response)
        if "HTTP_X_KILL" in environ:
            os.kill(os.getpid(), signal.SIGKILL)
        return chunks

    worker.bridge.application = answer_or_die
