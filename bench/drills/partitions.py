"""Every table with members' rows in four hash partitions by member, foreign keys kept, the service unchanged."""

import subprocess
import sys
import time
from functools import partial
from http import HTTPStatus
from typing import Any

import psycopg

from bench.cast import CLIENT_ID, Subject
from bench.drills.client import Client
from bench.drills.load import Load
from bench.drills.report import Report
from bench.drills.site import Site, wait_until
from bench.drills.stored import compare, query
from bench.gunicorn import ROOT
from tests.support.partitions import read_of_several, spread

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
"""Often enough that each statement is prepared and has its general plan."""

_AT_ONCE = 4
_COMMAND_SECONDS = 180
_ADDRESS = "at-once@example.org"


def drill(site: Site) -> list[Report]:
    """Load as ever; then the calls of one member, and which partitions they read; then what must be refused."""
    report = Report("partitions by member")
    url, data, cast = site.fresh("postgresql")
    with psycopg.connect(url) as connection:
        tables = spread(partial(_execute, connection))
    report.notes.append(f"{len(tables)} tables spread")
    instance = site.serve(url, data)
    *members, alone = cast.members
    with Load([instance.port], members) as load:
        time.sleep(1.5)
    compare(report, load.journal, url)
    report.check("no call failed", not report.errors)
    instance.stop()  # its connections tell PostgreSQL what they have read when they end, at the latest
    query(url, "SELECT pg_stat_reset()")
    instance = site.serve(url, data)
    _use(instance.port, alone)
    with psycopg.connect(url) as connection:
        wait_until("statistics", partial(_reported, connection), 20)
        time.sleep(1.5)  # those of every thread
    read = query(url, _READ)
    several = read_of_several(read)
    number = len({name.rpartition("_p")[0] for (name,) in read})
    report.check(f"one member's calls read one partition of each of {number} tables", number and not several)
    report.notes += [f"of {table} they read {', '.join(names)}" for table, names in several.items()]
    report.check("an item under another member's course is refused", _refused(url))
    made = _made_at_once(site.environment(url, data, instance.port))
    [(stored,)] = query(url, f"SELECT count(*) FROM accounts_member WHERE email = '{_ADDRESS}'")  # noqa: S608
    report.check(f"of {_AT_ONCE} members made at once with one address one is there", made == stored == 1)
    return [report]


def _execute(connection: psycopg.Connection[Any], sql: str, params: list[Any] | None = None) -> list[tuple[Any, ...]]:
    cursor = connection.execute(sql.encode(), params)
    return cursor.fetchall() if cursor.description else []


def _reported(connection: psycopg.Connection[Any]) -> bool:
    connection.execute("SELECT pg_stat_clear_snapshot()")
    return bool(connection.execute(_READ).fetchall())


def _refused(url: str) -> bool:
    try:
        with psycopg.connect(url) as connection:
            connection.execute(_UNDER_ANOTHERS)
    except psycopg.errors.ForeignKeyViolation:
        return True
    return False


def _made_at_once(environment: dict[str, str]) -> int:
    """How many of the commands made the member; what tells them to begin is that they take as long to start."""
    command = [sys.executable, "manage.py", "createmember", _ADDRESS, "--json"]
    quiet: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    commands = [subprocess.Popen(command, cwd=ROOT, env=environment, **quiet) for _ in range(_AT_ONCE)]
    return sum(one.wait(timeout=_COMMAND_SECONDS) == 0 for one in commands)


def _use(port: int, subject: Subject) -> None:
    """The operations of a study day, several times; a token that is refreshed, used and revoked."""
    token = subject.tokens[0]
    with Client(port, subject.key) as client, Client(port) as app:
        for _ in range(_ROUNDS):
            _course(client)
            for path in ("/v1/me", "/v1/agenda", "/v1/items", "/v1/courses", "/v1/vocab-decks", "/v1/practice/stats"):
                _done(client, "GET", path)
            token = _refreshed(app, token)
        form = {"token": token, "client_id": CLIENT_ID}
        if not app.call("POST", "/oauth/revoke", form=form).ok:
            raise RuntimeError("The token was not revoked")


def _done(client: Client, method: str, path: str, body: object = None) -> Any:
    """The record of the call; a key that has used up its minute waits for the next."""
    answer = client.call(method, path, body)
    if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
        time.sleep(int(answer.headers["Retry-After"]))
        answer = client.call(method, path, body)
    if not answer.ok:
        raise RuntimeError(f"{method} {path}: {answer.fault}")
    return answer.body


def _course(client: Client) -> None:
    """A course with something of everything below it, which is deleted, comes back and is deleted again."""
    id_ = _done(client, "POST", "/v1/courses", {"name": "drilled"})["id"]
    course = f"/v1/courses/{id_}"
    _done(client, "PATCH", course, {"term": "Spring"})
    _item(client, course)
    _grades(client, course)
    _deck(client, id_)
    _done(client, "GET", course)
    _done(client, "DELETE", course)
    [deleted] = _done(client, "GET", "/v1/changes?limit=1")["data"]
    _done(client, "POST", f"/v1/changes/{deleted['id']}/undo")
    _done(client, "DELETE", course)


def _item(client: Client, course: str) -> None:
    _done(client, "POST", f"{course}/items", {"title": "stays"})
    item = f"/v1/items/{_done(client, 'POST', f'{course}/items', {'title': 'drilled'})['id']}"
    step = _done(client, "POST", f"{item}/milestones", {"title": "a step"})["id"]
    _done(client, "PATCH", f"/v1/milestones/{step}", {"done": True})
    _done(client, "GET", f"{item}/milestones")
    _done(client, "DELETE", f"/v1/milestones/{step}")
    _done(client, "PATCH", item, {"kind": "exam"})
    _done(client, "GET", item)
    _done(client, "DELETE", item)


def _grades(client: Client, course: str) -> None:
    body = {"categories": [{"name": "Exams", "weight": 100}]}
    [category] = _done(client, "PUT", f"{course}/grade-categories", body)["categories"]
    score = {"category_id": category["id"], "label": "midterm", "score": 90}
    _done(client, "POST", f"{course}/grade-scores", score)
    made = _done(client, "POST", f"{course}/grade-scores", score)["id"]
    _done(client, "GET", f"{course}/grades")
    _done(client, "DELETE", f"/v1/grade-scores/{made}")


def _deck(client: Client, course_id: str) -> None:
    cards = [{"term": "ATP", "definition": "Energy"}]
    deck = _done(client, "POST", "/v1/vocab-decks", {"name": "drilled", "course_id": course_id, "cards": cards})
    _done(client, "POST", f"/v1/vocab-cards/{deck['cards'][0]['id']}/reviews", {"rating": "good"})
    _done(client, "DELETE", f"/v1/vocab-decks/{deck['id']}")


def _refreshed(app: Client, token: str) -> str:
    """The refresh token that follows; the access token that comes with it is used."""
    form = {"grant_type": "refresh_token", "refresh_token": token, "client_id": CLIENT_ID}
    answer = app.call("POST", "/oauth/token", form=form)
    if not answer.ok:
        raise RuntimeError(f"The token was not refreshed: {answer.fault}")
    pair = answer.body
    if not app.call("GET", "/v1/me", key=pair["access_token"]).ok:
        raise RuntimeError("The access token does not work")
    following: str = pair["refresh_token"]
    return following
