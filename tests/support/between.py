"""A proxy between a client and the service that fails like real networks and busy servers."""

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

BUSY = b'{"error": {"type": "rate_limited", "message": "Too many requests.", "request_id": "req_told"}}'


@dataclass
class Between:
    """Passes calls on, and applies `faults` in order.

    Attributes:
        faults: one for each coming call: `lose` the answer after the call was carried out, `cut` the answer off in the
            middle, `pass`, or answer with a status and a `Retry-After` without calling the service.
        got: method and path of each call.
        keys: the `Idempotency-Key` of each call.
        bodies: the body of each call.
        rewritten: texts in answers, with their replacements.
    """

    url: str
    faults: list[str | tuple[int, str]] = field(default_factory=list)
    got: list[str] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    rewritten: dict[bytes, bytes] = field(default_factory=dict)


@contextmanager
def between(service: str) -> Iterator[Between]:
    """Run the proxy in front of the service at `origin`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:  # the method name that http.server expects
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            this.got.append(f"{self.command} {self.path}")
            this.keys.append(self.headers["Idempotency-Key"])
            this.bodies.append(body)
            fault = this.faults.pop(0) if this.faults else "pass"
            if isinstance(fault, tuple):
                status, retry_after = fault
                self.answer(status, {"Retry-After": retry_after} if retry_after else {}, BUSY)
                return
            status, headers, content = self.passed_on(body)
            self.close_connection = fault != "pass"
            if fault != "lose":
                self.answer(status, headers, content, sent=len(content) // 2 if fault == "cut" else len(content))

        do_POST = do_PATCH = do_DELETE = do_GET  # noqa: N815  # the names that http.server calls

        def passed_on(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
            connection = http.client.HTTPConnection(urlsplit(service).netloc, timeout=30)
            headers = {name: value for name, value in self.headers.items() if name.lower() != "accept-encoding"}
            connection.request(self.command, self.path, body, headers)
            response = connection.getresponse()
            content = response.read()
            connection.close()
            for there, put in this.rewritten.items():
                content = content.replace(there, put)
            kept = {"content-type", "retry-after", "idempotency-replayed", "x-request-id"}
            return response.status, {n: v for n, v in response.getheaders() if n.lower() in kept}, content

        def answer(self, status: int, headers: dict[str, str], content: bytes, sent: int | None = None) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content[:sent])

        def log_message(self, *args: Any) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        this = Between(f"http://127.0.0.1:{server.server_address[1]}")
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield this
        server.shutdown()
        thread.join()
