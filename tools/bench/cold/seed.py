"""Fill a migrated database with members in the middle of a year, whose rows are where a year of writing leaves them.

A table's rows are in the order in which they were last written, and members write at the same time. So what a member
wrote at once, like the items of a syllabus or the reviews of a session, is adjacent, among the rows of others.
PostgreSQL creates the rows itself: ten million of them.
"""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from accounts.models import Member
from courses.models import Course
from practice.rebuilding import rebuild_sums
from tools.bench.cast import CARDS, Cast, Subject
from tools.bench.seed import COURSES, ITEMS, Seed, settle
from tools.bench.seed_shared import add_keys, copy

_TEXTS = {
    "kinds": ["assignment", "assignment", "quiz", "lab", "exam", "paper", "project", "other"],
    "names": [
        "Problem set", "Reading response", "Quiz", "Lab report", "Midterm exam", "Draft", "Group project, stage",
        "Discussion section",
    ],
    "topics": [
        "enzyme kinetics", "the French Revolution", "linear transformations", "supply and demand", "cell respiration",
        "Kant's ethics", "thermodynamics", "sorting and searching", "the present subjunctive", "regression",
        "organic synthesis", "constitutional law", "attention and memory", "wave optics", "plate tectonics",
        "modern poetry",
    ],
    "notes": [
        "Submit one PDF on the course site; late work loses ten percent a day.",
        "Chapters 4 to 6, and the article by Okafor from the reader.",
        "Closed book. A handwritten sheet of A4, both sides, is allowed.",
        "Ask Maria for her notes of the second lecture.",
        "Office hours are on Tuesday, 14:00 to 16:00, in room 3.12.",
        "Only the two best of three count.",
        "Bring a calculator and the student card.",
        "At least five sources, three of them from the last ten years, cited in APA style.",
        "We meet in the library on Sunday to put the parts together.",
        "The rubric is on the last page of the syllabus.",
    ],
    "terms": [
        "Golgi apparatus", "habeas corpus", "standard deviation", "mitochondrion", "opportunity cost", "enthalpy",
        "die Geschwindigkeit", "eigenvector", "cognitive dissonance", "subduction zone", "iambic pentameter",
        "l'apprentissage", "amortized cost", "nucleophile", "separation of powers", "diffraction",
    ],
    "meanings": [
        "Modifies, sorts and packs proteins into vesicles.",
        "The value of the best alternative that is given up by a choice.",
        "A vector whose direction a linear transformation does not change.",
        "The average over a sequence of operations, also when a single one of them takes long.",
        "Discomfort of holding beliefs that contradict each other, or of acting against them.",
        "Where one plate of the lithosphere sinks beneath another one, with earthquakes and volcanoes above it.",
        "A line of five feet, each an unstressed and a stressed syllable.",
    ],
}  # fmt: skip
"""Parts of titles, notes and cards as students have them, by their names in the statements."""

DECK_CARDS = 40
"""Cards of each course's deck."""

_BATCH = 200

_ITEMS = """
    INSERT INTO courses_item
        (id, member_id, course_id, title, kind, due_on, done, done_at, note, missable_from, folded, created_at,
        updated_at)
    WITH courses AS MATERIALIZED (
        SELECT id, member_id, now() - interval '60 days' - random() * interval '20 days' AS begun FROM courses_course
    ), items AS MATERIALIZED (
        SELECT id, member_id, place, 1 + floor(random() * 6)::int AS first_note,
            begun + CASE WHEN place < 30 THEN place * interval '1 second' ELSE random() * interval '60 days' END AS at,
            CASE WHEN mod(place, 10) < 9 THEN current_date + (random() * 120 - 60)::int END AS due_on,
            (ARRAY[0, 0, 1, 2, 4])[1 + floor(random() * 5)::int] AS notes,
            (%(topics)s::text[])[1 + floor(random() * cardinality(%(topics)s::text[]))::int] AS topic
        FROM courses CROSS JOIN generate_series(0, %(items)s - 1) AS place
    ), written AS MATERIALIZED (
        SELECT *, (%(names)s::text[])[mod(place, 8) + 1] || ' ' || place / 8 + 1 || ': ' || topic AS title,
            NULLIF(array_to_string((%(notes)s::text[])[first_note : first_note + notes - 1], ' '), '') AS note,
            COALESCE(due_on < current_date AND random() < 0.95, false) AS done
        FROM items
    )
    SELECT uuidv7(at - now()), member_id, id, title, (%(kinds)s::text[])[mod(place, 8) + 1], due_on, done,
        CASE WHEN done THEN due_on::timestamptz END, note, at::date, lower(concat_ws(' ', title, note)), at, at
    FROM written ORDER BY written.at
"""
"""Of each course, thirty in one go and the others one by one. Of the past ones, one in twenty is not done."""

_MILESTONES = """
    INSERT INTO planning_milestone
        (id, member_id, item_id, title, due_on, done, folded, position, created_at, updated_at)
    SELECT gen_random_uuid(), member_id, id, 'Step ' || step || ' towards it', due_on - (8 - 2 * step),
        COALESCE(due_on - (8 - 2 * step) < current_date AND random() < 0.95, false), 'step ' || step || ' towards it',
        step, created_at, created_at
    FROM courses_item CROSS JOIN generate_series(1, 3) AS step
    WHERE mod(get_byte(uuid_send(id), 15), 4) = 0
    ORDER BY courses_item.created_at, id, step
"""
"""Three for every fourth item."""

_DECKS = """
    INSERT INTO vocab_deck (id, member_id, course_id, name, card_count, created_at, updated_at)
    SELECT gen_random_uuid(), member_id, id, 'Terms of ' || name, %(cards)s, created_at, created_at FROM courses_course
"""
_CARDS = """
    INSERT INTO vocab_card
        (id, member_id, deck_id, position, term, definition, state, stability, difficulty, reps, lapses,
        last_reviewed_at, due_at)
    WITH decks AS MATERIALIZED (
        SELECT id, member_id, %(cards)s * (row_number() OVER (PARTITION BY member_id ORDER BY id) - 1)::int AS before
        FROM vocab_deck
    ), members AS MATERIALIZED (
        SELECT id AS member_id, now() - interval '60 days' - random() * interval '1 day' AS begun FROM accounts_member
    ), cards AS MATERIALIZED (
        SELECT id, member_id, place, 1 + floor(random() * 5)::int AS meaning,
            begun + (before + place - 1) / 25 * interval '3 days' + mod(before + place - 1, 25) * interval '8 s' AS last
        FROM decks JOIN members USING (member_id) CROSS JOIN generate_series(1, %(cards)s) AS place
    )
    SELECT uuidv7(interval '-200 days'), member_id, id, place,
        (%(terms)s::text[])[1 + floor(random() * cardinality(%(terms)s::text[]))::int] || ' ' || place,
        array_to_string((%(meanings)s::text[])[meaning : meaning + mod(place, 2)], ' '),
        'review', 40, 5, 5, 0, last, last + interval '55 days'
    FROM cards ORDER BY cards.last
"""
"""In the order of their last reviews, which wrote them: sessions of 25 cards, every three days."""

_REVIEWS = """
    INSERT INTO vocab_review
        (id, rating, reviewed_at, duration_ms, desired_retention, state, step, stability, difficulty, due_at,
        last_reviewed_at, card_id, member_id, by_kind, by_id, by_name)
    SELECT uuidv7(at - now()), CASE WHEN random() < 0.12 THEN 'again' ELSE 'good' END, at, 2000 + random() * 9000, 0.9,
        CASE WHEN days = 120 THEN 'new' ELSE 'review' END, NULL, CASE WHEN days < 120 THEN 12.5 END,
        CASE WHEN days < 120 THEN 5.1 END, at - interval '1 hour',
        CASE WHEN days < 120 THEN at - interval '3 days' END, id, member_id, 'app', deck_id, 'Claude'
    FROM (
        SELECT card.id, member_id, deck_id, days, last_reviewed_at - days * interval '1 day' AS at
        FROM vocab_card card CROSS JOIN unnest(ARRAY[120, 118, 111, 85, 0]) AS days
    ) AS reviews
    ORDER BY at
"""
"""The reviews of each card, 120 to 0 days before its last one, in the order of all members' reviews."""

_ATTEMPTS = """
    INSERT INTO practice_attempt
        (id, member_id, source, topic, deck_id, course_id, correct, attempted_at, day, is_first, foretold)
    SELECT review.id, review.member_id, 'vocab', deck.name, deck.id, deck.course_id, rating <> 'again', reviewed_at,
        (reviewed_at AT TIME ZONE 'UTC')::date, review.state = 'new',
        CASE WHEN review.state <> 'new' THEN 900000000 END
    FROM vocab_review review
    JOIN vocab_card card ON card.id = card_id
    JOIN vocab_deck deck ON deck.id = card.deck_id
    ORDER BY review.reviewed_at
"""


def fill(members: int) -> Cast:
    """Fill the migrated, empty database."""
    seed = Seed(members)
    _execute("SET session_replication_role = replica")  # no foreign key is looked up
    copy(Member, seed.member_rows())
    copy(Course, seed.course_rows())
    keys = add_keys(seed.members, seed.now - timedelta(days=1))
    connection.connection.deadline = None  # a statement takes minutes
    given: dict[str, Any] = {**_TEXTS, "items": ITEMS, "cards": DECK_CARDS}
    for statement in ("SET work_mem = '512MB'", _ITEMS, _MILESTONES, _DECKS, _CARDS, _REVIEWS, _ATTEMPTS, "ANALYZE"):
        _execute(statement, given)
    for start in range(0, len(seed.members), _BATCH):
        with transaction.atomic():
            rebuild_sums(seed.members[start : start + _BATCH])
    settle()
    cards = _some_cards()
    people = zip(seed.members, keys, strict=True)
    return Cast([Subject(key, list(map(str, seed.courses[one])), cards[one]) for one, key in people])


def _execute(statement: str, given: dict[str, Any] | None = None) -> None:
    connection.ensure_connection()
    with connection.connection.cursor() as cursor:
        cursor.execute(statement, given if given and "%(" in statement else None)


def _some_cards() -> dict[UUID, list[str]]:
    """Return the ids of `CARDS` cards of each member."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT member_id, array_agg(id::text) FROM vocab_card WHERE mod(position, %s) = 0 GROUP BY member_id",
            [COURSES * DECK_CARDS // CARDS],
        )
        return dict(cursor.fetchall())
