"""The grade breakdown of a course, and the arithmetic behind it.

Scores and weights are decimals of four places. Averages are kept as exact fractions, because a third cut after any
number of digits can pull a tie below the half; half-up to two places comes once, at the end.
"""

import math
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

from accounts.models import Member
from courses.courses import require_course
from grades.models import GradeCategory, GradeScore
from grades.serializers import GradeScoreRecord
from studyservice.statements import Param, Row, Select

_LETTERS = (
    (97, "A+"),
    (93, "A"),
    (90, "A-"),
    (87, "B+"),
    (83, "B"),
    (80, "B-"),
    (77, "C+"),
    (73, "C"),
    (70, "C-"),
    (67, "D+"),
    (63, "D"),
    (60, "D-"),
)
"""The lowest grade of each letter; below the last it is F."""

_CATEGORIES = Select(
    GradeCategory.objects.filter(member_id=Param("member_id"), course_id=Param("course_id")).order_by("position", "id"),
    {"id": "id", "name": "name", "weight": "weight"},
)
_SCORES = Select(
    GradeScore.objects.filter(member_id=Param("member_id"), category__course_id=Param("course_id")).order_by(
        "created_at", "id"
    ),
    GradeScoreRecord,
)


def mean(scores: Sequence[Decimal]) -> Fraction | None:
    """The plain mean in percent, exact; None without scores."""
    return Fraction(sum(scores, Decimal())) / len(scores) if scores else None


def current_grade(parts: Sequence[tuple[Decimal, Fraction | None]]) -> Decimal | None:
    """The weighted mean over `(weight, average)` pairs, renormalized over those with an average.

    In percent, rounded; None when no category has scores or their weights sum to 0 (spec, Grade category).
    """
    scored = [(Fraction(weight), average) for weight, average in parts if average is not None]
    total = sum((weight for weight, _ in scored), Fraction())
    if not total:
        return None
    return rounded(sum((weight * average for weight, average in scored), Fraction()) / total)


def rounded(percent: Fraction) -> Decimal:
    """Half-up to two places; `percent` is not negative."""
    return Decimal(math.floor(percent * 100 + Fraction(1, 2))).scaleb(-2)


def letter(grade: Decimal) -> str:
    """The letter of a rounded grade in percent."""
    return next((name for least, name in _LETTERS if grade >= least), "F")


def get_grades(member: Member, course_id: UUID) -> Row:
    """The `GradeBreakdownRecord` of a course; three queries.

    Raises:
        NotFound: there is no such course of the member's.
    """
    course = require_course(member, course_id)
    categories = _CATEGORIES.all(member_id=member.id, course_id=course_id)
    scores: dict[UUID, list[Row]] = {category["id"]: [] for category in categories}
    for score in _SCORES.all(member_id=member.id, course_id=course_id):
        scores.setdefault(score["category_id"], []).append(score)
    parts = []
    for category in categories:
        own = scores[category["id"]]
        average = mean([score["score"] for score in own])
        parts.append((category["weight"], average))
        category["weight"] = float(category["weight"])
        category["average"] = None if average is None else float(rounded(average))
        category["scores"] = [score | {"score": float(score["score"])} for score in own]
    grade = current_grade(parts)
    return {
        "course_id": course_id,
        "course_name": course["name"],
        "categories": categories,
        "current_grade": None if grade is None else float(grade),
        "letter_grade": None if grade is None else letter(grade),
    }
