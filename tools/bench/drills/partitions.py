"""Every table with members' rows in four hash partitions by member, with foreign keys and an unchanged service."""

import time
from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from typing import Any

import psycopg

from tests.support.partitions import read_of_several, spread
from tools.bench.cast import CLIENT_ID, Subject
from tools.bench.drills.client import Client
from tools.bench.drills.load import Load
from tools.bench.drills.report import Report
from tools.bench.drills.stored import compare, count, execute, query
from tools.bench.servers import manage_at_once, wait_until
from tools.bench.site import Site

_READ = """
    SELECT relname FROM pg_stat_user_tables
    WHERE relname ~ '_p[0-9]$' AND coalesce(idx_scan, 0) + coalesce(seq_scan, 0) > 0 ORDER BY relname
"""
_UNDER_ANOTHERS = """
    INSERT INTO courses_item (id, member_id, course_id, title, kind, created_at, updated_at)
    SELECT gen_random_uuid(), member.id, course.id, 'drilled', 'exam', now(), now()
    FROM accounts_member AS member JOIN courses_course AS course ON course.member_id <> member.id LIMIT 1
"""
_ROUNDS = 6
"""Enough rounds for each statement to be prepared and get its generic plan."""

_AT_ONCE = 4
_ADDRESS = "at-once@example.org"
_READS = ("me", "agenda", "items", "courses", "vocab-decks", "practice/stats")


def drill(site: Site) -> Iterator[Report]:
    """Run the usual load, then one member's calls with the partitions they read, then writes to be refused."""
    report = Report("partitions by member")
    url, data, cast = site.fresh("postgresql")
    with psycopg.connect(url) as connection:
        tables = spread(partial(_execute, connection))
    report.notes.append(f"{len(tables)} tables were partitioned")
    instance = site.serve(url, data)
    *members, alone = cast.members
    with Load(instance.port, members) as load:
        time.sleep(1.5)
    compare(report, load.journal, url)
    report.check("no call failed", not report.errors)
    instance.stop()  # connections report their reads to PostgreSQL at the latest when they end
    execute(url, "SELECT pg_stat_reset()")
    instance = site.serve(url, data)
    _use(instance.port, alone)
    wait_until("statistics", lambda: query(url, _READ), 20)
    time.sleep(1.5)  # so that every thread's connection ends
    read = query(url, _READ)
    several = read_of_several(read)
    number = len({name.rpartition("_p")[0] for (name,) in read})
    report.check(f"one member's calls read one partition of each of {number} tables", number and not several)
    report.notes += [f"{table}: they read {', '.join(names)}" for table, names in several.items()]
    report.check("an item under another member's course is refused", _refused(url))
    made = manage_at_once(site.environment(url, data), _AT_ONCE, "createmember", _ADDRESS, "--json")
    stored = count(url, "accounts_member", f"email = '{_ADDRESS}'")
    report.check(f"of {_AT_ONCE} members created in parallel with one address, one exists", made == stored == 1)
    yield report


def _execute(connection: psycopg.Connection[Any], sql: str, params: list[Any] | None = None) -> list[tuple[Any, ...]]:
    cursor = connection.execute(sql.encode(), params)
    return cursor.fetchall() if cursor.description else []


def _refused(url: str) -> bool:
    try:
        execute(url, _UNDER_ANOTHERS)
    except psycopg.errors.ForeignKeyViolation:
        return True
    return False


def _use(port: int, subject: Subject) -> None:
    """Call the operations of a study day several times. Refresh, use and revoke a token."""
    token = subject.tokens[0]
    with Client(port, subject.key) as client, Client(port) as app:
        for _ in range(_ROUNDS):
            _course(client)
            for path in _READS:
                _done(client, "GET", f"/v1/{path}")
            pair = app.refresh(token)
            if not pair.ok or not app.get("/v1/me", pair.body["access_token"]).ok:
                raise RuntimeError(f"The token was not refreshed, or does not work: {pair.body}")
            token = pair.body["refresh_token"]
        if not app.call("POST", "/oauth/revoke", form={"token": token, "client_id": CLIENT_ID}).ok:
            raise RuntimeError("The token was not revoked")


def _done(client: Client, method: str, path: str, body: object = None) -> Any:
    """Return the record of the call. A key that has reached its rate limit waits a minute."""
    answer = client.call(method, path, body)
    if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
        time.sleep(int(answer.headers["Retry-After"]))
        answer = client.call(method, path, body)
    if not answer.ok:
        raise RuntimeError(f"{method} {path}: {answer.fault}")
    return answer.body


def _course(client: Client) -> None:
    """Create a course with all kinds of objects; delete, restore and delete it."""
    done = partial(_done, client)
    id_ = done("POST", "/v1/courses", {"name": "drilled"})["id"]
    course = f"/v1/courses/{id_}"
    done("PATCH", course, {"term": "Spring"})
    done("POST", f"{course}/items", {"title": "stays"})
    item = f"/v1/items/{done('POST', f'{course}/items', {'title': 'drilled'})['id']}"
    step = f"/v1/milestones/{done('POST', f'{item}/milestones', {'title': 'a step'})['id']}"
    done("PATCH", step, {"done": True})
    done("GET", f"{item}/milestones")
    done("DELETE", step)
    done("PATCH", item, {"kind": "exam"})
    done("GET", item)
    done("DELETE", item)

    body = {"categories": [{"name": "Exams", "weight": 100}]}
    [category] = done("PUT", f"{course}/grade-categories", body)["categories"]
    score = {"category_id": category["id"], "label": "midterm", "score": 90}
    done("POST", f"{course}/grade-scores", score)
    made = done("POST", f"{course}/grade-scores", score)["id"]
    done("GET", f"{course}/grades")
    done("DELETE", f"/v1/grade-scores/{made}")

    cards = [{"term": "ATP", "definition": "Energy"}]
    deck = done("POST", "/v1/vocab-decks", {"name": "drilled", "course_id": id_, "cards": cards})
    done("POST", f"/v1/vocab-cards/{deck['cards'][0]['id']}/reviews", {"rating": "good"})
    done("DELETE", f"/v1/vocab-decks/{deck['id']}")

    done("GET", course)
    done("DELETE", course)
    [deleted] = done("GET", "/v1/changes?limit=1")["data"]
    done("POST", f"/v1/changes/{deleted['id']}/undo")
    done("DELETE", course)
