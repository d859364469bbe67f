"""A member's dated items. `courses.item_pages` lists them, and `courses.item_batches` creates them."""

from collections.abc import Sequence
from typing import Unpack, cast
from uuid import UUID

from django.utils import timezone

from courses.doubts import doubt_item
from courses.errors import NoSuchItem
from courses.item_batches import require_categories
from courses.item_rows import ITEMS, LISTED, NOTE_IN_LISTS, SOONEST_FIRST, ReadItem, as_answered
from courses.models import Item
from courses.serializers import ItemBody, ItemFields, ItemRow
from studyservice.changes.contents import Fields
from studyservice.database.statements import Param
from studyservice.operations.errors import ValidationFailed
from studyservice.operations.serializers import DeletedRow, deletion
from studyservice.rows.access import Access, MemberSelect, change
from studyservice.rows.rows import Row

NEXT_ITEMS = 5
"""Number of dated items in a course's detail (spec, Course)."""

_ONE = MemberSelect(ITEMS.filter(id=Param("item_id")), ReadItem)
_NEXT = MemberSelect[ReadItem](
    ITEMS.filter(course_id=Param("course_id"), due_on__gte=Param("today")).order_by(*SOONEST_FIRST)[:NEXT_ITEMS],
    LISTED,
)
_OF_COURSE = MemberSelect(ITEMS.filter(course_id=Param("course_id")).order_by(*SOONEST_FIRST), ReadItem)
_AHEAD = MemberSelect[ReadItem](ITEMS.filter(due_on__gte=Param("today")).order_by(*SOONEST_FIRST), LISTED)
_GRADED = (
    "A score names this item. Delete the score with delete_grade_score, change the category and add the score again; "
    "update_grade_score over REST moves both."
)
_ENDING = frozenset({"done", "due_on"})
"""Fields on which it depends whether the item is still to come, and so its worth."""


def get_item(access: Access, item_id: UUID) -> ItemRow:
    """The item.

    Raises:
        NotFound: the call sees no such item.
    """
    return as_answered([_read(access, item_id)], access.today())[0]


def _read(access: Access, item_id: UUID) -> ReadItem:
    return _ONE.get(NoSuchItem, access, item_id=item_id, today=access.today())


def next_items(access: Access, course_id: UUID) -> list[ItemRow]:
    """The course's next dated items from today on, soonest first, at most `NEXT_ITEMS`."""
    today = access.today()
    return as_answered(_NEXT.all(access, course_id=course_id, today=today), today)


def items_of(access: Access, course_id: UUID) -> list[ItemRow]:
    """All items of the course, soonest due first, undated last."""
    today = access.today()
    return as_answered(_OF_COURSE.all(access, course_id=course_id, today=today), today)


def items_ahead(access: Access) -> list[ItemRow]:
    """The items of all courses due from today on, soonest first."""
    today = access.today()
    return as_answered(_AHEAD.all(access, today=today), today)


def update_item(access: Access, item_id: UUID, **changes: Unpack[ItemFields]) -> ItemRow:
    """Change the given fields. Equal values leave the item unchanged.

    A note equal to the beginning of the stored one, as returned by lists, counts as not sent.

    Raises:
        NotFound: the call sees no such item.
        ValidationFailed: `category_id` is not a category of the course, or the item has a score.
    """
    with change(access, "update_item"):
        item = _read(access, item_id)
        if changes.get("note") and changes["note"] == (item["note"] or "")[:NOTE_IN_LISTS].strip():
            del changes["note"]
        if changes.get("category_id", item["category_id"]) != item["category_id"]:
            if item["graded"]:
                raise ValidationFailed.of("category_id", _GRADED)
            require_categories(access, item["course_id"], {"category_id": changes["category_id"]})
        stored: Row = {**item}
        is_toggled = changes.get("done", item["done"]) != item["done"]
        if is_toggled and not access.limits.grades:  # a graded item only looks done
            stored |= Item.rows.of(access.whole).get(NoSuchItem, "done", "done_at", id=item_id)
        different = Item.rows.of(access).update(stored, _columns(stored, changes))
        if "category_id" in different or (item["worth"] is not None and different.keys() & _ENDING):
            item = _read(access, item_id)
        elif different:
            item = cast("ReadItem", item | different | {"updated_at": access.now})
    if different.get("due_on") is not None:
        doubt_item(access, item_id)
    return as_answered([item], access.today())[0]


def _columns(stored: Fields, changes: ItemFields) -> Row:
    """The columns to change."""
    columns: Row = {**changes}
    if columns.get("done", stored["done"]) != stored["done"]:
        columns["done_at"] = timezone.now() if columns["done"] else None
    return columns


def delete_item(access: Access, item_id: UUID) -> DeletedRow:
    """Delete the item with its milestones.

    Raises:
        NotFound: the call sees no such item.
    """
    with change(access, "delete_item"):
        if not Item.rows.of(access).delete(item_id):
            raise NoSuchItem
    return deletion(item_id)


def change_items(access: Access, course_id: UUID, changes: Sequence[tuple[UUID, ItemFields]]) -> int:
    """Change items of a course inside an open change. Return how many differed."""
    if not changes:
        return 0
    rows = Item.rows.of(access)
    stored = {item["id"]: item for item in rows.all(*ItemBody.Meta.fields, "done_at", course_id=course_id)}
    pairs = ((stored[item_id], _columns(stored[item_id], fields)) for item_id, fields in changes)
    return rows.update_each(pairs, stamped=True)


def delete_items(access: Access, course_id: UUID, ids: Sequence[UUID]) -> int:
    """Delete items of a course with their milestones inside an open change. Return their number."""
    rows = Item.rows.of(access)
    return len(rows.delete_found(rows.all(course_id=course_id, id__in=ids))) if ids else 0
