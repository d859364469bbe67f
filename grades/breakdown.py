"""The grade breakdown of a course, and the arithmetic behind it.

Scores and weights are decimals of four places. Averages are kept as exact fractions, because a third cut after any
number of digits can pull a tie below the half; half-up to two places comes once, at the end.
"""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import TypedDict
from uuid import UUID

from accounts.models import Member
from courses.errors import NoSuchCourse
from courses.models import Course
from grades.serializers import CategoryRow, GradeBreakdownRow, GradeScoreRow
from studyservice.database.statements import Param, Select

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


class _Columns(TypedDict):
    """A category and one score of it. Where `category_id` is null, so are both; where `id` is, so is the score."""

    course_name: str
    category_id: UUID | None
    name: str
    weight: Decimal
    id: UUID | None
    label: str
    score: Decimal
    created_at: datetime


_SCORES = "grade_categories__scores"
_BREAKDOWN = Select[_Columns](
    Course.objects.filter(member_id=Param("member_id"), id=Param("course_id")).order_by(
        "grade_categories__position", "grade_categories__id", f"{_SCORES}__created_at", f"{_SCORES}__id"
    ),
    {
        "course_name": "name",
        "category_id": "grade_categories__id",
        "name": "grade_categories__name",
        "weight": "grade_categories__weight",
        "id": f"{_SCORES}__id",
        "label": f"{_SCORES}__label",
        "score": f"{_SCORES}__score",
        "created_at": f"{_SCORES}__created_at",
    },
)
"""A row for each score, for each category without one, and for a course without any."""


def mean(scores: Sequence[Decimal]) -> Fraction | None:
    """The plain mean in percent, exact; None without scores."""
    return Fraction(sum(scores, Decimal())) / len(scores) if scores else None


def current_grade(parts: Sequence[tuple[Decimal, Fraction | None]]) -> Decimal | None:
    """The weighted mean over `(weight, average)` pairs, renormalized over those with an average.

    In percent, rounded; None when no category has scores or their weights sum to 0 (spec, Grade category).
    """
    scored = [(int(weight.scaleb(4)), average) for weight, average in parts if average is not None]
    total = sum(weight for weight, _ in scored)
    if not total:
        return None
    return rounded(sum((weight * average for weight, average in scored), Fraction()) / total)


def rounded(percent: Fraction) -> Decimal:
    """Half-up to two places; `percent` is not negative."""
    hundredths = (200 * percent.numerator + percent.denominator) // (2 * percent.denominator)
    return Decimal(hundredths).scaleb(-2)


def letter(grade: Decimal) -> str:
    """The letter of a rounded grade in percent."""
    return next((name for least, name in _LETTERS if grade >= least), "F")


def get_grades(member: Member, course_id: UUID) -> GradeBreakdownRow:
    """The `GradeBreakdownRecord` of a course; one query.

    Raises:
        NotFound: there is no such course of the member's.
    """
    rows = _BREAKDOWN.all(member_id=member.id, course_id=course_id)
    if not rows:
        raise NoSuchCourse
    categories: list[CategoryRow] = []
    parts: list[tuple[Decimal, Fraction | None]] = []
    for category_id, of_category in groupby(rows, lambda row: row["category_id"]):
        if category_id is None:
            break
        first, *_ = present = list(of_category)
        scores: list[GradeScoreRow] = []
        exact: list[Decimal] = []
        for row in present:
            if row["id"] is not None:
                exact.append(row["score"])
                scores.append(
                    {
                        "id": row["id"],
                        "category_id": category_id,
                        "label": row["label"],
                        "score": float(row["score"]),
                        "created_at": row["created_at"],
                    }
                )
        average = mean(exact)
        parts.append((first["weight"], average))
        categories.append(
            {
                "id": category_id,
                "name": first["name"],
                "weight": float(first["weight"]),
                "scores": scores,
                "average": None if average is None else float(rounded(average)),
            }
        )
    grade = current_grade(parts)
    return {
        "course_id": course_id,
        "course_name": rows[0]["course_name"],
        "categories": categories,
        "current_grade": None if grade is None else float(grade),
        "letter_grade": None if grade is None else letter(grade),
    }
