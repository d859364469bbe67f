"""Clients that are slow or idle, and a proxy that repeats requests.

`tests/server/test_slow_clients.py` checks when each is closed, and the memory of large bodies.
"""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import orjson

from tools.bench import machine
from tools.bench.cast import Subject
from tools.bench.drills.client import Client, HttpAnswer
from tools.bench.drills.report import Report, count
from tools.bench.drills.watch import Watch, at_once, items
from tools.bench.servers import THREADS, Server
from tools.bench.site import Site

_IDLE, _HEADS = 1_000, 2_000
_MOST_MIB = 250
_STALLED = 10 * THREADS


def slow_clients(site: Site) -> Iterator[Report]:
    """Run one kind after another."""
    report = Report("slow clients")
    url, data, cast = site.fresh("sqlite")
    instance, (owner, other) = site.serve(url, data), cast.members[:2]
    head = _head(owner, "GET", "/v1/items?limit=100")
    body = _head(owner, "POST", "/v1/vocab-decks", "Content-Type: application/json", "Content-Length: 900")
    chunked = _head(owner, "POST", "/v1/vocab-decks", "Transfer-Encoding: chunked")
    sorts = (
        ("idle connections", _IDLE, b"", b""),
        ("half-sent heads, a byte a second", _HEADS, head[:-30], b"x"),
        ("half-sent bodies", _STALLED, body + b'{"name": ', b""),
        ("half-sent chunked bodies", _STALLED, chunked + b"5\r\n{", b""),
        ("clients that do not read", _STALLED, head * 2000, b""),
    )
    for what, number, sent, drip in sorts:
        with _watched(report, f"{number} {what}", instance, other), _stalled(instance.port, sent, number, drip):
            time.sleep(13)
    yield report


@contextmanager
def _watched(report: Report, what: str, instance: Server, other: Subject) -> Iterator[None]:
    """Check the calls of another member, each as a new client, and the process's memory meanwhile."""
    machine.reset_peak(instance.worker)
    with Watch(instance.port, items, other.key, pause=0.6, fresh=True) as watch:
        yield
    most = machine.peak_mib(instance.worker)
    report.check(f"{what}: calls of another client: {watch.told()}", watch.only("200"))
    report.check(f"{what}: the process takes {most:.0f} MiB", most < _MOST_MIB)


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


def _head(subject: Subject, method: str, target: str, *lines: str) -> bytes:
    fixed = (f"{method} {target} HTTP/1.1", "Host: 127.0.0.1", f"Authorization: Bearer {subject.key}")
    return "\r\n".join((*fixed, *lines, "", "")).encode()


_ROUNDS = 10


def retrying_proxy(site: Site) -> Iterator[Report]:
    """Repeat each member's changes of an item and grade categories, by every method, in both ways."""
    report = Report("retrying proxy")
    url, data, cast = site.fresh("postgresql")
    instance = site.serve(url, data, processes=2, redis=site.redis())
    results: dict[str, list[bool]] = {}
    for subject in cast.members[:_ROUNDS]:
        for what, right in _round(_Proxy(instance, subject), subject.courses[0]):
            results.setdefault(what, []).append(right)
    for what, rights in results.items():
        report.check(f"{what} ({len(rights)} times)", all(rights))
    stored = [count(url, table) for table in ("courses_item", "grades_gradecategory")]
    report.check("no item remains, and each course has two categories", stored == [0, 2 * _ROUNDS])
    yield report


class _Proxy:
    def __init__(self, instance: Server, subject: Subject) -> None:
        self._port = instance.port
        self._key = subject.key

    def once(self, method: str, path: str, body: object = None, key: str = "") -> HttpAnswer:
        with Client(self._port, self._key) as client:
            return client.call(method, path, body, idempotency_key=key)

    def twice(self, method: str, path: str, body: object = None, key: str = "") -> list[HttpAnswer]:
        """Send a request twice at the same moment. Return both answers."""
        results = at_once([lambda: self.once(method, path, body, key)] * 2)
        for result in results:
            if isinstance(result, Exception):
                raise result
        return [result for result in results if isinstance(result, HttpAnswer)]

    def again(self, method: str, path: str, body: object = None, key: str = "") -> HttpAnswer:
        """Send a request without reading its answer, then again. Return the second answer."""
        sent = orjson.dumps(body) if body is not None else b""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self._key}\r\n"
        head += f"Idempotency-Key: {key}\r\n" if key else ""
        head += f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", self._port)) as connection:
            connection.sendall(head.encode() + sent)
        return self.once(method, path, body, key)


def _round(proxy: _Proxy, course: str) -> list[tuple[str, bool]]:
    created = [proxy.once("POST", f"/v1/courses/{course}/items", {"title": f"item {number}"}) for number in range(2)]
    first, second = (f"/v1/items/{answer.body['id']}" for answer in created)
    change = {"title": "changed", "due_on": "2027-01-31"}
    patched = [answer.body for answer in proxy.twice("PATCH", first, change)]
    patched_again = proxy.again("PATCH", second, change).body
    reads = [answer.body for answer in proxy.twice("GET", first)]
    categories = {"categories": [{"name": "Homework", "weight": 40}, {"name": "Exams", "weight": 60}]}
    grades, put = f"/v1/courses/{course}/grades", f"/v1/courses/{course}/grade-categories"
    put_twice = [answer.status for answer in proxy.twice("PUT", put, categories)]
    kept = proxy.once("GET", grades).body
    score = {"category_id": kept["categories"][0]["id"], "label": "a", "score": 90}
    scored = proxy.once("POST", f"/v1/courses/{course}/grade-scores", score)
    same = {"categories": [{name: one[name] for name in ("id", "name", "weight")} for one in kept["categories"]]}
    put_again = proxy.again("PUT", put, same).body["categories"]
    posts = _posts(proxy, course)
    deleted = sorted(answer.status for answer in proxy.twice("DELETE", first))
    deleted_again = proxy.again("DELETE", second).status
    gone = proxy.once("GET", second).status
    return [
        ("PATCH twice at once: the same item", all(change.items() <= body.items() for body in patched)),
        ("PATCH again: the item as asked for", change.items() <= patched_again.items()),
        ("GET twice at once: the same answer", reads[0] == reads[1]),
        ("PUT twice at once: one set", put_twice == [200, 200] and len(kept["categories"]) == 2),
        ("PUT again with ids: scores stay", [one["label"] for one in put_again[0]["scores"]] == ["a"] and scored.ok),
        *posts,
        ("DELETE twice at once: 200 and 404", deleted == [200, 404]),
        ("DELETE again: 200 or 404, and it is gone", deleted_again in {200, 404} and gone == 404),
    ]


def _posts(proxy: _Proxy, course: str) -> list[tuple[str, bool]]:
    """Create an item under a key, in both ways, and delete it."""
    path, body = f"/v1/courses/{course}/items", {"title": "keyed"}
    before = _items(proxy, course)
    both = proxy.twice("POST", path, body, "at-once")
    in_turn = [proxy.again("POST", path, body, "in-turn"), proxy.once("POST", path, body, "in-turn")]
    made = _items(proxy, course) - before
    for item in made:
        proxy.once("DELETE", f"/v1/items/{item}")
    return [
        ("POST twice at once under one key: one item", _is_one(both) and sum(one.replayed for one in both) == 1),
        ("POST again under its key: one item", _is_one(in_turn) and in_turn[1].replayed),
        ("no other item is made", made == {answer.body.get("id") for answer in (*both, *in_turn)}),
    ]


def _items(proxy: _Proxy, course: str) -> set[str]:
    return {item["id"] for item in proxy.once("GET", f"/v1/items?course_id={course}").body["data"]}


def _is_one(answers: list[HttpAnswer]) -> bool:
    return all(answer.status == 201 and answer.body == answers[0].body for answer in answers)
