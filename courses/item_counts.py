"""The stored count of a course's items, updated with each insertion and deletion, and its limits.

Code that inserts or deletes items must report it here, inside `accounts.changes.writing`.
"""

from typing import NamedTuple
from uuid import UUID

from django.db.models import F, IntegerField, Subquery, Sum
from django.db.models.lookups import LessThanOrEqual

from accounts.members.limits import Limit
from accounts.rows.access import Access
from courses.errors import NoSuchCourse
from courses.models import Course, Item
from studyservice.database.ahead import update_later
from studyservice.database.limiting import WholeMember
from studyservice.database.statements import Param, Update
from studyservice.database.whole import Whole
from studyservice.operations.errors import Conflict

ITEMS_OF_COURSE = Limit(
    most=1000,
    what="items of a course",
    full="You have reached the limit of {most} items in this course. Delete one first.",
    per="course",
    counter="item_count",
)

ITEMS_OF_MEMBER = Limit(
    most=5000,
    what="items",
    full="You have reached the limit of {most} items in all courses together. Delete one first.",
)
"""Limits the size of get_agenda's answer."""

_MINE = Course.objects.filter(member_id=Param("member_id"))
_COUNTED = WholeMember("items of all courses count toward the limit")
_IN_ALL = Whole(
    Subquery(
        _MINE.order_by().values("member_id").annotate(in_all=Sum("item_count")).values("in_all"),
        output_field=IntegerField(),
    ),
    _COUNTED,
)
_ADD = Update(
    _MINE.filter(
        LessThanOrEqual(_IN_ALL, Param("in_all_before", IntegerField())),
        id=Param("course_id"),
        item_count__lte=Param("here_before", IntegerField()),
    ),
    {"item_count": F("item_count") + Param("more", IntegerField())},
    returning=("name", "term"),
)
"""The limits are in the condition, so a full course matches no row, even under concurrency."""


class CountedCourse(NamedTuple):
    """The course that receives items."""

    name: str
    term: str | None


def add_to_count(access: Access, course_id: UUID, more: int = 1) -> CountedCourse:
    """Count `more` items about to be added, and return their course. One statement.

    Raises:
        NotFound: the member has no such course.
        Conflict: the course or the member would have too many items.
    """
    counted = _ADD.returned(
        member_id=access.member.id,
        course_id=course_id,
        more=more,
        here_before=ITEMS_OF_COURSE.most - more,
        in_all_before=ITEMS_OF_MEMBER.most - more,
    )
    if counted is None:
        raise _refusal(access, course_id, more)
    return CountedCourse(*counted)


def _refusal(access: Access, course_id: UUID, more: int) -> NoSuchCourse | Conflict:
    """The error that explains why nothing was counted."""
    here = Course.objects.filter(member_id=access.member.id, id=course_id).values_list("item_count", flat=True).first()
    if here is None:
        return NoSuchCourse()
    limit = ITEMS_OF_COURSE if here + more > ITEMS_OF_COURSE.most else ITEMS_OF_MEMBER
    return limit.refusal(here, more)


def take_from_count(member_id: UUID, item_id: UUID) -> bool:
    """Decrement the count for an item about to be deleted. Return whether the item exists. One statement."""
    item = Item.objects.filter(member_id=member_id, id=item_id)
    course = Course.objects.filter(member_id=member_id, id__in=item.values("course_id"))
    return bool(course.update(item_count=F("item_count") - 1))


def take_away_from_count(member_id: UUID, course_id: UUID, less: int) -> None:
    """Decrement the count of the course by `less` items about to be deleted."""
    update_later(Course.objects.filter(member_id=member_id, id=course_id), item_count=F("item_count") - less)
