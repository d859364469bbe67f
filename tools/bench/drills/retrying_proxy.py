"""A proxy that repeats requests, both simultaneously and after a lost answer: all except a POST without a key."""

import socket
from collections.abc import Iterator

import orjson

from tools.bench.cast import Subject
from tools.bench.drills.bursts import at_once
from tools.bench.drills.client import Answer, Client
from tools.bench.drills.report import Report
from tools.bench.drills.stored import count
from tools.bench.servers import Server
from tools.bench.site import Site

_ROUNDS = 10


def drill(site: Site) -> Iterator[Report]:
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

    def once(self, method: str, path: str, body: object = None, key: str = "") -> Answer:
        with Client(self._port, self._key) as client:
            return client.call(method, path, body, idempotency_key=key)

    def twice(self, method: str, path: str, body: object = None, key: str = "") -> list[Answer]:
        """Send a request twice at the same moment. Return both answers."""
        results = at_once([lambda: self.once(method, path, body, key)] * 2)
        for result in results:
            if isinstance(result, Exception):
                raise result
        return [result for result in results if isinstance(result, Answer)]

    def again(self, method: str, path: str, body: object = None, key: str = "") -> Answer:
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


def _is_one(answers: list[Answer]) -> bool:
    return all(answer.status == 201 and answer.body == answers[0].body for answer in answers)
