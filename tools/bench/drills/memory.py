"""Resident memory of one server process over many mixed requests, without restarts (`max_requests` is off)."""

from collections import Counter
from collections.abc import Iterator
from itertools import count, cycle, islice

from tools.bench import load as generator
from tools.bench import machine
from tools.bench.cast import Cast
from tools.bench.drills.client import Client
from tools.bench.drills.report import Report
from tools.bench.rows import ROWS, Call
from tools.bench.site import Site

REQUESTS = 6_000
"""Changed by `--requests`. 100,000 take some minutes."""

_POINTS = 10
_SETTLED = 4
"""From this point memory must not grow, because caches and pools are full."""

_LEVEL_MIB = 3
_REFRESHES = 20
"""Number of refreshes at each point."""

_NAMES = (
    "list_items", "get_agenda", "get_grades", "create_item", "review_vocab_card", "get_practice_stats",
    "mcp_list_items", "mcp_get_agenda", "mcp_create_item", "mcp_tools_list",
)  # fmt: skip
_REFUSED = (
    Call("GET", "/v1/items?cursor=broken"),
    Call("GET", "/v1/nowhere"),
    Call("GET", "/v1/me", headers={"Authorization": "Bearer svc_sk_wrong"}, authorized=False),
    Call("POST", "/v1/courses", b'{"name": 7}'),
    Call("POST", "/v1/courses", b'{"name'),
    Call("DELETE", "/v1/items/not-an-id"),
)


def drill(site: Site) -> Iterator[Report]:
    """Send reads and writes over REST and MCP, refused requests, and OAuth refreshes."""
    report = Report("memory")
    url, data, cast = site.fresh("postgresql")
    instance = site.serve(url, data)
    requests = _mixed(cast)
    tokens = [subject.tokens[0] for subject in cast.members[:_REFRESHES]]
    statuses: Counter[str] = Counter()
    resident = []
    for point in range(_POINTS):
        outcome = generator.run(instance.port, islice(requests, REQUESTS // _POINTS), seconds=600)
        statuses["2xx"] += outcome.answered
        statuses.update({str(status): number for status, number in outcome.refused.items()})
        tokens = _refreshed(instance.port, tokens, point)
        resident.append(machine.resident_mib(instance.worker))
    growth = resident[-1] - resident[_SETTLED - 1]
    report.notes.append(f"{REQUESTS + _POINTS * _REFRESHES} requests: {dict(statuses)}")
    report.check("MiB resident at each tenth: " + ", ".join(f"{mib:.1f}" for mib in resident), growth < _LEVEL_MIB)
    report.check("no 5xx", not any(status.startswith("5") for status in statuses))
    yield report


def _mixed(cast: Cast) -> Iterator[bytes]:
    rows = [row for row in ROWS if row.name in _NAMES]
    for number, subject in zip(count(), cycle(cast.members), strict=False):
        turn = number // len(cast.members) + number
        if turn % 8 == 7:
            yield _REFUSED[turn // 8 % len(_REFUSED)].encode(subject)
        else:
            row = rows[turn % len(rows)]
            yield row.call(subject, turn % row.turns).encode(subject)


def _refreshed(port: int, tokens: list[str], point: int) -> list[str]:
    """Exchange `tokens` for new ones."""
    with Client(port, address=f"203.0.113.{point + 1}") as client:
        return [client.refresh(token).body["refresh_token"] for token in tokens]
