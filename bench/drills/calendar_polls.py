"""What calendars that apps subscribe to cost: apps that ask every 15 minutes, mostly for nothing new.

The processor time of the server is measured while many calendars are polled, as fast as it goes, and from it follows
what a number of subscribers takes of a core.
"""

import http.client
from collections.abc import Iterator
from itertools import cycle, islice

from bench import load as generator
from bench import machine
from bench.drills.report import Report
from bench.drills.site import Instance, Site
from bench.drills.stored import query
from studyservice.secrets.generated import sha256

SUBSCRIBERS = 10_000
EVERY_SECONDS = 15 * 60
_EVENTS = 60
_POLLS_EACH = 20
"""Of each calendar and each of the two: less than the rate allows in a minute."""

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


def drill(site: Site) -> list[Report]:
    """Polls that are answered with 304, and ones that fetch the whole calendar."""
    report = Report("calendar polls")
    url, data, cast = site.fresh("postgresql")
    secrets = [f"svc_cal_{number:043}" for number in range(1, len(cast.members) + 1)]
    hashed = ", ".join(f"({place}, '{sha256(secret)}')" for place, secret in enumerate(secrets, 1))
    [(stored,)] = query(
        url,
        "SELECT count(*) FROM accounts_calendarfeed",
        ["DELETE FROM courses_item", _ADD_EVENTS, _ADD_FEEDS.format(secrets=hashed), _ADD_OWNERS],
    )
    report.check(f"{stored} calendars of {_EVENTS} events", stored == len(secrets))
    instance = site.serve(url, data)
    paths = [f"/calendar/{secret}.ics" for secret in secrets]
    tags = {path: _tag(instance, path) for path in paths}
    unchanged = _cost(instance, (_request(path, tag) for path, tag in tags.items()), len(paths), 304, report)
    whole = _cost(instance, (_request(path) for path in paths), len(paths), 200, report)
    share = SUBSCRIBERS / EVERY_SECONDS * unchanged
    report.notes.append(
        f"a poll takes {unchanged * 1000:.2f} ms of a core with nothing new, {whole * 1000:.1f} ms whole: "
        f"{SUBSCRIBERS} subscribers that ask every {EVERY_SECONDS // 60} minutes take {share:.1%} of a core, and "
        f"{SUBSCRIBERS / EVERY_SECONDS * whole:.1%} if every answer were whole"
    )
    return [report]


def _tag(instance: Instance, path: str) -> str:
    connection = http.client.HTTPConnection("127.0.0.1", instance.port, timeout=20)
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.headers["ETag"]


def _request(path: str, tag: str = "") -> bytes:
    condition = f"If-None-Match: {tag}\r\n" if tag else ""
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: calendar\r\n{condition}\r\n".encode()


def _cost(instance: Instance, requests: Iterator[bytes], number: int, status: int, report: Report) -> float:
    """Seconds of processor time of the server's process for one answer."""
    [worker] = instance.workers()
    before = machine.cpu_seconds(worker)
    amount = number * (_POLLS_EACH if status == 304 else 1)
    outcome = generator.run(instance.port, islice(cycle(requests), amount), seconds=300)
    right = outcome.answered if status == 200 else outcome.refused[status]
    report.check(f"{right} of {amount} answers are {status}", right == amount)
    return (machine.cpu_seconds(worker) - before) / amount
