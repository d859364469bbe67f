"""The CPU time of calendar polls, and the memory of a process over many requests."""

from collections import Counter
from collections.abc import Iterator
from itertools import cycle, islice

import httpx2

from studyservice.secrets.generated import sha256
from tools.bench import load as generator
from tools.bench import machine
from tools.bench.cast import Cast
from tools.bench.drills.client import Client
from tools.bench.drills.report import Report, count, execute
from tools.bench.rows import ROWS, Call
from tools.bench.servers import Server
from tools.bench.site import Site

SUBSCRIBERS = 10_000
EVERY_SECONDS = 15 * 60
_EVENTS = 60
_POLLS_EACH = 20
"""Calls per calendar and variant, below the rate limit."""

_ADD_FEEDS = """
    INSERT INTO accounts_calendarfeed (id, member_id, secret_hash, created_at, last_used_at)
    SELECT gen_random_uuid(), member.id, hashed.secret_hash, now(), now()
    FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM accounts_member) AS member
    JOIN (VALUES {secrets}) AS hashed (place, secret_hash) USING (place)
"""
_ADD_OWNERS = """
    INSERT INTO accounts_secretowner (id, member_id)
    SELECT left(secret_hash, 32)::uuid, member_id FROM accounts_calendarfeed
"""
_ADD_EVENTS = """
    INSERT INTO courses_item (id, member_id, course_id, title, kind, due_on, created_at, updated_at)
    SELECT gen_random_uuid(), member_id, id, 'Assignment ' || day, 'assignment', current_date + day, now(), now()
    FROM (SELECT DISTINCT ON (member_id) member_id, id FROM courses_course) AS course, generate_series(1, 60) AS day
"""


def calendar_polls(site: Site) -> Iterator[Report]:
    """Measure polls answered with 304, and polls that fetch the whole calendar."""
    report = Report("calendar polls")
    url, data, cast = site.fresh("postgresql")
    secrets = [f"svc_cal_{number:043}" for number in range(1, len(cast.members) + 1)]
    hashed = ", ".join(f"({place}, '{sha256(secret)}')" for place, secret in enumerate(secrets, 1))
    execute(url, "DELETE FROM courses_item", _ADD_EVENTS, _ADD_FEEDS.format(secrets=hashed), _ADD_OWNERS)
    stored = count(url, "accounts_calendarfeed")
    report.check(f"{stored} calendars of {_EVENTS} events", stored == len(secrets))
    instance = site.serve(url, data)
    paths = [f"/calendar/{secret}.ics" for secret in secrets]
    with httpx2.Client(base_url=f"http://127.0.0.1:{instance.port}", trust_env=False, timeout=20) as app:
        tags = {path: app.get(path).headers["ETag"] for path in paths}
    unchanged = _cost(instance, (_request(path, tag) for path, tag in tags.items()), len(paths), 304, report)
    whole = _cost(instance, (_request(path) for path in paths), len(paths), 200, report)
    share = SUBSCRIBERS / EVERY_SECONDS * unchanged
    report.notes.append(
        f"a poll takes {unchanged * 1000:.2f} ms of a core with nothing new, {whole * 1000:.1f} ms whole: "
        f"{SUBSCRIBERS} subscribers that ask every {EVERY_SECONDS // 60} minutes take {share:.1%} of a core, and "
        f"{SUBSCRIBERS / EVERY_SECONDS * whole:.1%} if every answer were whole"
    )
    yield report


def _request(path: str, tag: str = "") -> bytes:
    condition = f"If-None-Match: {tag}\r\n" if tag else ""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: calendar\r\n{condition}\r\n".encode()


def _cost(instance: Server, requests: Iterator[bytes], number: int, status: int, report: Report) -> float:
    """Return the CPU seconds of the server's process for one answer."""
    before = machine.cpu_seconds(instance.worker)
    amount = number * (_POLLS_EACH if status == 304 else 1)
    outcome = generator.run(instance.port, islice(cycle(requests), amount), seconds=300)
    right = outcome.answered if status == 200 else outcome.refused[status]
    report.check(f"{right} of {amount} answers are {status}", right == amount)
    return (machine.cpu_seconds(instance.worker) - before) / amount


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


def memory(site: Site) -> Iterator[Report]:
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
    for number, subject in enumerate(cycle(cast.members)):
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
