"""The limits on the number of items, counted when some are added."""

from typing import TypedDict
from uuid import UUID

from django.db.models import OuterRef

from accounts.members.limits import Limit
from accounts.rows.access import Access
from accounts.rows.reading import MemberSelect
from courses.errors import NoSuchCourse
from courses.models import Course, Item
from studyservice.database.statements import Param, aggregated

ITEMS_OF_COURSE = Limit(
    most=1000,
    what="items of a course",
    full="You have reached the limit of {most} items in this course. Delete one first.",
    per="course",
)

ITEMS_OF_MEMBER = Limit(
    most=5000,
    what="items",
    full="You have reached the limit of {most} items in all courses together. Delete one first.",
)
"""Limits the size of get_agenda's answer."""


class CourseForItems(TypedDict):
    """The course that receives items, and the number of items in it and in all courses."""

    name: str
    term: str
    here: int
    in_all: int


_FOR_ITEMS = MemberSelect[CourseForItems](
    Course.rows.declared.filter(id=Param("course_id"))
    .annotate(
        here=aggregated(Item.rows.whole.filter(course_id=OuterRef("id")), "COUNT", "course_id"),
        in_all=aggregated(Item.rows.whole, "COUNT", "member_id"),
    )
    .order_by(),
    {name: name for name in CourseForItems.__annotations__},
)


def course_for_items(access: Access, course_id: UUID) -> CourseForItems:
    """The course, for `require_room_for_items`. One query, under the member's lock.

    Raises:
        NotFound: the call sees no such course.
    """
    return _FOR_ITEMS.get(NoSuchCourse, access, course_id=course_id)


def require_room_for_items(course: CourseForItems, more: int) -> None:
    """Raise Conflict unless the course and the member can have `more` items."""
    ITEMS_OF_COURSE.require(course["here"], more)
    ITEMS_OF_MEMBER.require(course["in_all"], more)
