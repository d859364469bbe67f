"""The grade breakdown of a course."""

from collections.abc import Collection, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import groupby
from operator import itemgetter
from typing import TypedDict
from uuid import UUID

from django.db.models import FilteredRelation, Q

from accounts.models import Member
from courses.errors import NoSuchCourse
from courses.models import Course
from grades.arithmetic import Percent, current_grade, letter, mean, ten_thousandths
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
    item_id: UUID | None
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
        "item_id": "result__item_id",
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
    parts: list[tuple[int, Percent | None]] = []
    for category_id, of_category in groupby(rows, itemgetter("category_id")):
        if category_id is None:
            break
        first, *_ = present = list(of_category)
        exact: list[int] = []
        scores: list[GradeScoreRow] = []
        for row in present:
            if row["id"] is not None:
                score = ten_thousandths(row["score"])
                exact.append(score)
                scores.append(
                    {
                        "id": row["id"],
                        "category_id": category_id,
                        "item_id": row["item_id"],
                        "label": row["label"],
                        "score": score / 10_000,
                        "created_at": row["created_at"],
                    }
                )
        weight, average = ten_thousandths(first["weight"]), mean(exact)
        parts.append((weight, average))
        categories.append(
            {
                "id": category_id,
                "name": first["name"],
                "weight": weight / 10_000,
                "scores": scores,
                "average": None if average is None else average.hundredths() / 100,
            }
        )
    if remaining:
        _require_categories(remaining, [category["id"] for category in categories])
    grade = current_grade(parts)
    return {
        "course_id": course_id,
        "course_name": rows[0]["course_name"],
        "categories": categories,
        "current_grade": None if grade is None else grade / 100,
        "letter_grade": None if grade is None else letter(grade),
        "outlook": outlook(
            [
                Part(weight, average, category["id"] in remaining if remaining else average is None)
                for category, (weight, average) in zip(categories, parts, strict=True)
            ],
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
