"""A gunicorn configuration whose worker a call can kill after the call is carried out and before it is answered."""

import os
import signal
from typing import Any

from studyservice import gunicorn as service

globals().update({name: value for name, value in vars(service).items() if not name.startswith("_")})


def post_worker_init(worker: Any) -> None:
    """Wrap the service."""
    service.post_worker_init(worker)
    handler = worker.application.handler
    answer = handler.get_response

    def answer_or_die(request: Any) -> Any:
        response = answer(request)
        if "HTTP_X_KILL" in request.META:
            os.kill(os.getpid(), signal.SIGKILL)
        return response

    handler.get_response = answer_or_die
