"""A member with half a million reviews is deleted in the admin, while other members read and write."""

import secrets
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from functools import partial
from itertools import cycle

import psycopg

from bench.cast import Subject
from bench.drills.client import Client
from bench.drills.once import Browser
from bench.drills.report import Report
from bench.drills.site import Instance, Site, wait_until
from bench.drills.stored import query
from bench.gunicorn import ROOT

REVIEWS = 500_000
"""Of the member who is deleted; each has an attempt."""

_GUARD_SECONDS = 3600
"""For nothing but a deletion that never ends."""

_VICTIM = "member0@example.org"
_OPERATOR = "operator@example.org"

_NUMBERS = {
    "postgresql": "generate_series(1, {count}) AS number",
    "sqlite": "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {count}) SELECT * FROM n)",
}
_ID = {"postgresql": "gen_random_uuid()", "sqlite": "lower(hex(randomblob(16)))"}
_BULK = (
    """
    INSERT INTO vocab_review
        (id, member_id, card_id, rating, reviewed_at, desired_retention, state, step, due_at)
    SELECT {id}, card.member_id, card.id, 'good', '2026-01-01 00:00:00+00', 0.9, 'new', 0, '2026-01-01 00:00:00+00'
    FROM {numbers}, (SELECT id, member_id FROM vocab_card WHERE member_id = '{member}' LIMIT 1) AS card
    """,
    """
    INSERT INTO practice_attempt (id, member_id, source, topic, correct, attempted_at, day)
    SELECT id, member_id, 'vocab', 'Words', {true}, reviewed_at, '2026-01-01'
    FROM vocab_review WHERE member_id = '{member}'
    """,
)


def drill(site: Site) -> list[Report]:
    """On PostgreSQL, and on SQLite, where every write waits for every other."""
    return [_drill(site, kind) for kind in ("postgresql", "sqlite")]


def _drill(site: Site, kind: str) -> Report:
    report = Report(f"a member deleted, {kind}")
    url, data, cast = site.fresh(kind)
    instance = site.serve(url, data)
    [(member,)] = query(url, f"SELECT id FROM accounts_member WHERE email = '{_VICTIM}'")  # noqa: S608  # ours
    _fill(url, kind, str(member))
    operator = _signed_in(instance)
    victim, *others = cast.members
    with Client(instance.port, victim.key) as client:
        report.check("its key worked", client.call("GET", "/v1/me").ok)
    done = threading.Event()
    slowest: list[float] = []
    faults: list[str] = []
    thread = threading.Thread(target=_call, args=(instance.port, others, done, slowest, faults))
    started = time.monotonic()
    deleting = threading.Thread(target=_delete, args=(operator, instance.port, str(member)))
    deleting.start()
    thread.start()
    with Client(instance.port, victim.key) as client:
        wait_until("the key to be dead", partial(_is_refused, client))
    report.check("its key is dead before its rows are gone", _left(url))
    wait_until("the deletion", lambda: not _left(url), _GUARD_SECONDS)
    took = time.monotonic() - started
    done.set()
    thread.join()
    deleting.join()
    [(left,)] = query(url, f"SELECT count(*) FROM vocab_review WHERE member_id = '{member}'")  # noqa: S608  # ours
    report.check("nothing is left", left == 0)
    report.check(f"{len(slowest)} calls of others are answered, none by an error", slowest and not faults)
    report.notes.append(f"the slowest took {max(slowest) * 1000:.0f} ms")
    report.notes.append(f"{REVIEWS:,} reviews and attempts went in {took:.0f} s")
    instance.stop()
    return report


def _is_refused(client: Client) -> bool:
    time.sleep(0.6)  # within the rate
    return client.call("GET", "/v1/me").status == 401


def _left(url: str) -> bool:
    return bool(query(url, f"SELECT 1 FROM accounts_member WHERE email = '{_VICTIM}'"))  # noqa: S608  # ours


def _fill(url: str, kind: str, member: str) -> None:
    """Add the member's reviews and attempts, past the service."""
    places = {"id": _ID[kind], "numbers": _NUMBERS[kind].format(count=REVIEWS), "member": member, "true": "true"}
    statements = [statement.format(**places) for statement in _BULK]
    if kind == "sqlite":
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database, database:
            for statement in statements:
                database.execute(statement)
        return
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in (*statements, "ANALYZE"):
            connection.execute(statement.encode())


def _signed_in(instance: Instance) -> Browser:
    """An operator's browser."""
    password = secrets.token_urlsafe(16)
    subprocess.run(
        [sys.executable, "manage.py", "createmember", _OPERATOR, "--staff", "--password", password, "--json"],
        cwd=ROOT,
        env=instance.environment,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    browser = Browser("192.0.2.1")
    browser.send(instance.port, "/sign-in")
    status, _ = browser.send(instance.port, "/sign-in", {"email": _OPERATOR, "password": password})
    if status != 302:
        raise RuntimeError(f"signing in answers {status}")
    return browser


def _delete(operator: Browser, port: int, member: str) -> None:
    """Delete in the admin; the operator's browser does not wait for ever."""
    page = f"/admin/accounts/member/{member}/delete/"
    status, _ = operator.send(port, page)
    if status != 200:
        raise RuntimeError(f"the admin answers {status}")
    with suppress(TimeoutError):
        operator.send(port, page, {"post": "yes"})


def _call(port: int, subjects: list[Subject], done: threading.Event, slowest: list[float], faults: list[str]) -> None:
    """Read and write as one member after the other, until it is done; note how long each call took."""
    client = Client(port)
    for number, subject in enumerate(cycle(subjects)):
        if done.is_set():
            return
        path = f"/v1/courses/{subject.courses[0]}/items"
        write = number % 2
        started = time.monotonic()
        body = {"title": "meanwhile"} if write else None
        answer = client.call("POST" if write else "GET", path if write else "/v1/me", body, key=subject.key)
        slowest.append(time.monotonic() - started)
        if not answer.ok:
            faults.append(answer.fault)
        time.sleep(0.02)
