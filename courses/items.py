"""A member's dated items: reading and writing; `courses.item_pages` lists them."""

from datetime import date
from typing import TypedDict, Unpack, cast
from uuid import UUID

from django.db.models import F, OuterRef

from accounts.models import Member
from accounts.writing import writing
from courses.errors import NoSuchCourse, NoSuchItem
from courses.models import Course, Item
from courses.serializers import ItemColumns, ItemFields, ItemRecord, ItemRow
from studyservice.database.ids import uuid7
from studyservice.database.statements import Insert, Param, Select, aggregated
from studyservice.operations.errors import Conflict
from studyservice.operations.serializers import DeletedRow, deletion

MAX_ITEMS = 1000
"""Items per course."""

MAX_ITEMS_OF_MEMBER = 5000
"""Items per member, over all courses; it bounds what get_agenda can answer."""

NEXT_ITEMS = 5
"""Dated items in a course's detail (spec, Course)."""

SOONEST_FIRST = (F("due_on").asc(nulls_last=True), "created_at", "id")

ITEMS = Item.objects.filter(member_id=Param("member_id"))
"""The member's items, for this module and the pages."""


class _CourseOfNewItem(TypedDict):
    name: str
    here: int
    in_all: int


_ONE = Select[ItemColumns](ITEMS.filter(id=Param("item_id")), ItemRecord)
_NEXT = Select[ItemColumns](
    ITEMS.filter(course_id=Param("course_id"), due_on__gte=Param("today")).order_by(*SOONEST_FIRST)[:NEXT_ITEMS],
    ItemRecord,
)
_DUE = Select[ItemColumns](
    ITEMS.filter(due_on__gte=Param("today"), due_on__lte=Param("until")).order_by(*SOONEST_FIRST),
    ItemRecord,
)
_COURSE = Select[_CourseOfNewItem](
    Course.objects.filter(member_id=Param("member_id"), id=Param("course_id")).annotate(
        items_here=aggregated(Item.objects.filter(course_id=OuterRef("id")), "COUNT", "course_id"),
        items_in_all=aggregated(ITEMS, "COUNT", "created_at"),
    ),
    {"name": "name", "here": "items_here", "in_all": "items_in_all"},
)
_INSERT = Insert(Item)


def with_days_until(items: list[ItemColumns], today: date) -> list[ItemRow]:
    """`items` themselves, each with `days_until`."""
    rows = cast("list[ItemRow]", items)
    for row in rows:
        due_on = row["due_on"]
        row["days_until"] = None if due_on is None else (due_on - today).days
    return rows


def get_item(member: Member, item_id: UUID) -> ItemRow:
    """The item.

    Raises:
        NotFound: there is no such item of the member's.
    """
    item = _ONE.first(member_id=member.id, item_id=item_id)
    if item is None:
        raise NoSuchItem
    return with_days_until([item], member.today())[0]


def next_items(member: Member, course_id: UUID) -> list[ItemRow]:
    """The course's next dated items from today on, soonest first, at most `NEXT_ITEMS`."""
    today = member.today()
    return with_days_until(_NEXT.all(member_id=member.id, course_id=course_id, today=today), today)


def items_due(member: Member, today: date, until: date) -> list[ItemRow]:
    """The items due from `today` to `until`, both included, soonest first."""
    return with_days_until(_DUE.all(member_id=member.id, today=today, until=until), today)


def create_item(member: Member, course_id: UUID, *, title: str, kind: str, due_on: date | None = None) -> ItemRow:
    """A new item of the course.

    Raises:
        NotFound: there is no such course of the member's.
        Conflict: the course has `MAX_ITEMS` items, or the member `MAX_ITEMS_OF_MEMBER`.
    """
    with writing(member.id) as now:
        course = _COURSE.first(member_id=member.id, course_id=course_id)
        if course is None:
            raise NoSuchCourse
        if course["here"] >= MAX_ITEMS:
            raise Conflict(f"There are {MAX_ITEMS} items in this course, the most there can be. Delete one first.")
        if course["in_all"] >= MAX_ITEMS_OF_MEMBER:
            raise Conflict(
                f"There are {MAX_ITEMS_OF_MEMBER} items in all courses together, the most there can be. "
                "Delete one first."
            )
        item_id = uuid7()
        _INSERT.run(
            id=item_id,
            member_id=member.id,
            course_id=course_id,
            title=title,
            kind=kind,
            due_on=due_on,
            created_at=now,
            updated_at=now,
        )
    item: ItemColumns = {
        "id": item_id,
        "course_id": course_id,
        "course_name": course["name"],
        "title": title,
        "kind": kind,
        "due_on": due_on,
        "created_at": now,
        "updated_at": now,
    }
    return with_days_until([item], member.today())[0]


def update_item(member: Member, item_id: UUID, **changes: Unpack[ItemFields]) -> ItemRow:
    """Change the fields given.

    Raises:
        NotFound: there is no such item of the member's.
    """
    with writing(member.id) as now:
        if changes:
            Item.objects.filter(member_id=member.id, id=item_id).update(**changes, updated_at=now)
        return get_item(member, item_id)


def delete_item(member: Member, item_id: UUID) -> DeletedRow:
    """Remove the item with its milestones.

    Raises:
        NotFound: there is no such item of the member's.
    """
    with writing(member.id):
        item = Item.objects.only("id").filter(member_id=member.id, id=item_id).first()
        if item is None:
            raise NoSuchItem
        item.delete()
    return deletion(item_id)
