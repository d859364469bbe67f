"""The grade breakdown of a course."""

from collections.abc import Collection, Sequence
from datetime import datetime
from decimal import Decimal
from itertools import groupby
from operator import itemgetter
from typing import Annotated, TypedDict, cast
from uuid import UUID

from django.db.models import Case, FilteredRelation, OuterRef, Q, When, Window
from django.db.models.functions import RowNumber

from courses.errors import NoSuchCourse
from courses.item_rows import OF_STATUS
from courses.models import Course, Item
from grades.curve import Part, curve, half_up, letter, lowest, number_dropped, ten_thousandths
from grades.outlook import outlook
from grades.serializers import CategoryRow, CategoryScoreRow, GradeBreakdownRow
from studyservice.database.rows import At
from studyservice.database.statements import Param, aggregated
from studyservice.operations.errors import Detail, ValidationFailed
from studyservice.rows.access import Access, MemberSelect
from studyservice.rows.seen import GradesSeen


class _Columns(TypedDict):
    """A category and one of its scores. If `category_id` is null, so are both; if `id` is null, so is the score.

    `items` is the number of items in the category, and `open_items` of those among them that are open, both only in the
    first row of each category.
    """

    course_name: Annotated[str, At("name")]
    uncategorized: int
    category_id: Annotated[UUID | None, At("part__id")]
    name: Annotated[str, At("part__name")]
    weight: Annotated[Decimal, At("part__weight")]
    drop_lowest: Annotated[int, At("part__drop_lowest")]
    items: Annotated[int | None, At("items_named")]
    open_items: Annotated[int | None, At("items_open")]
    id: Annotated[UUID | None, At("result__id")]
    item_id: Annotated[UUID | None, At("result__item_id")]
    label: Annotated[str, At("result__label")]
    score: Annotated[Decimal, At("result__score")]
    points: Annotated[Decimal | None, At("result__points")]
    out_of: Annotated[Decimal | None, At("result__out_of")]
    created_at: Annotated[datetime, At("result__created_at")]


_UNCATEGORIZED = Item.rows.declared.filter(course_id=Param("course_id"), category_id=None)
_ITEMS = Item.rows.declared.filter(category_id=OuterRef("part__id"))

_BREAKDOWN = MemberSelect(
    Course.rows.declared.filter(GradesSeen(), id=Param("course_id"))
    .annotate(
        part=FilteredRelation("grade_categories", condition=Q(grade_categories__member_id=Param("member_id"))),
        result=FilteredRelation("part__scores", condition=Q(part__scores__member_id=Param("member_id"))),
    )
    .annotate(
        uncategorized=aggregated(_UNCATEGORIZED, "COUNT", "id"),
        place=Window(
            RowNumber(), partition_by=["part__position", "part__id"], order_by=["result__created_at", "result__id"]
        ),
        items_named=Case(When(place=1, then=aggregated(_ITEMS, "COUNT", "category_id"))),
        items_open=Case(When(place=1, then=aggregated(_ITEMS.filter(OF_STATUS["open"]), "COUNT", "category_id"))),
    )
    .order_by("part__position", "part__id", "result__created_at", "result__id"),
    _Columns,
)
"""A row for each score, for each category without one, and for a course without any.

Items are counted only in the first row of each category, because PostgreSQL would count them again for each score.
"""


def get_grades(
    access: Access,
    course_id: UUID,
    *,
    target: Decimal | None = None,
    remaining: list[UUID] | None = None,
    assume: Decimal | None = None,
) -> GradeBreakdownRow:
    """The `GradeBreakdownRow` of a course. One query.

    Args:
        access: the call.
        course_id: the course.
        target: a grade in percent to add to the letters of the outlook.
        remaining: the categories that the outlook treats as completely open, with all others closed. By default,
            categories without scores are open, and in the others the items of `_open_pieces`.
        assume: a score in percent on all open work, for which the outlook returns the grade.

    Raises:
        NotFound: the call sees no such course.
        ValidationFailed: one of `remaining` is not a category of this course.
    """
    rows = _BREAKDOWN.all(access, course_id=course_id, today=access.today())
    if not rows:
        raise NoSuchCourse
    categories: list[CategoryRow] = []
    scored: list[Part] = []
    counting: list[Part] = []
    for category_id, of_category in groupby(rows, itemgetter("category_id")):
        if category_id is None:
            break
        present = list(of_category)
        category, part = _category(category_id, present)
        categories.append(category)
        is_open = category_id in remaining if remaining else not part.scores
        if part.scores:
            scored.append(part)
        if is_open:
            counting.append(Part(part.weight, (), 0, open_pieces=1))
        elif part.scores:
            counting.append(part._replace(open_pieces=0 if remaining else _open_pieces(present[0], len(part.scores))))
    if remaining:
        _require_categories(remaining, [category["id"] for category in categories])
    today = curve(scored)
    grade = None if today is None else today.at(0)
    return {
        "course_id": course_id,
        "course_name": rows[0]["course_name"],
        "categories": categories,
        "current_grade": None if grade is None else grade / 100,
        "letter_grade": None if grade is None else letter(grade),
        "outlook": outlook(counting, target, assume, uncategorized=rows[0]["uncategorized"]),
    }


def _open_pieces(category: _Columns, scores: int) -> int:
    """The items still to come, and of the ended ones without a score those that no score without an item can be of.

    A score names an item of its own category, so that is the larger of two numbers.
    """
    return max(category["open_items"] or 0, (category["items"] or 0) - scores)


def _category(category_id: UUID, rows: Sequence[_Columns]) -> tuple[CategoryRow, Part]:
    """The category for the answer, and for the current grade, without open pieces."""
    first = rows[0]
    exact = [] if first["id"] is None else [ten_thousandths(row["score"]) for row in rows]
    weight, drop_lowest = ten_thousandths(first["weight"]), first["drop_lowest"]
    dropped = lowest(exact, number_dropped(drop_lowest, len(exact)))
    scores: list[CategoryScoreRow] = [
        {
            "id": cast("UUID", row["id"]),
            "category_id": category_id,
            "item_id": row["item_id"],
            "label": row["label"],
            "score": score / 10_000,
            "points": None if row["points"] is None else float(row["points"]),
            "out_of": None if row["out_of"] is None else float(row["out_of"]),
            "created_at": row["created_at"],
            "dropped": place in dropped,
        }
        for place, (score, row) in enumerate(zip(exact, rows, strict=False))
    ]
    average = None
    if exact:
        counted = sum(score for place, score in enumerate(exact) if place not in dropped)
        average = half_up(counted, 100 * (len(exact) - len(dropped))) / 100
    return {
        "id": category_id,
        "name": first["name"],
        "weight": weight / 10_000,
        "drop_lowest": drop_lowest,
        "average": average,
        "scores": scores,
    }, Part(weight, exact, drop_lowest, open_pieces=0)


def _require_categories(remaining: Sequence[UUID], present: Collection[UUID]) -> None:
    """Reject an id that is not a category of the course."""
    details: list[Detail] = [
        {
            "field": f"remaining[{index}]",
            "message": "Not a category of this course. get_grades without it lists the ids.",
        }
        for index, named in enumerate(remaining)
        if named not in present
    ]
    if details:
        raise ValidationFailed(details)
