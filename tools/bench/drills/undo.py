"""Delete and restore the largest possible course, and two decks with their review logs.

One call restores each of them. Every row is the same as before, except for the stamps of items.
"""

import time
from collections.abc import Iterator

from tools.bench.drills.client import Client
from tools.bench.drills.report import Report
from tools.bench.drills.stored import execute, query
from tools.bench.site import Site

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


def drill(site: Site) -> Iterator[Report]:
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
