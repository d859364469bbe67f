"""Two instances whose clocks are two minutes apart, on one PostgreSQL and one Redis."""

import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import cycle
from urllib.parse import urlencode

from tools.bench.cast import Subject
from tools.bench.drills import once
from tools.bench.drills.bursts import at_once, check_limit
from tools.bench.drills.client import Client
from tools.bench.drills.report import Report
from tools.bench.site import Site

_AHEAD_SECONDS = 120
_WRITERS = 4
_ITEMS_EACH = 75


def drill(site: Site) -> Iterator[Report]:
    """Check that a poller of both misses nothing, limits are exact, and codes and tokens work once."""
    report = Report("clocks 2 minutes apart")
    url, data, cast = site.fresh("postgresql")
    redis = site.redis()
    ports = (site.serve(url, data, redis=redis).port, site.serve(url, data, redis=redis, ahead=_AHEAD_SECONDS).port)
    created, seen = _poll_while_writing(ports, cast.heavy)
    report.acknowledged, report.stored = len(created), len(seen)
    report.lost = len(created - seen.keys())
    report.duplicated = seen.total() - len(seen)
    report.check("the poller saw every item once", len(created) == _WRITERS * _ITEMS_EACH)
    check_limit(report, "", ports, cast.members[-1].key)
    once.drill(report, ports, data / "mail", cast.members, url)
    once.drill(report, (ports[1], ports[0]), data / "mail", cast.members, url, first=10)
    yield report


def _poll_while_writing(ports: tuple[int, int], keys: list[Subject]) -> tuple[set[str], Counter[str]]:
    """Create items at both instances alternately while a poller reads both. Return the ids created, and those read."""
    *writing, first, second, third, fourth = keys
    done = threading.Event()

    def poll() -> Counter[str]:
        seen: Counter[str] = Counter()
        newest = "1970-01-01T00:00:00Z"
        asking = cycle([Client(port, key.key) for key in (first, second, third, fourth) for port in ports])
        while True:
            last = done.is_set()
            page = _new_items(next(asking), newest)
            seen.update(item["id"] for item in page)
            newest = max([newest, *(item["created_at"] for item in page)])
            if last:
                return seen
            done.wait(0.05)

    def write_all() -> set[str]:
        share = len(writing) // _WRITERS
        calls = [partial(_write, ports, writing[number * share :][:share], number) for number in range(_WRITERS)]
        try:
            return {item for items in at_once(calls) if isinstance(items, list) for item in items}
        finally:
            done.set()

    created, seen = at_once([write_all, poll])
    if isinstance(created, set) and isinstance(seen, Counter):
        return created, seen
    raise RuntimeError(f"neither may fail: {created}, {seen}")


def _new_items(client: Client, newest: str) -> list[dict[str, str]]:
    """Return the items created after `newest`, from all pages."""
    parameters = {"created_after": newest, "limit": "50"}
    found: list[dict[str, str]] = []
    while True:
        page = client.get(f"/v1/items?{urlencode(parameters)}").body
        found += page["data"]
        if not page["has_more"]:
            return found
        parameters["cursor"] = page["next_cursor"]


def _write(ports: tuple[int, int], subjects: list[Subject], writer: int) -> list[str]:
    clients = cycle([Client(port) for port in ports])
    path, made = f"/v1/courses/{subjects[0].courses[0]}/items", []
    for number, subject in zip(range(_ITEMS_EACH), cycle(subjects), strict=False):
        answer = next(clients).call("POST", path, {"title": f"{writer} {number}"}, key=subject.key)
        made.append(answer.body["id"])
    return made
