"""A member's dated items: reading and writing; `courses.item_pages` lists them."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Unpack, cast
from uuid import UUID

from django.db.models import F

from accounts.changes.deleting import delete_object, delete_rows
from accounts.changes.recording import Write
from accounts.changes.writing import writing
from accounts.models import Member
from courses.errors import NoSuchItem
from courses.item_counts import add_to_count, take_away_from_count, take_from_count
from courses.models import Item
from courses.revisions import revision
from courses.serializers import ItemColumns, ItemFields, ItemRecord, ItemRow, NewItem
from studyservice.database.ids import uuid7
from studyservice.database.statements import Insert, Param, Select
from studyservice.operations.serializers import DeletedRow, deletion

NEXT_ITEMS = 5
"""Dated items in a course's detail (spec, Course)."""

SOONEST_FIRST = (F("due_on").asc(nulls_last=True), "created_at", "id")

ITEMS = Item.objects.filter(member_id=Param("member_id"), course__member_id=F("member_id"))
"""The member's items with their courses, for this module and the pages.

The course has the member of the item, rather than the one that is asked for: no plan begins with courses and then sorts
what they have.
"""

DUE = ITEMS.filter(due_on__gte=Param("today"), due_on__lte=Param("until")).order_by(*SOONEST_FIRST)
"""Those due from `today` to `until`, both included, soonest first."""

_ONE = Select[ItemColumns](ITEMS.filter(id=Param("item_id")), ItemRecord)
_NEXT = Select[ItemColumns](
    ITEMS.filter(course_id=Param("course_id"), due_on__gte=Param("today")).order_by(*SOONEST_FIRST)[:NEXT_ITEMS],
    ItemRecord,
)
_OF_COURSE = Select[ItemColumns](ITEMS.filter(course_id=Param("course_id")).order_by(*SOONEST_FIRST), ItemRecord)
_AHEAD = Select[ItemColumns](ITEMS.filter(due_on__gte=Param("today")).order_by(*SOONEST_FIRST), ItemRecord)
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


def items_of(member: Member, course_id: UUID) -> list[ItemRow]:
    """All items of the course, soonest due first, undated last."""
    return with_days_until(_OF_COURSE.all(member_id=member.id, course_id=course_id), member.today())


def items_ahead(member: Member) -> list[ItemRow]:
    """The items of all courses due from today on, soonest first."""
    today = member.today()
    return with_days_until(_AHEAD.all(member_id=member.id, today=today), today)


def course_ids(member: Member, item_ids: Iterable[UUID]) -> dict[UUID, UUID]:
    """The course of each of these items of the member's."""
    found = Item.objects.filter(member_id=member.id, id__in=set(item_ids))
    return dict(found.values_list("id", "course_id"))


def create_single_item(member: Member, course_id: UUID, **fields: Unpack[NewItem]) -> ItemRow:
    """Create one item; `courses.item_batches` creates several, or one with a quote.

    Raises:
        NotFound: there is no such course of the member's.
        Conflict: the course, or the member, has as many items as there can be.
    """
    with writing(member.id, "create_item") as write:
        course_name = add_to_count(member, course_id)
        item_id = uuid7()
        write.later(
            _INSERT,
            id=item_id,
            member_id=member.id,
            course_id=course_id,
            **fields,
            sequence=0,
            created_at=write.now,
            updated_at=write.now,
        )
        write.made(Item, item_id, fields["title"], {"course_id": course_id, **fields})
    item: ItemColumns = {
        "id": item_id,
        "course_id": course_id,
        "course_name": course_name,
        **fields,
        "created_at": write.now,
        "updated_at": write.now,
    }
    return with_days_until([item], member.today())[0]


def update_item(member: Member, item_id: UUID, **changes: Unpack[ItemFields]) -> ItemRow:
    """Change the fields given. Equal values leave the item untouched.

    Raises:
        NotFound: there is no such item of the member's.
    """
    with writing(member.id, "update_item") as write:
        item = _ONE.first(member_id=member.id, item_id=item_id)
        if item is None:
            raise NoSuchItem
        if different := write.differing(Item, item_id, item["title"], item, changes):
            Item.objects.filter(member_id=member.id, id=item_id).update(
                **different, **revision(different), updated_at=write.now
            )
            item = cast("ItemColumns", item | different | {"updated_at": write.now})
    return with_days_until([item], member.today())[0]


def delete_item(member: Member, item_id: UUID) -> DeletedRow:
    """Remove the item with its milestones.

    Raises:
        NotFound: there is no such item of the member's.
    """
    with writing(member.id, "delete_item") as write:
        if not take_from_count(member.id, item_id):
            raise NoSuchItem
        delete_object(write, Item, item_id)
    return deletion(item_id)


def change_items(write: Write, course_id: UUID, changes: Sequence[tuple[UUID, ItemFields]]) -> int:
    """Change items of a course inside an open write; returns how many differed."""
    if not changes:
        return 0
    mine = Item.objects.filter(member_id=write.member_id, course_id=course_id)
    stored = {item["id"]: item for item in mine.values("id", *NewItem.__annotations__)}
    changed = 0
    for item_id, fields in changes:
        before = stored[item_id]
        if different := write.differing(Item, item_id, before["title"], before, fields):
            mine.filter(id=item_id).update(**different, **revision(different), updated_at=write.now)
            changed += 1
    return changed


def delete_items(write: Write, course_id: UUID, ids: Sequence[UUID]) -> int:
    """Remove items of a course with their milestones inside an open write; returns how many there were."""
    if not ids:
        return 0
    rows = Item.objects.filter(member_id=write.member_id, course_id=course_id, id__in=ids)
    there = list(rows.values("id", "course_id", *NewItem.__annotations__))
    delete_rows(write, rows)
    take_away_from_count(write.member_id, course_id, len(there))
    for item in there:
        write.deleted(Item, item["id"], item["title"], {name: item[name] for name in item if name != "id"})
    return len(there)
