"""The member's courses, with or without their items, in one query."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Exists, FilteredRelation, OuterRef, Q

from accounts.rows.access import Access, MemberSelect
from accounts.rows.rows import Row
from courses.models import Course
from planning.models import Milestone
from planning.school_calendars.assigning import Named
from studyservice.database.statements import Param


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
    items: Mapping[UUID, Row] = field(default_factory=dict)

    def name_of(self, course_id: UUID) -> str:
        """The name of a course; empty if it was deleted."""
        return next((one.name for one in self.named if one.id == course_id), "")


_COURSES = Course.rows.declared.order_by("created_at", "id")
_OF_COURSE = {"course_id": "id", "name": "name", "code": "code"}
_OF_ITEM = ("id", "title", "kind", "due_on", "done", "graded", "note", "category_id")
_NAMED = MemberSelect[Row](_COURSES, _OF_COURSE)
_WITH_ITEMS = MemberSelect[Row](
    _COURSES.annotate(
        mine=FilteredRelation("items", condition=Q(items__member_id=Param("member_id"))),
        has_milestones=Exists(Milestone.rows.declared.filter(item_id=OuterRef("mine__id"))),
    ),
    {**_OF_COURSE, **{name: f"mine__{name}" for name in _OF_ITEM}, "has_milestones": "has_milestones"},
)
"""A row for each item, and for each course without any, with null in the columns of the item."""


def load_courses(access: Access, *, with_items: bool = False) -> Courses:
    """The member's courses. One query."""
    return ask_for_courses(access, with_items=with_items)()


def ask_for_courses(access: Access, *, with_items: bool = False) -> Callable[[], Courses]:
    """Queue the query, and return a function that returns the courses (`MemberSelect.ahead`)."""
    if with_items:
        asked = _WITH_ITEMS.ahead(access)
        return lambda: _with_items(asked())
    named = _NAMED.ahead(access)
    return lambda: Courses([Named(*row.values()) for row in named()])


def _with_items(rows: Sequence[Row]) -> Courses:
    named: dict[UUID, Named] = {}
    counts: Counter[UUID] = Counter()
    items: dict[UUID, Row] = {}
    for row in rows:
        course_id = row["course_id"]
        named[course_id] = Named(course_id, row["name"], row["code"])
        if row["id"] is not None:
            counts[course_id] += 1
            items[row["id"]] = row
    return Courses([*named.values()], counts, items)
