"""Clients that send half a head or half a body, or read slowly or not at all, while others are served."""

import selectors
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

from tools.bench import machine
from tools.bench.cast import Subject
from tools.bench.drills.client import Client
from tools.bench.drills.report import Report
from tools.bench.drills.watch import Watch, items, kinds
from tools.bench.servers import THREADS, Server
from tools.bench.site import Site

_HEADS = 2_000
_MOST_MIB = 250
_MOST_MIB_READING = 350
"""With an answer of 1 MB, which takes some 4 MiB while it is made and sent, for each steady reader."""

_LARGE = 48
_LARGE_BYTES = 8 * 1024 * 1024
_LARGE_MIB = 100
"""The most that `_LARGE` bodies of `_LARGE_BYTES` may take together."""

_CLOSED_SECONDS = 65
"""A half-sent body is closed this long after its last byte, with some time for a busy machine."""

_STALLED = 10 * THREADS
_READERS = 2 * THREADS
_READERS_EACH = 8
_READ_BYTES_A_SECOND = 400_000
_ANSWERS = 8
_CARDS = 500


def drill(site: Site) -> Iterator[Report]:
    """Run one kind after another."""
    report = Report("slow clients")
    url, data, cast = site.fresh("sqlite")
    instance, (owner, other) = site.serve(url, data), cast.members[:2]
    head = _head(owner, "GET", "/v1/items?limit=100")
    body = _head(owner, "POST", "/v1/vocab-decks", "Content-Type: application/json", "Content-Length: 900")
    chunked = _head(owner, "POST", "/v1/vocab-decks", "Transfer-Encoding: chunked")
    sorts = (
        ("half-sent heads, a byte a second", _HEADS, head[:-30], b"x"),
        ("half-sent bodies", _STALLED, body + b'{"name": ', b""),
        ("half-sent chunked bodies", _STALLED, chunked + b"5\r\n{", b""),
        ("clients that do not read", _STALLED, head * 2000, b""),
    )
    for what, number, sent, drip in sorts:
        with _watched(report, f"{number} {what}", instance, other), _stalled(instance.port, sent, number, drip):
            time.sleep(13)
    _send_large_bodies(report, instance, cast.members[-1], other)  # the owner has used up its rate
    _read_slowly(report, instance, cast.members[2 : 2 + _READERS // _READERS_EACH], other)
    yield report


@contextmanager
def _watched(
    report: Report, what: str, instance: Server, other: Subject, most_mib: float = _MOST_MIB
) -> Iterator[None]:
    """Check the calls of another member, each as a new client, and the process's memory meanwhile."""
    machine.reset_peak(instance.worker)
    with Watch(instance.port, items, other.key, pause=0.6, fresh=True) as watch:
        yield
    most = machine.peak_mib(instance.worker)
    report.check(f"{what}: calls of another client: {watch.told()}", watch.only("200"))
    report.check(f"{what}: the process takes {most:.0f} MiB of {most_mib:.0f}", most < most_mib)


@contextmanager
def _stalled(port: int, sent: bytes, number: int, drip: bytes) -> Iterator[None]:
    """Open `number` clients that have sent `sent`, and then send `drip` each second."""
    connections = []
    for _ in range(number):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", port))
        connection.setblocking(False)
        connection.send(sent)
        connections.append(connection)
    ended = threading.Event()

    def go_on() -> None:
        while not ended.wait(1):
            for one in connections:
                try:
                    one.send(drip)
                except OSError:  # the service closed it
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


def _send_large_bodies(report: Report, instance: Server, owner: Subject, other: Subject) -> None:
    """Send large bodies at once, each without its last byte, and wait until they are closed."""
    sent = _head(owner, "POST", "/v1/courses", "Content-Type: application/json", f"Content-Length: {_LARGE_BYTES}")
    sent += b" " * (_LARGE_BYTES - 1)
    what, before = f"{_LARGE} half-sent bodies of 8 MiB", machine.resident_mib(instance.worker)
    with ThreadPoolExecutor(_LARGE) as threads, _watched(report, what, instance, other, before + _LARGE_MIB):
        ends = list(threads.map(lambda _: _end(instance.port, sent), range(_LARGE)))
    report.check(f"{what}: each is closed within {_CLOSED_SECONDS} s", max(ends)[0] < _CLOSED_SECONDS)
    report.check(f"{what}: {kinds(Counter(end for _, end in ends))}", {end for _, end in ends} <= {"400", "closed"})
    report.notes.append(f"{what}: the last was closed after {max(ends)[0]:.0f} s")


def _end(port: int, sent: bytes) -> tuple[float, str]:
    """Return the seconds from the last byte that was sent to the end of the connection, and the status before it."""
    began, answer = time.monotonic(), b""
    with socket.create_connection(("127.0.0.1", port)) as connection, suppress(ConnectionError, TimeoutError):
        connection.settimeout(3 * _CLOSED_SECONDS)
        connection.sendall(sent)
        began = time.monotonic()
        while data := connection.recv(4096):
            answer += data
    return time.monotonic() - began, answer[9:12].decode() or "closed"


def _read_slowly(report: Report, instance: Server, members: Sequence[Subject], other: Subject) -> None:
    """Run twice as many slow readers as threads, each of eight 1 MB answers at 400 kB/s, eight readers a member."""
    deck = {"name": "long", "cards": [{"term": f"term {n}", "definition": "d" * 1900} for n in range(_CARDS)]}
    heads, last = [], b'"next_cursor":null}'
    for member in members:
        with Client(instance.port, member.key) as client:
            made = client.call("POST", "/v1/vocab-decks", deck).body["id"]
        target = f"/v1/vocab-decks?include_cards=true&deck_id={made}"
        ending = _head(member, "GET", target, "Connection: close")
        heads.append(_head(member, "GET", target) * (_ANSWERS - 1) + ending)
    with selectors.DefaultSelector() as selector:
        answers, tails = dict.fromkeys(range(_READERS), 0), dict.fromkeys(range(_READERS), b"")
        for number in answers:
            connection = socket.create_connection(("127.0.0.1", instance.port))
            connection.sendall(heads[number // _READERS_EACH])
            connection.setblocking(False)
            selector.register(connection, selectors.EVENT_READ, (number, connection))
        with _watched(report, f"{_READERS} steady readers at 400 kB/s", instance, other, _MOST_MIB_READING):
            while selector.get_map():
                for number, connection in [key.data for key, _ in selector.select(30)]:
                    data = connection.recv(_READ_BYTES_A_SECOND // 10)
                    answers[number] += (tails[number] + data).count(last)
                    tails[number] = (tails[number] + data)[-len(last) + 1 :]
                    if not data:
                        selector.unregister(connection)
                        connection.close()
                time.sleep(0.1)
    report.check("they get every answer completely", set(answers.values()) == {_ANSWERS})


def _head(subject: Subject, method: str, target: str, *lines: str) -> bytes:
    fixed = (f"{method} {target} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {subject.key}")
    return "\r\n".join((*fixed, *lines, "", "")).encode()
