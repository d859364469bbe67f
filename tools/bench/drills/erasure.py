"""Delete a member with half a million reviews in the admin, while other members read and write."""

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import count as numbers
from itertools import cycle

from tools.bench.cast import Subject
from tools.bench.drills.client import Answer, Browser, Client
from tools.bench.drills.report import Report
from tools.bench.drills.stored import count, execute, query
from tools.bench.drills.watch import Watch, me
from tools.bench.servers import Server, manage, wait_until
from tools.bench.site import Site

REVIEWS = 500_000
"""Number of reviews of the deleted member. Each has an attempt."""

_GUARD_SECONDS = 3600
"""Timeout of the deletion."""

_VICTIM = "member0@example.org"
_OPERATOR = "operator@example.org"
_NUMBERS = {
    "postgresql": f"generate_series(1, {REVIEWS}) AS number",
    "sqlite": f"(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {REVIEWS}) SELECT * FROM n)",  # noqa: S608  # ours
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
    SELECT id, member_id, 'vocab', 'Words', true, reviewed_at, '2026-01-01'
    FROM vocab_review WHERE member_id = '{member}'
    """,
    "ANALYZE",
)


def drill(site: Site) -> Iterator[Report]:
    """Run on PostgreSQL, and on SQLite, where every write waits for every other."""
    for kind in ("postgresql", "sqlite"):
        yield _erased(site, kind)


def _erased(site: Site, kind: str) -> Report:
    report = Report(f"a member deleted, {kind}")
    url, data, cast = site.fresh(kind)
    instance = site.serve(url, data)
    [(member,)] = query(url, f"SELECT id FROM accounts_member WHERE email = '{_VICTIM}'")  # noqa: S608  # ours
    execute(url, *(sql.format(id=_ID[kind], numbers=_NUMBERS[kind], member=member) for sql in _BULK))
    operator = _signed_in(instance)
    victim, *others = cast.members
    client = Client(instance.port, victim.key)
    report.check("its key worked", me(client).ok)
    exists = partial(count, url, "accounts_member", f"email = '{_VICTIM}'")
    started = time.monotonic()
    deleting = threading.Thread(target=_delete, args=(operator, instance.port, str(member)))
    deleting.start()
    with Watch(instance.port, _working(others), pause=0.02) as calls:
        wait_until("the key to be dead", partial(_is_refused, client))
        report.check("its key is invalid before its rows are deleted", exists())
        wait_until("the deletion", lambda: not exists(), _GUARD_SECONDS)
        took = time.monotonic() - started
    deleting.join()
    report.check("no row remains", count(url, "vocab_review", f"member_id = '{member}'") == 0)
    report.check(f"calls of others are answered: {calls.told()}", calls.only("200", "201"))
    report.notes.append(f"{REVIEWS:,} reviews and attempts were deleted in {took:.0f} s")
    return report


def _is_refused(client: Client) -> bool:
    time.sleep(0.6)  # within the rate limit
    return me(client).status == 401


def _signed_in(instance: Server) -> Browser:
    """Return the browser of an operator."""
    password = secrets.token_urlsafe(16)
    manage(instance.environment, "createmember", _OPERATOR, "--staff", "--password", password, "--json")
    browser = Browser("192.0.2.1")
    browser.send(instance.port, "/sign-in")
    status, _ = browser.send(instance.port, "/sign-in", {"email": _OPERATOR, "password": password})
    if status != 302:
        raise RuntimeError(f"signing in answers {status}")
    return browser


def _delete(operator: Browser, port: int, member: str) -> None:
    """Delete in the admin. The operator's browser may time out."""
    page = f"/admin/accounts/member/{member}/delete/"
    status, _ = operator.send(port, page)
    if status != 200:
        raise RuntimeError(f"the admin answers {status}")
    with suppress(TimeoutError):
        operator.send(port, page, {"post": "yes"})


def _working(subjects: Sequence[Subject]) -> Callable[[Client], Answer]:
    """Return a function that reads and writes alternately, each call as another member."""
    people, turns = cycle(subjects), numbers()

    def work(client: Client) -> Answer:
        subject = next(people)
        if next(turns) % 2 == 0:
            return client.get("/v1/me", subject.key)
        return client.call("POST", f"/v1/courses/{subject.courses[0]}/items", {"title": "meanwhile"}, key=subject.key)

    return work
