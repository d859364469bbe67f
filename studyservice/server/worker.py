"""Gunicorn's threaded worker, as this service runs it; every change to gunicorn's inside stands in this file.

A thread answers requests and never waits for a client. The main loop reads heads, lets a thread answer, takes what that
thread could not read or send at once, and goes on with it (`studyservice.server.connection_queue`). Gunicorn by itself
reads and writes in the thread: a few clients that stall, or are slow, keep all of them.

`tests/server/test_worker.py` fails when a function that is overridden here, or whose inside is counted on, is not as it
was when this was written.
"""

import errno
import socket
import time
from threading import Lock
from typing import TYPE_CHECKING, Any

from django.conf import settings
from gunicorn.http.errors import InvalidHeader, LimitRequestHeaders, ParseException
from gunicorn.http.parser import RequestParser
from gunicorn.workers.gthread import TConn, ThreadWorker

from studyservice.operations.errors import ApiError, InternalError, InvalidRequest
from studyservice.rates.counts import Counts, noted_in
from studyservice.server.body_end import BodyEnd, ChunkedEnd, LengthEnd
from studyservice.server.channel import BodyAwaited, Channel
from studyservice.server.connection_queue import LARGE_BYTES, ConnectionQueue
from studyservice.server.fair_queue import FairQueue
from studyservice.server.lanes import Lanes, is_probe
from studyservice.server.refusals import refuse
from studyservice.server.request_body import READ_AHEAD_BYTES, RequestBody
from studyservice.server.threads import ThreadPool

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_ACCEPT_AT_ONCE = 64
_REPORT_SECONDS = 10.0
_NOTIFY_SECONDS = 1.0

_AWAITED = object()
"""What `handle` gives for a request whose body has not come."""


class Connection(TConn):  # type: ignore[misc]  # gunicorn is untyped
    """A connection of a client; gunicorn reads and writes its channel instead of its socket.

    Attributes:
        counts: what its current request was counted against, as it may be begun twice.
        queued_at: the monotonic time from which it has waited for a thread, where that is counted.
    """

    def __init__(self, cfg: Any, client: socket.socket, address: Any, server: Any) -> None:
        super().__init__(cfg, Channel(client), address, server)
        self.data_ready = True  # or gunicorn waits for data, with the thread
        self.body_was_awaited = False
        self.counts = Counts()
        self.queued_at = 0.0

    def init(self) -> None:
        """A parser for each time that a request is begun; gunicorn has one for all requests of a connection."""
        self.parser = RequestParser(self.cfg, self.sock, self.client)
        self.parser.unreader.max_body_chunk = READ_AHEAD_BYTES

    def begin_next(self) -> None:
        """The request was answered; what was read beyond it belongs to the next."""
        self.sock.finish(self.parser.unreader.take_buffered())
        self.body_was_awaited = False
        self.counts = Counts()


class JSONErrorWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn is untyped
    """A `gthread` worker that waits for clients without threads, and whose own refusals carry the error envelope."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.waiting: ConnectionQueue[Connection]
        self._in_turn = Lock()  # held by whoever sees to connections and to whose turn it is
        self._reported_at = self._notified_at = 0.0
        self.lanes = Lanes(settings.WEB_THREADS)
        self._requests: FairQueue[Connection] = FairQueue(settings.WEB_THREADS)
        self._probes: FairQueue[Connection] = FairQueue(1)

    def load_wsgi(self) -> None:
        """The application; once it has answered, what it left of the body is read or the connection is to end.

        Gunicorn reads the rest after the answer, with the thread, when the answer has told that the connection is kept.
        """
        super().load_wsgi()
        application: WSGIApplication = self.wsgi

        def answered(environ: "WSGIEnvironment", start_response: "StartResponse") -> "Iterable[bytes]":
            answer = application(environ, start_response)
            environ["wsgi.input"].settle()
            return answer

        self.application = application
        self.wsgi: WSGIApplication = answered

    def run(self) -> None:
        """The main loop, with a place where connections wait."""
        self.waiting = ConnectionQueue(self.poller, self.enqueue_req, self._delivered, self._closed)
        super().run()

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """One turn of the main loop.

        A thread that has answered sees to its connection itself, in turn with the main loop. Gunicorn leaves that to
        the main loop and wakes it: a call of the kernel on both sides, and the interpreter handed to another thread.
        """
        for key, _ in self.poller.select(timeout):
            with self._in_turn:
                key.data(key.fileobj)

    def notify(self) -> None:
        """Tell the master that this process is alive, once a second; gunicorn does so in each turn of the loop."""
        now = time.monotonic()
        if now >= self._notified_at + _NOTIFY_SECONDS:
            self._notified_at = now
            super().notify()

    def _closed(self) -> None:
        self.nr_conns -= 1
        if not (self._accepting and self.alive):
            self.method_queue.defer(_wake)  # the main loop waits for this

    def accept(self, listener: socket.socket) -> None:
        """Let waiting connections in, and wait for their heads; where there is no room, who waits longest goes.

        Gunicorn gives each to a thread, which waits five seconds for the first byte and for the rest of a head without
        end; when `worker_connections` are open it takes no more, and it dies when it has no file descriptor left.
        """
        for _ in range(_ACCEPT_AT_ONCE):
            try:
                client, address = listener.accept()
            except OSError as error:
                if error.errno in {errno.EMFILE, errno.ENFILE}:
                    self.waiting.make_room()
                elif error.errno not in {errno.EAGAIN, errno.ECONNABORTED}:
                    raise
                return
            self.nr_conns += 1
            self.waiting.await_head(Connection(self.cfg, client, address, listener.getsockname()))
            if self.nr_conns >= self.worker_connections and not self.waiting.make_room():
                return  # gunicorn accepts again when there is room

    def enqueue_req(self, conn: Connection) -> None:
        """Let a request, whose head has come, wait for its turn; by itself gunicorn serves them as they come."""
        head = conn.sock.head() + b"\r\n\r\n" if conn.sock.has_head() else b""
        queue = self._probes if is_probe(head) else self._requests
        queue.submit(self.lanes.lane(head, conn.client[0] if conn.client else ""), conn)
        self._start_next()

    def get_thread_pool(self) -> ThreadPool[Connection]:
        """The threads; gunicorn's are those of an executor."""
        return ThreadPool(self.cfg.threads, self._serve)

    def _next(self) -> Connection | None:
        """The connection whose turn it is, if a thread may answer one more."""
        return self._probes.take() or self._requests.take()

    def _start_next(self) -> None:
        """Hand connections to the threads."""
        while (conn := self._next()) is not None:
            self.tpool.submit(conn)

    def _serve(self, conn: Connection) -> Connection | None:
        """Answer a request, in a thread, and see to its connection; gives the one to go on with."""
        try:
            result = self.handle(conn)
        except BaseException:  # whatever it is, the thread goes on
            self.log.exception("Error handling a connection")
            result = False
        try:
            with self._in_turn:
                self.finish_request(conn, result)
                following = self._next()
                self._start_next()
        except Exception:  # as in the main loop, whose process ends with it and is replaced
            self.log.exception("Error seeing to a connection; the process ends")
            self.alive = False
            self.method_queue.defer(_wake)
            return None
        return following

    def handle(self, conn: Connection) -> Any:
        """Answer the next request of a connection, in a thread; whether the connection may be used again.

        Gunicorn waits for the head here, and sets a time-out for the whole of an answer.
        """
        if not conn.sock.has_head():
            self.handle_error(None, conn.sock, conn.client, LimitRequestHeaders("no end of the head"))
            return False
        try:
            with noted_in(conn.counts):
                kept = bool(super().handle(conn))
        except BodyAwaited:
            conn.sock.rewind()
            if not conn.body_was_awaited:
                return _AWAITED
            conn.sock.ended = True  # all that could be told of the body has come, and it was not whole
            conn.counts.begin_again()
            return self.handle(conn)
        if kept:
            conn.begin_next()
        return kept

    def handle_request(self, req: Any, conn: Connection) -> bool:
        """Answer one request; whether its connection may be used again.

        Gunicorn asks for the body (`100 Continue`) before the application wants it, gives it a body that ends early as
        if it were whole, and lets HTTP/1.1 without Host pass (RFC 9112 section 3.2). It sends head and body one by one.
        """
        if req.version >= (1, 1) and not any(name == "HOST" and value for name, value in req.headers):
            raise InvalidHeader("HOST", req=req)
        conn.sock.continue_due = req._expected_100_continue and not conn.body_was_awaited  # noqa: SLF001
        req._expected_100_continue = False  # noqa: SLF001
        req.body = RequestBody(req, conn.sock)
        kept = bool(super().handle_request(req, conn))
        conn.sock.flush()
        return kept

    def finish_request(self, conn: Connection, result: object) -> None:
        """A thread is done with a connection, which goes on as `handle` said.

        Gunicorn closes connections here and waits up to two seconds for each client to do so too, in the main loop.
        """
        if conn.sock.unsent() > LARGE_BYTES:
            self._requests.answered(conn)
            self._probes.answered(conn)
        else:
            self._free(conn)
        if result is _AWAITED:
            request = conn.parser.mesg
            conn.body_was_awaited = True
            conn.counts.begin_again()
            self.waiting.await_body(conn, _end_of_body(request), len(conn.sock.head()))
        else:
            self.waiting.await_reader(conn, kept=bool(result))

    def _delivered(self, conn: Connection) -> None:
        """Its client may ask for more; one that leaves large answers unread does not have many of them made."""
        self._free(conn)
        self._start_next()

    def _free(self, conn: Connection) -> None:
        self._requests.finished(conn)
        self._probes.finished(conn)

    def murder_pending(self) -> None:
        """Close who is too slow; gunicorn calls this in each turn of its loop, once a second or more often."""
        with self._in_turn:
            self.waiting.sweep()
        now = time.monotonic()
        if self.waiting.given_up and now >= self._reported_at + _REPORT_SECONDS:
            self.log.warning("Closed %s connections that were too slow or had to make room", self.waiting.given_up)
            self.waiting.given_up, self._reported_at = 0, now

    def _cap_keepalive(self, deadline: float) -> None:
        """When the process is to end, let connections that wait for a request go by `deadline`."""
        with self._in_turn:
            self.waiting.end_by(deadline)

    def handle_error(self, req: Any, client: Channel, addr: Any, exc: BaseException) -> None:
        """Answer a request that could not be parsed, or whose answer failed; then its connection ends.

        Gunicorn answers HTML, and logs it under no id.
        """
        error: ApiError
        if isinstance(exc, ParseException):
            error = InvalidRequest("The request is not valid HTTP, lacks Host, or its line or a header is too long.")
        else:
            error = InternalError()
        try:
            client.sendall(refuse(self.application, client.head(), addr[0] if addr else "", error, exc))
            client.flush()
        except OSError:
            self.log.debug("The client was gone before its error could be sent.")


def _wake() -> None:
    """Nothing: the main loop wakes up for it."""


def _end_of_body(request: Any) -> BodyEnd:
    """Of a request whose headers gunicorn has checked."""
    for name, value in request.headers:
        if name == "CONTENT-LENGTH":
            return LengthEnd(int(value))
    return ChunkedEnd()
