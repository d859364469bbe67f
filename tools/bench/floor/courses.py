"""Grades, and reviews of flashcards."""

from datetime import UTC, datetime, timedelta
from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal
from typing import Any
from uuid import UUID, uuid4

import fsrs

from tools.bench.floor.ground import Caller, Refused, query, timestamp

_LETTERS = (
    (97, "A+"), (93, "A"), (90, "A-"), (87, "B+"), (83, "B"), (80, "B-"),
    (77, "C+"), (73, "C"), (70, "C-"), (67, "D+"), (63, "D"), (60, "D-"),
)  # fmt: skip

_CENT, _HALF = Decimal("0.01"), Decimal("0.005")
_GRADES = """
    SELECT c.name, g.id, g.name, g.weight, g.drop_lowest, s.id, s.item_id, s.label, s.score, s.points, s.out_of,
        s.created_at, (SELECT count(*) FROM courses_item i WHERE i.member_id = %(member)s AND i.course_id = %(course)s
            AND i.category_id IS NULL)
    FROM courses_course c
    LEFT JOIN grades_gradecategory g ON g.course_id = c.id AND g.member_id = c.member_id
    LEFT JOIN grades_gradescore s ON s.category_id = g.id AND s.member_id = c.member_id
    WHERE c.member_id = %(member)s AND c.id = %(course)s ORDER BY g.position, g.id, s.created_at, s.id
"""


def get_grades(caller: Caller, course_id: UUID) -> dict[str, Any]:
    """Return the breakdown of a course, from one query.

    The measured rows have no category that drops scores, and no item that names a category.
    """
    rows = query(_GRADES, {"member": caller.member, "course": course_id})
    if not rows:
        raise Refused("404 Not Found")
    categories: dict[UUID, dict[str, Any]] = {}
    exact: dict[UUID, list[Decimal]] = {}
    weights: dict[UUID, Decimal] = {}
    for _, category_id, name, weight, drop_lowest, score_id, *score_columns, _ in rows:
        if category_id is None:
            continue
        if category_id not in categories:
            categories[category_id] = {
                "id": category_id,
                "name": name,
                "weight": float(weight),
                "drop_lowest": drop_lowest,
                "scores": [],
            }
            exact[category_id] = []
            weights[category_id] = weight
        if score_id is not None:
            item_id, label, score, points, out_of, created_at = score_columns
            exact[category_id].append(score)
            categories[category_id]["scores"].append(
                {
                    "id": score_id,
                    "category_id": category_id,
                    "item_id": item_id,
                    "label": label,
                    "score": float(score),
                    "points": None if points is None else float(points),
                    "out_of": None if out_of is None else float(out_of),
                    "created_at": timestamp(created_at),
                    "dropped": False,
                }
            )
    total = earned = left = Decimal()
    for category_id, category in categories.items():
        scores = exact[category_id]
        average = sum(scores, Decimal()) / len(scores) if scores else None
        category["average"] = None if average is None else float(_rounded(average))
        if average is not None:
            total += weights[category_id]
            earned += weights[category_id] * average
        else:
            left += weights[category_id]
    grade = _rounded(earned / total) if total else None
    return {
        "course_id": course_id,
        "course_name": rows[0][0],
        "categories": list(categories.values()),
        "current_grade": None if grade is None else float(grade),
        "letter_grade": None if grade is None else next((name for least, name in _LETTERS if grade >= least), "F"),
        "outlook": _outlook(earned, left, total + left) | {"uncategorized": rows[0][-1]},
    }


def _outlook(earned: Decimal, left: Decimal, weight: Decimal) -> dict[str, Any]:
    if not weight:
        return {"remaining_weight": float(left), "best": None, "worst": None, "needed": [], "assumed": None}
    best, worst = _rounded((earned + 100 * left) / weight), _rounded(earned / weight)
    return {
        "remaining_weight": float(left),
        "best": float(best),
        "worst": float(worst),
        "needed": [_needed(least, name, best, worst, _least(earned, left, weight, least)) for least, name in _LETTERS],
        "assumed": None,
    }


def _least(earned: Decimal, left: Decimal, weight: Decimal, grade: int) -> float | None:
    return float((((grade - _HALF) * weight - earned) / left).quantize(_CENT, ROUND_CEILING)) if left else None


def _needed(least: int, name: str, best: Decimal, worst: Decimal, score: float | None) -> dict[str, Any]:
    if worst >= least:
        return {"letter": name, "at_least": float(least), "score": 0.0, "status": "already_reached"}
    status = "possible" if best >= least else "impossible"
    return {"letter": name, "at_least": float(least), "score": score, "status": status}


def _rounded(percent: Decimal) -> Decimal:
    return percent.quantize(_CENT, ROUND_HALF_UP)


_CARD = """
    SELECT m.write_clock, d.name, d.course_id, m.desired_retention, c.deck_id, c.term, c.definition,
        c.state, c.step, c.stability, c.difficulty, c.due_at, c.last_reviewed_at, c.reps, c.lapses,
        c.suspended
    FROM vocab_card c JOIN vocab_deck d ON d.id = c.deck_id JOIN accounts_member m ON m.id = c.member_id
    WHERE c.member_id = %s AND c.id = %s
"""
# One statement, which does nothing if the member's data changed since the card was read. That replaces a lock and saves
# two round trips.
_REVIEW = """
    WITH tick AS (
        UPDATE accounts_member SET write_clock = %(at)s WHERE id = %(member)s AND write_clock = %(seen)s RETURNING id
    ), log AS (
        INSERT INTO vocab_review (id, member_id, card_id, rating, reviewed_at, duration_ms, desired_retention,
            state, step, stability, difficulty, due_at, last_reviewed_at)
        SELECT %(id)s, tick.id, c.id, %(rating)s, %(at)s, %(duration_ms)s, %(retention)s,
            c.state, c.step, c.stability, c.difficulty, c.due_at, c.last_reviewed_at
        FROM tick JOIN vocab_card c ON c.member_id = tick.id AND c.id = %(card)s
    ), attempt AS (
        INSERT INTO practice_attempt (id, member_id, source, topic, deck_id, course_id, correct, attempted_at, day)
        SELECT %(id)s, tick.id, 'vocab', %(topic)s, %(deck)s, %(course)s, %(correct)s, %(at)s, %(day)s FROM tick
    )
    UPDATE vocab_card c SET state = %(state)s, step = %(step)s, stability = %(stability)s, difficulty = %(difficulty)s,
        due_at = %(due_at)s, last_reviewed_at = %(at)s, reps = %(reps)s, lapses = %(lapses)s
    FROM tick WHERE c.member_id = tick.id AND c.id = %(card)s RETURNING c.id
"""
_TRIES = 20
_MICROSECOND = timedelta(microseconds=1)
_RATINGS = {rating.name.lower(): rating for rating in fsrs.Rating}
_STATES = {"new": fsrs.State.Learning} | {state.name.lower(): state for state in fsrs.State}
_NAMES = {state: state.name.lower() for state in fsrs.State}

_schedulers: dict[float, fsrs.Scheduler] = {}


def review_vocab_card(caller: Caller, card_id: UUID, body: dict[str, Any]) -> dict[str, Any]:
    """Return the card after a review."""
    rating, duration_ms = body["rating"], body.get("duration_ms")
    if rating not in _RATINGS or not (duration_ms is None or 0 <= duration_ms <= 3_600_000):
        raise Refused("422 Unprocessable Content")
    for _ in range(_TRIES):
        found = query(_CARD, (caller.member, card_id))
        if not found:
            raise Refused("404 Not Found")
        answer = _review(caller, card_id, found[0], rating, duration_ms)
        if answer is not None:
            return answer
    raise Refused("503 Service Unavailable")


def _review(
    caller: Caller, card_id: UUID, row: tuple[Any, ...], rating: str, duration_ms: int | None
) -> dict[str, Any] | None:
    """Return the answer, or None if the member's data changed meanwhile."""
    seen, topic, course_id, retention, deck_id, term, definition, state, *values, reps, lapses, suspended = row
    step, stability, difficulty, due_at, last_reviewed_at = values
    scheduler = _schedulers.get(retention)
    if scheduler is None:
        scheduler = _schedulers[retention] = fsrs.Scheduler(desired_retention=retention, enable_fuzzing=False)
    before = fsrs.Card(0, _STATES[state], step, stability, difficulty, due_at, last_reviewed_at)
    at = max(datetime.now(UTC), seen.astimezone(UTC) + _MICROSECOND)
    after, _ = scheduler.review_card(before, _RATINGS[rating], at)
    record = {
        "id": card_id,
        "deck_id": deck_id,
        "term": term,
        "definition": definition,
        "state": _NAMES[after.state],
        "due_at": after.due,
        "reps": reps + 1,
        "lapses": lapses + (rating == "again" and state == "review"),
        "suspended": suspended,
        "stability": after.stability,
        "difficulty": after.difficulty,
    }
    written = query(
        _REVIEW,
        record
        | {
            "id": uuid4(),
            "at": at,
            "member": caller.member,
            "seen": seen,
            "card": card_id,
            "rating": rating,
            "duration_ms": duration_ms,
            "retention": retention,
            "topic": topic,
            "deck": deck_id,
            "course": course_id,
            "correct": rating != "again",
            "day": caller.today,
            "step": after.step,
        },
    )
    return record | {"due_at": timestamp(after.due), "last_reviewed_at": timestamp(at)} if written else None
