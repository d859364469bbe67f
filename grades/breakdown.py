"""The grade breakdown of a course, and the arithmetic behind it.

Scores and weights are decimals of four places. Averages are kept as exact fractions, because a third cut after any
number of digits can pull a tie below the half; half-up to two places comes once, at the end.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

from accounts.models import Member
from courses.errors import NoSuchCourse
from courses.models import Course
from studyservice.database.statements import Param, Row, Select

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

_SCORES = "grade_categories__scores"
_BREAKDOWN = Select(
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


def get_grades(member: Member, course_id: UUID) -> Row:
    """The `GradeBreakdownRecord` of a course; one query.

    Raises:
        NotFound: there is no such course of the member's.
    """
    rows = _BREAKDOWN.all(member_id=member.id, course_id=course_id)
    if not rows:
        raise NoSuchCourse
    categories: dict[UUID, Row] = {}
    exact: dict[UUID, list[Decimal]] = {}
    for row in rows:
        category_id = row["category_id"]
        if category_id is None:
            break
        if category_id not in categories:
            categories[category_id] = {"id": category_id, "name": row["name"], "weight": row["weight"], "scores": []}
            exact[category_id] = []
        if row["id"] is not None:
            exact[category_id].append(row["score"])
            categories[category_id]["scores"].append(_score(row))
    parts = []
    for category_id, category in categories.items():
        average = mean(exact[category_id])
        parts.append((category["weight"], average))
        category["weight"] = float(category["weight"])
        category["average"] = None if average is None else float(rounded(average))
    grade = current_grade(parts)
    return {
        "course_id": course_id,
        "course_name": rows[0]["course_name"],
        "categories": list(categories.values()),
        "current_grade": None if grade is None else float(grade),
        "letter_grade": None if grade is None else letter(grade),
    }


def _score(row: Row) -> Row:
    """The `GradeScoreRecord` in a row of the breakdown."""
    return {
        "id": row["id"],
        "category_id": row["category_id"],
        "label": row["label"],
        "score": float(row["score"]),
        "created_at": row["created_at"],
    }
