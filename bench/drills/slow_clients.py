"""Clients that send half a head, half a body, or do not read, while others are served."""

import socket
import time
from collections.abc import Callable

from bench.cast import Subject
from bench.contestants import THREADS
from bench.drills.client import Client
from bench.drills.report import Report
from bench.drills.site import Instance, Site
from studyservice.worker import STALL_SECONDS

_HEADS = 100
_PATIENCE_SECONDS = 2
"""Longer than a call takes on a busy machine, and shorter than any stalled client is waited for."""


def drill(site: Site) -> list[Report]:
    """Each kind by itself; half-sent heads are many, what holds a thread leaves one."""
    report = Report("slow clients")
    url, data, cast = site.fresh("sqlite")
    instance = site.serve(url, data)
    head = _head(cast.members[0], "GET", "/v1/items?limit=100")
    body = _head(cast.members[0], "POST", "/v1/vocab-decks", "Content-Type: application/json", "Content-Length: 900")
    kinds: tuple[tuple[str, int, Callable[[], socket.socket]], ...] = (
        ("half-sent heads", _HEADS, lambda: _stalled(instance, head[:-2])),
        ("half-sent bodies", THREADS - 1, lambda: _stalled(instance, body + b'{"name": ')),
        ("clients that do not read", THREADS - 1, lambda: _stalled(instance, head * 2000, small=True)),
    )
    for what, number, stall in kinds:
        stalled = [stall() for _ in range(number)]
        time.sleep(0.5)
        longest = _longest_call(instance, cast.members[1])
        report.check(f"with {number} {what} a call takes {longest:.2f} s at most", longest < _PATIENCE_SECONDS)
        for one in stalled:
            one.close()
    _refilled(report, instance, cast.members[2], body)
    instance.stop()
    return [report]


def _refilled(report: Report, instance: Instance, subject: Subject, body: bytes) -> None:
    """With a stalled body on every thread, others wait until these are given up, and no longer."""
    stalled = [_stalled(instance, body + b'{"name": ') for _ in range(THREADS)]
    time.sleep(0.3)
    longest = _longest_call(instance, subject, calls=1)
    report.check(
        f"with one more half-sent body, on every thread, {longest:.1f} s; then they are given up",
        longest < STALL_SECONDS + _PATIENCE_SECONDS,
    )
    for one in stalled:
        one.close()


def _head(subject: Subject, method: str, target: str, *lines: str) -> bytes:
    fixed = (f"{method} {target} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {subject.key}")
    return "\r\n".join((*fixed, *lines, "", "")).encode()


def _stalled(instance: Instance, sent: bytes, *, small: bool = False) -> socket.socket:
    connection = socket.socket()
    if small:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", instance.port))
    connection.setblocking(False)
    connection.send(sent)
    return connection


def _longest_call(instance: Instance, subject: Subject, calls: int = 20) -> float:
    times = []
    with Client(instance.port, subject.key) as client:
        for _ in range(calls):
            started = time.monotonic()
            client.call("GET", "/v1/items")
            times.append(time.monotonic() - started)
            client.close()  # the next one connects anew, as a new client does
    return max(times)
