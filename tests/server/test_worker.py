"""What the worker changes inside of gunicorn is still what it was written for."""

import hashlib
import inspect
import tomllib
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import pytest
from gunicorn import util
from gunicorn.arbiter import Arbiter
from gunicorn.http import get_parser
from gunicorn.http.message import Message
from gunicorn.http.parser import Parser
from gunicorn.http.unreader import SocketUnreader, Unreader
from gunicorn.http.wsgi import Response, create
from gunicorn.workers.base import Worker
from gunicorn.workers.gthread import PollableMethodQueue, TConn, ThreadWorker

from studyservice.server.worker import Connection, JSONErrorWorker
from tests import ROOT

pytestmark = pytest.mark.database("sqlite", "gunicorn's internals")

LEANT_ON: dict[Callable[..., Any], str] = {
    # Of connections: they are made of a channel instead of a socket, and parsed anew for each request.
    TConn.__init__: "c8763d7c65974e1b",
    TConn.init: "5ff3d4ba451cfdf3",
    get_parser: "b7d8dcde91e20db4",
    Parser.__init__: "604084ecb33b3dbd",
    SocketUnreader.__init__: "e8f9de555670946f",
    SocketUnreader.chunk: "9f62532259f8468e",
    Unreader.read: "cbfeead6687ff48b",
    Response.write: "a13659ff072c00e1",
    Response.write_file: "dbbc6333931219cc",
    Response.sendfile: "417ea65fb9a19f5b",
    Response.send_headers: "7aff3b7d004fc17b",
    Response.close: "1e78fc7777ff09ae",
    util.write: "cd995031295fd782",
    util.write_chunk: "9cd46540c593e44d",
    util.close_graceful: "0e5925bfc017bc4e",
    # Of the main loop and its threads.
    ThreadWorker.__init__: "5681b8b542ea91bf",
    ThreadWorker.init_process: "e4fc63a1a68e4f48",
    ThreadWorker.set_accept_enabled: "140150ebfd3cae34",
    ThreadWorker.wait_for_and_dispatch_events: "ea969b352482bd5c",
    ThreadWorker.murder_keepalived: "4459960c4ccc36d4",
    PollableMethodQueue.defer: "4d722900967b8ad2",
    PollableMethodQueue.run_callbacks: "2583376785b0c53c",
    ThreadWorker.handle_exit: "b4e7decd4f9203ac",
    Worker.notify: "7f509bc4046b0e97",
    ThreadWorker.run: "f92c7394d85715a4",
    ThreadWorker.accept: "f8dcead3dce5c851",
    ThreadWorker.enqueue_req: "c9f428953d24acef",
    ThreadWorker.get_thread_pool: "003f3549a71b6d34",
    ThreadWorker.handle: "ca85c9be3df75da4",
    ThreadWorker.handle_request: "6d0de5b919102efc",
    ThreadWorker.finish_request: "616e7bb15a009ff7",
    ThreadWorker.murder_pending: "7bf11f46454296e1",
    ThreadWorker._keepalive_after: "4ebdbbc8bf5aafa5",
    ThreadWorker._cap_keepalive: "745c8ac37108c74d",
    Worker.handle_error: "75426448389bbac9",
    Worker.load_wsgi: "18b02fc35e964f2b",
    # Of requests: their body is replaced, and whether they wait to be asked for it is decided later.
    Parser.__next__: "b8536520e95854d6",
    Parser.finish_body: "54c5d0d28c2626ea",
    Unreader.take_buffered: "89cef5e60e6f09e1",
    Message.set_body_reader: "e3ba33f5ac7ca542",
    Message._apply_header_policy: "ac812cc2fe6b529c",
    create: "2c35d4a2dc629ede",
    # Of processes: each has a slot for its metrics until gunicorn has taken it out of its table.
    Arbiter.spawn_worker: "6abc0d90b0b9f80b",
    Arbiter.reap_workers: "ebcf4187e9ebf378",
}
"""Each function of gunicorn that is overridden or whose inside is counted on, and what its source is."""


@pytest.mark.parametrize("function", LEANT_ON, ids=lambda function: function.__qualname__)
def test_gunicorn_is_as_it_was_when_it_was_read(function: Callable[..., Any]) -> None:
    """When this fails: read the function again, and what the worker says of it; then note its new digest."""
    digest = hashlib.sha256(inspect.getsource(function).encode()).hexdigest()[:16]
    assert digest == LEANT_ON[function]


def test_gunicorn_is_pinned_to_the_version_that_was_read() -> None:
    """A range would let an installation without the lock files choose a version that nobody has read."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert [one for one in declared if one.startswith("gunicorn")] == [f"gunicorn=={version('gunicorn')}"]


def _functions(cls: type) -> dict[str, Callable[..., Any]]:
    return {name: value for name, value in vars(cls).items() if inspect.isfunction(value)}


def _overridden(cls: type) -> dict[str, Callable[..., Any]]:
    """Gunicorn's functions that those of `cls` stand in for."""
    theirs = {name: value for base in reversed(cls.__mro__[1:]) for name, value in _functions(base).items()}
    return {name: theirs[name] for name in _functions(cls) if name in theirs}


@pytest.mark.parametrize("cls", [Connection, JSONErrorWorker])
def test_what_is_overridden_was_read(cls: type) -> None:
    assert {name for name, function in _overridden(cls).items() if function not in LEANT_ON} == set()


def test_what_overrides_nothing_is_known() -> None:
    """A name that gunicorn gave up would be here."""
    assert _functions(Connection).keys() - _overridden(Connection) == {"begin_next"}
    own = {"_closed", "_delivered", "_free", "_next", "_serve", "_start_next"}
    assert _functions(JSONErrorWorker).keys() - _overridden(JSONErrorWorker) == own
