"""Items with their milestones: all of a course, and those found by the title of a milestone."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any, TypedDict, cast
from uuid import UUID

from django.db.models import FilteredRelation, Q

from courses.item_rows import ITEMS, SOONEST_FIRST, status_of
from planning.milestones import ORDER
from planning.models import Milestone
from studyservice.database.expressions import contains, fold_all
from studyservice.database.rows import At
from studyservice.database.statements import Param
from studyservice.rows.access import Access, MemberSelect

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


class _ItemColumns(TypedDict):
    id: UUID
    title: str
    kind: str
    due_on: date | None
    due_time: str | None
    done: bool
    category_id: UUID | None


class PlannedItem(_ItemColumns):
    """An item with its milestones, in order."""

    status: str
    milestones: list[PlannedStep]


class _Columns(_ItemColumns):
    """An item with one of its milestones, or without."""

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
        columns: Mapping[str, Any] = row
        if row["id"] not in found:
            status = status_of(row["kind"], row["due_on"], row["done"], row["graded"], row["missable_from"], today)
            item = {name: columns[name] for name in _ItemColumns.__annotations__}
            found[row["id"]] = cast("PlannedItem", item | {"status": status, "milestones": []})
        if row["step_id"] is not None:
            step = {name: columns[f"step_{name}"] for name in ("id", "title", "due_on", "done")}
            due_on, done = row["step_due_on"], row["step_done"]
            step["overdue"] = not done and due_on is not None and due_on < today
            found[row["id"]]["milestones"].append(cast("PlannedStep", step))
    return list(found.values())
