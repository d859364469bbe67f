"""Clients that send half a head, half a body, or read slowly or not at all, while others are served."""

import selectors
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from bench import machine
from bench.cast import Subject
from bench.contestants import THREADS
from bench.drills.client import Client, ClosedError, ImproperAnswerError
from bench.drills.report import Report
from bench.drills.site import Instance, Site

_HEADS = 2_000
_MOST_MIB = 250
_STALLED = 10 * THREADS
_READERS = 2 * THREADS
_READ_BYTES_A_SECOND = 400_000
_ANSWERS = 8
_CARDS = 500


def drill(site: Site) -> list[Report]:
    """Each kind by itself."""
    report = Report("slow clients")
    url, data, cast = site.fresh("sqlite")
    instance = site.serve(url, data)
    head = _head(cast.members[0], "GET", "/v1/items?limit=100")
    body = _head(cast.members[0], "POST", "/v1/vocab-decks", "Content-Type: application/json", "Content-Length: 900")
    chunked = _head(cast.members[0], "POST", "/v1/vocab-decks", "Transfer-Encoding: chunked")
    refused = body.replace(cast.members[0].key.encode(), b"svc_sk_wrong")
    kinds = (
        ("half-sent heads, a byte a second", _HEADS, head[:-30], b"x"),
        ("half-sent bodies", _STALLED, body + b'{"name": ', b""),
        ("half-sent chunked bodies", _STALLED, chunked + b"5\r\n{", b""),
        ("half-sent bodies that are refused", _STALLED, refused + b'{"name": ', b""),
        ("clients that do not read", _STALLED, head * 2000, b""),
    )
    for what, number, sent, drip in kinds:
        with _stalled(instance, sent, number, drip), _Watched(instance, cast.members[1]) as watched:
            time.sleep(13)  # longer than any of them is waited for
        watched.judge(report, f"{number} {what}")
    _steady(report, instance, cast.members[2], cast.members[1])
    return [report]


class _Watched:
    """Another member's calls, each as a new client, and the memory of the process, while the block runs."""

    def __init__(self, instance: Instance, subject: Subject) -> None:
        self._instance = instance
        self._subject = subject
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._longest = 0.0
        self._mib = 0.0
        self._answered = self._failed = 0

    def __enter__(self) -> "_Watched":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        [worker] = self._instance.workers()
        while not self._ended.wait(0.6):  # within the rate
            started = time.monotonic()
            with Client(self._instance.port, self._subject.key) as client:
                try:
                    answered = client.call("GET", "/v1/items").ok
                except (ClosedError, ImproperAnswerError):
                    answered = False
            self._answered += answered
            self._failed += not answered
            self._longest = max(self._longest, time.monotonic() - started)
            self._mib = max(self._mib, machine.resident_mib(worker))

    def judge(self, report: Report, what: str) -> None:
        """Note what was seen beside `what`."""
        report.check(f"{what}: of another's calls {self._failed} fail", self._answered and not self._failed)
        report.check(f"{what}: the process takes {self._mib:.0f} MiB", self._mib < _MOST_MIB)
        report.notes.append(f"{what}: {self._answered} calls, {self._longest:.2f} s at most")


@contextmanager
def _stalled(instance: Instance, sent: bytes, number: int, drip: bytes) -> Iterator[None]:
    """`number` clients that have sent `sent`, and go on to send `drip` each second."""
    connections = []
    for _ in range(number):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", instance.port))
        connection.setblocking(False)
        connection.send(sent)
        connections.append(connection)
    ended = threading.Event()

    def go_on() -> None:
        while not ended.wait(1):
            for one in connections:
                try:
                    one.send(drip)
                except OSError:  # it was given up
                    continue

    dripping = threading.Thread(target=go_on)
    dripping.start()
    try:
        yield
    finally:
        ended.set()
        dripping.join()
        for connection in connections:
            connection.close()


@dataclass(slots=True)
class _Reader:
    connection: socket.socket
    answers: int = 0
    tail: bytes = b""


def _steady(report: Report, instance: Instance, reader: Subject, other: Subject) -> None:
    """Twice as many slow readers as threads, each of eight answers of a megabyte, at 400 kB/s: about twenty seconds."""
    deck = {"name": "long", "cards": [{"term": f"term {n}", "definition": "d" * 1900} for n in range(_CARDS)]}
    with Client(instance.port, reader.key) as client:
        made = client.call("POST", "/v1/vocab-decks", deck).body["id"]
    target = f"/v1/vocab-decks?include_cards=true&deck_id={made}"
    heads = _head(reader, "GET", target) * (_ANSWERS - 1) + _head(reader, "GET", target, "Connection: close")
    last = b'"next_cursor":null}'
    selector = selectors.DefaultSelector()
    readers = []
    for _ in range(_READERS):
        connection = socket.create_connection(("127.0.0.1", instance.port))
        connection.sendall(heads)
        connection.setblocking(False)
        readers.append(_Reader(connection))
        selector.register(connection, selectors.EVENT_READ, readers[-1])
    with _Watched(instance, other) as watched:
        while selector.get_map():
            for key, _ in selector.select(30):
                one: _Reader = key.data
                data = one.connection.recv(_READ_BYTES_A_SECOND // 10)
                one.answers += (one.tail + data).count(last)
                one.tail = (one.tail + data)[-len(last) + 1 :]
                if not data:
                    selector.unregister(one.connection)
            time.sleep(0.1)
    for one in readers:
        one.connection.close()
    watched.judge(report, f"{_READERS} steady readers at 400 kB/s")
    report.check("they get the whole of every answer", all(one.answers == _ANSWERS for one in readers))


def _head(subject: Subject, method: str, target: str, *lines: str) -> bytes:
    fixed = (f"{method} {target} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {subject.key}")
    return "\r\n".join((*fixed, *lines, "", "")).encode()
