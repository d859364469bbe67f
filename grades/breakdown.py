"""The grade breakdown of a course."""

from collections.abc import Collection, Sequence
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import TypedDict
from uuid import UUID

from django.db.models import FilteredRelation, Q

from accounts.models import Member
from courses.errors import NoSuchCourse
from courses.models import Course
from grades.arithmetic import current_grade, letter, mean, rounded
from grades.outlook import Part, outlook
from grades.serializers import CategoryRow, GradeBreakdownRow, GradeScoreRow
from studyservice.database.statements import Param, Select
from studyservice.operations.errors import Detail, ValidationFailed


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


_BREAKDOWN = Select[_Columns](
    Course.objects.filter(member_id=Param("member_id"), id=Param("course_id"))
    .annotate(
        part=FilteredRelation("grade_categories", condition=Q(grade_categories__member_id=Param("member_id"))),
        result=FilteredRelation("part__scores", condition=Q(part__scores__member_id=Param("member_id"))),
    )
    .order_by("part__position", "part__id", "result__created_at", "result__id"),
    {
        "course_name": "name",
        "category_id": "part__id",
        "name": "part__name",
        "weight": "part__weight",
        "id": "result__id",
        "label": "result__label",
        "score": "result__score",
        "created_at": "result__created_at",
    },
)
"""A row for each score, for each category without one, and for a course without any."""


def get_grades(
    member: Member, course_id: UUID, *, target: Decimal | None = None, remaining: list[UUID] | None = None
) -> GradeBreakdownRow:
    """The `GradeBreakdownRecord` of a course; one query.

    Args:
        member: whose course it is.
        course_id: the course.
        target: a grade in percent that the outlook is to tell about, beside the letters.
        remaining: the categories that the outlook takes for open; if none is named, those without scores.

    Raises:
        NotFound: there is no such course of the member's.
        ValidationFailed: one of `remaining` is no category of this course.
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
    _require_categories(remaining or [], [category["id"] for category in categories])
    grade = current_grade(parts)
    open_ids = remaining or [
        category["id"] for category, (_, average) in zip(categories, parts, strict=True) if average is None
    ]
    return {
        "course_id": course_id,
        "course_name": rows[0]["course_name"],
        "categories": categories,
        "current_grade": None if grade is None else float(grade),
        "letter_grade": None if grade is None else letter(grade),
        "outlook": outlook(
            [Part(*part, is_open=category["id"] in open_ids) for category, part in zip(categories, parts, strict=True)],
            target,
        ),
    }


def _require_categories(remaining: Sequence[UUID], present: Collection[UUID]) -> None:
    """Refuse what is no category of the course."""
    details: list[Detail] = [
        {
            "field": f"remaining[{index}]",
            "message": "Is no category of this course. get_grades without it gives the ids.",
        }
        for index, named in enumerate(remaining)
        if named not in present
    ]
    if details:
        raise ValidationFailed(details)
