"""Readiness for the first exams and quizzes of an agenda."""

from datetime import datetime, time
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import fsrs

from tools.bench.floor.ground import Caller, query

_EXAMINED = frozenset({"exam", "quiz"})
_DECAY = -fsrs.Scheduler().parameters[20]
_FACTOR = 0.9 ** (1 / _DECAY) - 1
_READINESS = """
    WITH wanted AS (
        SELECT * FROM unnest(%(items)s::uuid[], %(courses)s::uuid[], %(noons)s::timestamptz[])
            WITH ORDINALITY AS w (item, course, noon, place)
        WHERE EXISTS (
            SELECT FROM vocab_deck d JOIN vocab_card k ON k.deck_id = d.id
            WHERE k.member_id = %(member)s AND d.course_id = w.course AND d.card_count > 0 AND NOT k.suspended
        )
        ORDER BY place LIMIT 3
    ), cards AS (
        SELECT item, place, stability, greatest(date_part('day', noon - last_reviewed_at), 0) AS days
        FROM wanted JOIN vocab_deck d ON d.course_id = course JOIN vocab_card k ON k.deck_id = d.id
        WHERE k.member_id = %(member)s AND NOT k.suspended
    )
    SELECT item, count(*), count(stability), count(*) FILTER (WHERE days / stability > %(times)s),
        coalesce(sum(power(1 + %(factor)s * days / stability, %(decay)s)) FILTER (WHERE stability IS NOT NULL), 0)
    FROM cards GROUP BY item, place ORDER BY place
"""


def readiness(caller: Caller, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the readiness for the first three exams or quizzes of courses with cards. One statement or none."""
    wanted = [item for item in items if item["kind"] in _EXAMINED]
    if not wanted:
        return []
    found = query(
        _READINESS,
        {
            "member": caller.member,
            "items": [item["id"] for item in wanted],
            "courses": [item["course_id"] for item in wanted],
            "noons": [datetime.combine(item["due_on"], time(12), caller.zone) for item in wanted],
            "times": (caller.desired_retention ** (1 / _DECAY) - 1) / _FACTOR,
            "factor": _FACTOR,
            "decay": _DECAY,
        },
    )
    by_id: dict[Any, dict[str, Any]] = {item["id"]: item for item in wanted}
    return [
        {
            "item_id": item,
            "title": by_id[item]["title"],
            "course_name": by_id[item]["course_name"],
            "on": by_id[item]["due_on"],
            "cards": cards,
            "desired_retention": _percent(caller.desired_retention, 1),
            "expected_recall": _percent(recalled, cards),
            "seen_recall": _percent(recalled, reviewed) if reviewed else None,
            "unseen": cards - reviewed,
            "below_target": below,
        }
        for item, cards, reviewed, below, recalled in found
    ]


def _percent(part: float, whole: int) -> float:
    return float((Decimal(100 * part) / whole).quantize(Decimal("0.01"), ROUND_HALF_UP))
