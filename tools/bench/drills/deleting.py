"""Deleting much: a member in the admin, and a course whose deletion is undone."""

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import count as numbers
from itertools import cycle

import httpx2

from tools.bench.cast import Subject
from tools.bench.drills.client import Browser, Client, HttpAnswer
from tools.bench.drills.report import Report, count, execute, query
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


def erased(site: Site) -> Iterator[Report]:
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
    with suppress(httpx2.TimeoutException):
        operator.send(port, page, {"post": "yes"})


def _working(subjects: Sequence[Subject]) -> Callable[[Client], HttpAnswer]:
    """Return a function that reads and writes alternately, each call as another member."""
    people, turns = cycle(subjects), numbers()

    def work(client: Client) -> HttpAnswer:
        subject = next(people)
        if next(turns) % 2 == 0:
            return client.get("/v1/me", subject.key)
        return client.call("POST", f"/v1/courses/{subject.courses[0]}/items", {"title": "meanwhile"}, key=subject.key)

    return work


_FILL = (
    """
    TRUNCATE vocab_review, vocab_card, vocab_deck, practice_attempt, practice_practicesum, planning_milestone,
        courses_item, grades_gradescore, grades_gradecategory CASCADE
    """,
    """
    INSERT INTO courses_item (id, member_id, course_id, title, kind, due_on, created_at, updated_at)
    SELECT gen_random_uuid(), member_id, id, 'Lecture ' || n, 'assignment', current_date + 2, now(), now()
    FROM courses_course, generate_series(1, 1000) AS n WHERE id = '{course}'
    """,
    """
    INSERT INTO planning_milestone (id, member_id, item_id, title, due_on, done, position, created_at, updated_at)
    SELECT gen_random_uuid(), member_id, id, 'Step ' || n, due_on, false, n, now(), now()
    FROM courses_item, generate_series(1, 5) AS n
    """,
    "UPDATE courses_course SET folded = lower(name)",
    "UPDATE planning_milestone SET folded = lower(title)",
    """
    INSERT INTO grades_gradecategory (id, member_id, course_id, name, weight, position)
    SELECT gen_random_uuid(), member_id, id, 'Category ' || n, 10, 100 + n
    FROM courses_course, generate_series(1, 5) AS n WHERE id = '{course}'
    """,
    """
    INSERT INTO grades_gradescore (id, member_id, category_id, label, score, created_at)
    SELECT gen_random_uuid(), member_id, id, 'Quiz ' || n, 80.125, now()
    FROM grades_gradecategory, generate_series(1, 90) AS n WHERE course_id = '{course}' AND position > 100
    """,
    """
    INSERT INTO vocab_deck (id, member_id, course_id, name, card_count, created_at, updated_at)
    SELECT gen_random_uuid(), member_id, id, 'Deck ' || n, 500, now(), now()
    FROM courses_course, generate_series(1, 2) AS n WHERE id = '{course}'
    """,
    """
    INSERT INTO vocab_card (id, member_id, deck_id, position, term, definition, state, step, stability, difficulty,
        due_at, last_reviewed_at, reps, lapses)
    SELECT gen_random_uuid(), member_id, id, n, 'Term ' || n, 'What it is', 'review', NULL, 12.25 + n / 7.0, 5.5,
        now(), now(), 10, 1
    FROM vocab_deck, generate_series(1, 500) AS n
    """,
    """
    INSERT INTO vocab_review (id, member_id, card_id, rating, reviewed_at, by_kind, by_name, desired_retention, state,
        step, stability, difficulty, due_at, last_reviewed_at)
    SELECT gen_random_uuid(), member_id, id, 'good', now() - n * interval '1 day', 'page', '', 0.9, 'review', NULL,
        n / 3.0 + 1, 5.5, now(), now()
    FROM vocab_card, generate_series(1, 10) AS n
    """,
    """
    INSERT INTO practice_attempt (id, member_id, source, topic, deck_id, course_id, correct, attempted_at, day)
    SELECT r.id, r.member_id, 'vocab', d.name, d.id, d.course_id, true, r.reviewed_at, r.reviewed_at::date
    FROM vocab_review AS r JOIN vocab_card AS c ON c.id = r.card_id JOIN vocab_deck AS d ON d.id = c.deck_id
    """,
)
_TABLES = (
    "courses_course", "courses_item", "planning_milestone", "grades_gradecategory", "grades_gradescore", "vocab_deck",
    "vocab_card", "vocab_review", "practice_attempt",
)  # fmt: skip
_COLUMNS = {"courses_item": "id, course_id, title, kind, due_on"}


def undone(site: Site) -> Iterator[Report]:
    """Delete the course and its decks, then undo the three deletions, newest first."""
    report = Report("undo of deletions")
    url, data, cast = site.fresh("postgresql")
    owner = cast.members[0]
    execute(url, *(statement.format(course=owner.courses[0]) for statement in _FILL))
    before = _stored(url)
    instance = site.serve(url, data)
    with Client(instance.port, owner.key) as client:
        client.call("DELETE", f"/v1/courses/{owner.courses[0]}")
        for (deck,) in query(url, "SELECT id FROM vocab_deck"):
            client.call("DELETE", f"/v1/vocab-decks/{deck}")
        changes = client.get("/v1/changes?limit=3").body["data"]
        took = []
        for change in changes:
            started = time.monotonic()
            answer = client.call("POST", f"/v1/changes/{change['id']}/undo")
            took.append(time.monotonic() - started)
            report.check(f"{change['operation']} is undone", answer.ok)
    report.notes.append(f"all three took {sum(took):.2f} s")
    after = _stored(url)
    for table, rows in before.items():
        report.check(f"{len(rows)} rows of {table} are restored", after[table] == rows)
    yield report


def _stored(url: str) -> dict[str, list[str]]:
    """Return every row of the tables as text, in order."""
    return {
        table: sorted(map(repr, query(url, f"SELECT {_COLUMNS.get(table, '*')} FROM {table}")))  # noqa: S608  # ours
        for table in _TABLES
    }
