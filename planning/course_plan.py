"""Items with their milestones: all of a course, and those found by the title of a milestone."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, TypedDict
from uuid import UUID

from django.db.models import FilteredRelation, Q

from accounts.rows.access import Access, MemberSelect
from courses.item_rows import ITEMS, SOONEST_FIRST, status_of
from planning.milestones import ORDER
from planning.models import Milestone
from studyservice.database.folding import contains, fold_all
from studyservice.database.rows import At
from studyservice.database.statements import Param

_FOUND = Milestone.rows.declared.filter(contains("folded", param="q"))
IN_MILESTONES = Q(id__in=_FOUND.order_by().values("item_id"))
"""Items with the folded text `q` in the title of a milestone. The milestones are read once."""


def folded_milestone(columns: Mapping[str, Any]) -> dict[str, str]:
    """Compute the searched column of a milestone."""
    return {"folded": fold_all([columns["title"]])}


class PlannedStep(TypedDict):
    """A milestone."""

    id: UUID
    title: str
    due_on: date | None
    done: bool
    overdue: bool


class PlannedItem(TypedDict):
    """An item with its milestones, in order."""

    id: UUID
    title: str
    kind: str
    due_on: date | None
    done: bool
    status: str
    category_id: UUID | None
    milestones: list[PlannedStep]


class _Columns(TypedDict):
    """An item with one of its milestones, or without."""

    id: UUID
    title: str
    kind: str
    due_on: date | None
    done: bool
    category_id: UUID | None
    graded: bool
    missable_from: date
    step_id: Annotated[UUID | None, At("step__id")]
    step_title: Annotated[str, At("step__title")]
    step_due_on: Annotated[date | None, At("step__due_on")]
    step_done: Annotated[bool, At("step__done")]


_OF_COURSE = MemberSelect(
    ITEMS.filter(course_id=Param("course_id"))
    .annotate(
        step=FilteredRelation("milestones", condition=Q(milestones__member_id=Param("member_id"))),
    )
    .order_by(*SOONEST_FIRST, *(f"step__{name}" for name in ORDER)),
    _Columns,
)


def items_with_milestones(access: Access, course_id: UUID) -> list[PlannedItem]:
    """All items of the course, soonest due first, undated last. One query."""
    today = access.today()
    found: dict[UUID, PlannedItem] = {}
    for row in _OF_COURSE.all(access, course_id=course_id):
        item = found.get(row["id"])
        if item is None:
            status = status_of(row["kind"], row["due_on"], row["done"], row["graded"], row["missable_from"], today)
            item = found[row["id"]] = {
                "id": row["id"],
                "title": row["title"],
                "kind": row["kind"],
                "due_on": row["due_on"],
                "done": row["done"],
                "status": status,
                "category_id": row["category_id"],
                "milestones": [],
            }
        if row["step_id"] is not None:
            due_on, done = row["step_due_on"], row["step_done"]
            item["milestones"].append(
                {
                    "id": row["step_id"],
                    "title": row["step_title"],
                    "due_on": due_on,
                    "done": done,
                    "overdue": not done and due_on is not None and due_on < today,
                }
            )
    return list(found.values())
