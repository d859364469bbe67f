"""Many items at once, inside a write that is under way (`accounts.writing`)."""

from collections.abc import Sequence
from uuid import UUID

from accounts.models import Member
from accounts.recording import Write
from courses.item_counts import add_to_count
from courses.models import Item
from courses.serializers import NewItem
from studyservice.database.ids import uuid7


def add_items(write: Write, member: Member, course_id: UUID, items: Sequence[NewItem]) -> list[UUID]:
    """New items of a course, all or none; gives their ids in order.

    Raises:
        NotFound: there is no such course of the member's.
        Conflict: the course would have more items than it may, or the member.
    """
    add_to_count(member, course_id, len(items))
    rows = [
        Item(id=uuid7(), member_id=member.id, course_id=course_id, created_at=write.now, updated_at=write.now, **item)
        for item in items
    ]
    Item.objects.bulk_create(rows)
    for row, item in zip(rows, items, strict=True):
        write.made(Item, row.id, row.title, {"course_id": course_id, **item})
    return [row.id for row in rows]
