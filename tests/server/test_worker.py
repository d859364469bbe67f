"""What the worker changes inside of gunicorn is still what it was written for."""

import hashlib
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from gunicorn.http.message import Message
from gunicorn.http.parser import Parser
from gunicorn.http.unreader import Unreader
from gunicorn.http.wsgi import create
from gunicorn.workers.base import Worker
from gunicorn.workers.gthread import TConn, ThreadWorker

from studyservice.server.worker import JSONErrorWorker

LEANT_ON: dict[Callable[..., Any], str] = {
    TConn.__init__: "c8763d7c65974e1b",
    TConn.init: "5ff3d4ba451cfdf3",
    ThreadWorker.run: "f92c7394d85715a4",
    ThreadWorker.accept: "f8dcead3dce5c851",
    ThreadWorker.get_thread_pool: "003f3549a71b6d34",
    ThreadWorker.enqueue_req: "c9f428953d24acef",
    ThreadWorker.handle: "ca85c9be3df75da4",
    ThreadWorker.handle_request: "6d0de5b919102efc",
    ThreadWorker.finish_request: "616e7bb15a009ff7",
    ThreadWorker.murder_pending: "7bf11f46454296e1",
    ThreadWorker._cap_keepalive: "745c8ac37108c74d",
    Worker.handle_error: "75426448389bbac9",
    Worker.load_wsgi: "18b02fc35e964f2b",
    Parser.__next__: "b8536520e95854d6",
    Parser.finish_body: "54c5d0d28c2626ea",
    Unreader.take_buffered: "89cef5e60e6f09e1",
    Message.set_body_reader: "e3ba33f5ac7ca542",
    create: "2c35d4a2dc629ede",
}
"""Each function of gunicorn that is overridden or whose inside is counted on, and what its source is."""


@pytest.mark.parametrize("function", LEANT_ON, ids=lambda function: function.__qualname__)
def test_gunicorn_is_as_it_was_when_it_was_read(function: Callable[..., Any]) -> None:
    """When this fails: read the function again, and what the worker says of it; then note its new digest."""
    digest = hashlib.sha256(inspect.getsource(function).encode()).hexdigest()[:16]
    assert digest == LEANT_ON[function]


def test_every_override_is_of_something() -> None:
    own = {name for name, value in vars(JSONErrorWorker).items() if inspect.isfunction(value)}
    assert {name for name in own if not hasattr(ThreadWorker, name)} == {"_closed", "_delivered", "_start_next"}
