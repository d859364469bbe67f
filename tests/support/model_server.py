"""A stub of an OpenAI-compatible server on loopback, which answers as a test tells it to."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from studyservice.language_model import LanguageModel

Handler = Callable[[BaseHTTPRequestHandler], None]


def content(text: str) -> Handler:
    """Answer with this content of a message."""
    return answer(json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode())


def rows(*items: Any, categories: Any = ()) -> Handler:
    """Answer with these items and categories."""
    return content(json.dumps({"items": list(items), "grade_categories": list(categories)}))


def answer(body: bytes = b"{}", status: int = 200, **headers: str) -> Handler:
    """Answer with these bytes."""

    def write(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)

    return write


def cut(request: BaseHTTPRequestHandler) -> None:
    """End the connection without an answer."""
    request.connection.close()


class ModelServer:
    """The stub.

    Attributes:
        asked: the bodies of the questions so far.
        headers: the headers of the last one.
        answers: the answers to the next questions; the last one is repeated.
        released: lets silent answers end.
    """

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.headers: dict[str, str] = {}
        self.answers: list[Handler] = [rows()]
        self.released = threading.Event()
        stub = self

        class Requests(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                listed = {"data": [{"id": "small:latest"}, {"id": "other"}]}
                answer(json.dumps(listed).encode())(self)

            def do_POST(self) -> None:
                stub.headers = dict(self.headers)
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                stub.asked.append(body | {"path": self.path})
                write = stub.answers.pop(0) if len(stub.answers) > 1 else stub.answers[0]
                write(self)

            def log_message(self, *_: Any) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Requests)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients that give up are expected
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        """The root of its API."""
        return f"http://127.0.0.1:{cast('tuple[str, int]', self._server.server_address)[1]}/v1"

    @property
    def model(self) -> LanguageModel:
        """The setting that names it."""
        return LanguageModel(self.url, "small", "secret-key", "the college's model")

    def silent(self, request: BaseHTTPRequestHandler) -> None:
        """Do not answer until `released`."""
        self.released.wait(300)

    def held(self, write: Handler) -> Handler:
        """Give this answer once it is `released`."""

        def wait(request: BaseHTTPRequestHandler) -> None:
            self.released.wait(60)
            write(request)

        return wait

    def dripping(self, request: BaseHTTPRequestHandler) -> None:
        """Send an answer that never ends, a byte at a time, until `released`."""
        request.send_response(200)
        request.end_headers()
        while not self.released.wait(0.02):
            request.wfile.write(b" ")
            request.wfile.flush()

    def stop(self) -> None:
        """End it and every silent answer."""
        self.released.set()
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """A running stub."""
    server = ModelServer()
    try:
        yield server
    finally:
        server.stop()
