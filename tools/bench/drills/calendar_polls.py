"""The cost of calendar subscriptions: apps poll every 15 minutes, mostly without news.

The drill measures the server's CPU time while many calendars are polled as fast as possible, and computes the share of
a core for a number of subscribers.
"""

from collections.abc import Iterator
from itertools import cycle, islice

import httpx2

from studyservice.secrets.generated import sha256
from tools.bench import load as generator
from tools.bench import machine
from tools.bench.drills.report import Report
from tools.bench.drills.stored import count, execute
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


def drill(site: Site) -> Iterator[Report]:
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
