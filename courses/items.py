"""A member's dated items. `courses.item_pages` lists them, and `courses.item_batches` creates them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Unpack, cast
from uuid import UUID

from django.utils import timezone

from courses.doubts import doubt_items
from courses.errors import NoSuchItem
from courses.item_batches import require_categories
from courses.item_rows import (
    ITEMS,
    ITEMS_OF_OPEN_COURSES,
    LISTED,
    NOTE_IN_LISTS,
    SOONEST_FIRST,
    ReadItem,
    as_answered,
)
from courses.models import Item
from courses.serializers import NEEDS_DATE, ChangedItemRow, ItemBody, ItemEntryFields, ItemFields, ItemRow
from studyservice.changes.contents import Fields
from studyservice.database.statements import Param
from studyservice.operations.errors import Detail, ValidationFailed
from studyservice.operations.serializers import DeletedRow, deletion
from studyservice.rows.access import Access, MemberSelect, as_array, change
from studyservice.rows.rows import OneOf, Row

NEXT_ITEMS = 5
"""Number of dated items in a course's detail (spec, Course)."""

_ONE = MemberSelect(ITEMS.filter(id=Param("item_id")), ReadItem)
_SEVERAL = MemberSelect(ITEMS.filter(OneOf("id", "ids")), ReadItem)
_NEXT = MemberSelect[ReadItem](
    ITEMS.filter(course_id=Param("course_id"), due_on__gte=Param("today")).order_by(*SOONEST_FIRST)[:NEXT_ITEMS],
    LISTED,
)
_OF_COURSE = MemberSelect(ITEMS.filter(course_id=Param("course_id")).order_by(*SOONEST_FIRST), ReadItem)
_AHEAD = MemberSelect[ReadItem](
    ITEMS_OF_OPEN_COURSES.filter(due_on__gte=Param("today")).order_by(*SOONEST_FIRST), LISTED
)
_GRADED = (
    "A score names this item. Delete the score with delete_grade_score, change the category and add the score again; "
    "update_grade_score over REST moves both."
)
_TWICE = "This call names the item twice. Send one entry for each item."
_ENDING = frozenset({"done", "due_on"})
"""Fields on which it depends whether the item is still to come, and so its worth."""


def get_item(access: Access, item_id: UUID) -> ItemRow:
    """The item.

    Raises:
        NotFound: the call sees no such item.
    """
    today = access.today()
    return as_answered([_ONE.get(NoSuchItem, access, item_id=item_id, today=today)], today)[0]


def next_items(access: Access, course_id: UUID) -> list[ItemRow]:
    """The course's next dated items from today on, soonest first, at most `NEXT_ITEMS`."""
    today = access.today()
    return as_answered(_NEXT.all(access, course_id=course_id, today=today), today)


def items_of(access: Access, course_id: UUID) -> list[ItemRow]:
    """All items of the course, soonest due first, undated last."""
    today = access.today()
    return as_answered(_OF_COURSE.all(access, course_id=course_id, today=today), today)


def items_ahead(access: Access) -> list[ItemRow]:
    """The items of courses that have not ended due from today on, soonest first."""
    today = access.today()
    return as_answered(_AHEAD.all(access, today=today), today)


class _Wanted(NamedTuple):
    """The changes of one item in a call.

    Attributes:
        place: the path of its fields in the request, empty or like `more[2].`.
    """

    place: str
    item_id: UUID
    changes: ItemFields


def update_item(
    access: Access, item_id: UUID, *, more: list[ItemEntryFields] | None = None, **changes: Unpack[ItemFields]
) -> ChangedItemRow:
    """Change the given fields of the item and of the items in `more`, or none of them. Equal values change nothing.

    A note equal to the beginning of the stored one, as returned by lists, counts as not sent.

    Raises:
        NotFound: the call sees no such item.
        ValidationFailed: an entry of `more` names an item that the call does not see or that was named before, or a
            `category_id` is not a category of its item's course, or that item has a score, or a new `due_time` would be
            without a date.
    """
    wanted = [_Wanted("", item_id, changes), *_entries(more or ())]
    with change(access, "update_item"):
        stored = _stored(access, [one.item_id for one in wanted])
        if item_id not in stored:
            raise NoSuchItem
        _require_items(wanted, stored)
        _drop_shortened_notes(wanted, stored)
        _require_dates(wanted, stored)
        _require_categories(access, wanted, stored)
        different = _update(access, wanted, stored)
        if any(_moves_worths(stored[id_], fields) for id_, fields in different.items()):
            stored = _stored(access, stored)
        else:
            for id_, fields in different.items():
                if fields:
                    stored[id_] = cast("ReadItem", stored[id_] | fields | {"updated_at": access.now})
    doubt_items(access, [id_ for id_, fields in different.items() if fields.get("due_on") is not None])
    items = as_answered([stored[one.item_id] for one in wanted], access.today())
    first = cast("ChangedItemRow", items[0])
    return {**first, "items": items} if more else first


def _entries(more: Iterable[ItemEntryFields]) -> Iterable[_Wanted]:
    for index, entry in enumerate(more):
        changes = cast("ItemFields", {name: value for name, value in entry.items() if name != "item_id"})
        yield _Wanted(f"more[{index}].", entry["item_id"], changes)


def _stored(access: Access, ids: Iterable[UUID]) -> dict[UUID, ReadItem]:
    """Those of the items that the call sees. One query."""
    rows = _SEVERAL.all(access, ids=as_array(ids), today=access.today())
    return {row["id"]: row for row in rows}


def _require_items(wanted: Sequence[_Wanted], stored: Mapping[UUID, ReadItem]) -> None:
    """Reject items that do not exist, and those named twice."""
    details: list[Detail] = []
    named: set[UUID] = set()
    for one in wanted:
        if one.item_id not in stored or one.item_id in named:
            message = _TWICE if one.item_id in stored else NoSuchItem.default_message
            details.append({"field": f"{one.place}item_id", "message": message})
        named.add(one.item_id)
    if details:
        raise ValidationFailed(details)


def _drop_shortened_notes(wanted: Iterable[_Wanted], stored: Mapping[UUID, ReadItem]) -> None:
    """Drop notes that are the beginning of the stored one, as lists return it."""
    for one in wanted:
        note = stored[one.item_id]["note"] or ""
        if one.changes.get("note") and one.changes["note"] == note[:NOTE_IN_LISTS].strip():
            del one.changes["note"]


def _require_dates(wanted: Iterable[_Wanted], stored: Mapping[UUID, ReadItem]) -> None:
    """Reject new times without a date."""
    details: list[Detail] = [
        {"field": f"{one.place}due_time", "message": NEEDS_DATE}
        for one in wanted
        if one.changes.get("due_time") not in {None, stored[one.item_id]["due_time"]}
        and one.changes.get("due_on", stored[one.item_id]["due_on"]) is None
    ]
    if details:
        raise ValidationFailed(details)


def _require_categories(access: Access, wanted: Iterable[_Wanted], stored: Mapping[UUID, ReadItem]) -> None:
    """Reject categories of other courses, and another category for a graded item. One query, if any changes."""
    graded: list[Detail] = []
    named: dict[str, tuple[UUID, UUID | None]] = {}
    for one in wanted:
        item, field = stored[one.item_id], f"{one.place}category_id"
        category_id = one.changes.get("category_id", item["category_id"])
        if category_id != item["category_id"] and item["graded"]:
            graded.append({"field": field, "message": _GRADED})
        elif category_id != item["category_id"]:
            named[field] = (item["course_id"], category_id)
    if graded:
        raise ValidationFailed(graded)
    require_categories(access, named)


def _update(access: Access, wanted: Iterable[_Wanted], stored: Mapping[UUID, ReadItem]) -> dict[UUID, Row]:
    """Store the changes. Return those of each item that differ."""
    rows: dict[UUID, Row] = {one.item_id: {**stored[one.item_id]} for one in wanted}
    done = {one.item_id: one.changes["done"] for one in wanted if "done" in one.changes}
    toggled = [id_ for id_, is_done in done.items() if is_done != rows[id_]["done"]]
    if toggled and not access.limits.grades:  # a graded item only looks done
        for row in Item.rows.of(access.whole).all("done", "done_at", id__in=toggled):
            rows[row["id"]] |= row
    of_call = Item.rows.of(access)
    return {one.item_id: of_call.update(rows[one.item_id], _columns(rows[one.item_id], one.changes)) for one in wanted}


def _moves_worths(item: ReadItem, different: Row) -> bool:
    """Return whether the worth of items may have changed with these fields of one."""
    return "category_id" in different or (item["worth"] is not None and bool(different.keys() & _ENDING))


def _columns(stored: Fields, changes: ItemFields) -> Row:
    """The columns to change. An item without a date has no time."""
    columns: Row = {**changes}
    if columns.get("due_on", stored["due_on"]) is None:
        columns["due_time"] = None
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
