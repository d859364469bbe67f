"""Grades."""

from decimal import ROUND_CEILING, ROUND_HALF_UP, Decimal
from typing import Any
from uuid import UUID

from tools.bench.floor.ground import Caller, Refused, query, timestamp

_LETTERS = (
    (97, "A+"), (93, "A"), (90, "A-"), (87, "B+"), (83, "B"), (80, "B-"),
    (77, "C+"), (73, "C"), (70, "C-"), (67, "D+"), (63, "D"), (60, "D-"),
)  # fmt: skip

_CENT, _HALF = Decimal("0.01"), Decimal("0.005")
_GRADES = """
    SELECT c.name, g.id, g.name, g.weight, g.drop_lowest, s.id, s.item_id, s.label, s.score, s.created_at,
        (SELECT count(*) FROM courses_item i WHERE i.member_id = %(member)s AND i.course_id = %(course)s
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
    for _, category_id, name, weight, drop_lowest, score_id, item_id, label, score, created_at, _ in rows:
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
            exact[category_id].append(score)
            categories[category_id]["scores"].append(
                {
                    "id": score_id,
                    "category_id": category_id,
                    "item_id": item_id,
                    "label": label,
                    "score": float(score),
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
