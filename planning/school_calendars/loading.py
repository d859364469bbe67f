"""The member's courses, with or without their items, in one query."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Exists, FilteredRelation, OuterRef, Q

from accounts.rows.access import Access
from courses.models import Course
from planning.models import Milestone
from planning.school_calendars.assigning import Named
from studyservice.database.ahead import Ahead


class StoredItem(NamedTuple):
    """The compared columns of an item."""

    id: UUID
    title: str
    kind: str
    due_on: date | None
    done: bool
    graded: bool
    note: str | None
    category_id: UUID | None
    has_milestones: bool


@dataclass(frozen=True, slots=True)
class Courses:
    """The courses of a member.

    Attributes:
        named: their names for matching labels, oldest first.
        item_counts: by course.
        items: items of all courses by id; empty if not requested.
    """

    named: list[Named]
    item_counts: Mapping[UUID, int] = field(default_factory=dict)
    items: Mapping[UUID, StoredItem] = field(default_factory=dict)

    def name_of(self, course_id: UUID) -> str:
        """The name of a course; empty if it was deleted."""
        return next((one.name for one in self.named if one.id == course_id), "")


_COURSE = ("id", "name", "code")
_ITEM = tuple(f"mine__{name}" for name in StoredItem._fields if name != "has_milestones")


def load_courses(access: Access, *, with_items: bool = False) -> Courses:
    """The member's courses. One query."""
    return ask_for_courses(access, with_items=with_items)()


def ask_for_courses(access: Access, *, with_items: bool = False) -> Callable[[], Courses]:
    """Queue the query, and return a function that returns the courses (`studyservice.database.ahead`)."""
    rows = Course.objects.filter(member_id=access.member.id).order_by("created_at", "id")
    if not with_items:
        return partial(_named, Ahead(rows.values_list("id", "name", "code")))
    steps = Milestone.objects.filter(member_id=access.member.id, item_id=OuterRef("mine__id"))
    joined = rows.annotate(
        mine=FilteredRelation("items", condition=Q(items__member_id=access.member.id)), has_milestones=Exists(steps)
    )
    return partial(_with_items, Ahead(joined.values_list(*_COURSE, *_ITEM, "has_milestones")))


def _named(rows: Ahead[Any]) -> Courses:
    return Courses([Named(*row) for row in rows])


def _with_items(rows: Ahead[Any]) -> Courses:
    named: dict[UUID, Named] = {}
    counts: dict[UUID, int] = {}
    items: dict[UUID, StoredItem] = {}
    for course_id, name, code, *item in rows:
        named[course_id] = Named(course_id, name, code)
        if item[0] is not None:
            items[item[0]] = StoredItem(*item)
            counts[course_id] = counts.get(course_id, 0) + 1
    return Courses([*named.values()], counts, items)
