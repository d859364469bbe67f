"""A member's dated items: reading and writing. `courses.item_pages` lists them."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Unpack, cast
from uuid import UUID

from django.utils import timezone

from accounts.changes.contents import Fields
from accounts.changes.deleting import delete_object, delete_rows, without_usual
from accounts.changes.recording import Write
from accounts.changes.writing import writing
from accounts.rows.access import Access
from courses.categories import require_categories
from courses.doubts import doubt_item, doubt_new_item
from courses.errors import NoSuchItem
from courses.item_counts import add_to_count, take_away_from_count, take_from_count
from courses.item_rows import ITEMS, LISTED, NOTE_IN_LISTS, SOONEST_FIRST, WHOLE, ReadItem, as_answered
from courses.models import Item
from courses.revisions import SHOWN_OF_ITEM, revision
from courses.searching import folded_item
from courses.serializers import ItemBody, ItemFields, ItemRow, NewItem, PlainItemBody
from studyservice.database.ahead import update_later
from studyservice.database.ids import uuid7
from studyservice.database.statements import Insert, Param, Select
from studyservice.operations.errors import ValidationFailed
from studyservice.operations.serializers import DeletedRow, deletion

NEXT_ITEMS = 5
"""Number of dated items in a course's detail (spec, Course)."""

_ONE = Select[ReadItem](ITEMS.filter(id=Param("item_id")), WHOLE)
_NEXT = Select[ReadItem](
    ITEMS.filter(course_id=Param("course_id"), due_on__gte=Param("today")).order_by(*SOONEST_FIRST)[:NEXT_ITEMS],
    LISTED,
)
_OF_COURSE = Select[ReadItem](ITEMS.filter(course_id=Param("course_id")).order_by(*SOONEST_FIRST), WHOLE)
_AHEAD = Select[ReadItem](ITEMS.filter(due_on__gte=Param("today")).order_by(*SOONEST_FIRST), LISTED)
_INSERT = Insert(Item)
_GRADED = (
    "A score names this item. Delete the score with delete_grade_score, change the category and add the score again; "
    "update_grade_score over REST moves both."
)
_NO_COLUMNS = frozenset({"course_name", "worth"})
"""Fields of a `ReadItem` that are not columns of the item."""
_ENDING = frozenset({"done", "due_on"})
"""Fields on which it depends whether the item is still to come, and so its worth."""


def get_item(access: Access, item_id: UUID) -> ItemRow:
    """The item.

    Raises:
        NotFound: the member has no such item.
    """
    today = access.today()
    item = _ONE.first(member_id=access.member.id, item_id=item_id, today=today)
    if item is None:
        raise NoSuchItem
    return as_answered([item], today)[0]


def next_items(access: Access, course_id: UUID) -> list[ItemRow]:
    """The course's next dated items from today on, soonest first, at most `NEXT_ITEMS`."""
    today = access.today()
    return as_answered(_NEXT.all(member_id=access.member.id, course_id=course_id, today=today), today)


def items_of(access: Access, course_id: UUID) -> list[ItemRow]:
    """All items of the course, soonest due first, undated last."""
    today = access.today()
    return as_answered(_OF_COURSE.all(member_id=access.member.id, course_id=course_id, today=today), today)


def items_ahead(access: Access) -> list[ItemRow]:
    """The items of all courses due from today on, soonest first."""
    today = access.today()
    return as_answered(_AHEAD.all(member_id=access.member.id, today=today), today)


def create_single_item(access: Access, course_id: UUID, **fields: Unpack[NewItem]) -> ItemRow:
    """Create one item. `courses.item_batches` creates several, or one with a quote.

    Raises:
        NotFound: the member has no such course.
        ValidationFailed: `category_id` is not a category of the course.
        Conflict: the course or the member has the maximum number of items.
    """
    today = access.today()
    with writing(access.member.id, "create_item") as write:
        course_name, term = add_to_count(access, course_id)
        category_id = fields.get("category_id")
        require_categories(access.member.id, course_id, {"category_id": category_id})
        item = new_row(write, course_id, course_name, fields, today)
        write.later(_INSERT, **_inserted(write, item))
        write.made(Item, item["id"], item["title"], _logged(item))
        if category_id is not None:
            write.flush()
            item = _ONE.first(member_id=access.member.id, item_id=item["id"], today=today) or item
    if item["due_on"] is not None:
        doubt_new_item(item["title"], item["due_on"], term, today)
    return as_answered([item], today)[0]


def new_row(write: Write, course_id: UUID, course_name: str, entry: NewItem, today: date) -> ReadItem:
    """The row of a new item, as a statement would read it. `worth` must be read separately if it has a category."""
    return {
        "id": uuid7(),
        "course_id": course_id,
        "course_name": course_name,
        "title": entry["title"],
        "kind": entry["kind"],
        "due_on": entry["due_on"],
        "category_id": entry.get("category_id"),
        "note": entry.get("note"),
        "done": False,
        "done_at": None,
        "worth": None,
        "created_at": write.now,
        "updated_at": write.now,
        "missable_from": today,
        "graded": False,
    }


def insert_rows(write: Write, rows: Sequence[ReadItem]) -> None:
    """Insert the rows in as few statements as possible. The caller counts them."""
    _INSERT.run_all([_inserted(write, row) for row in rows])
    for row in rows:
        write.made(Item, row["id"], row["title"], _logged(row))


def _inserted(write: Write, item: ReadItem) -> dict[str, Any]:
    """The columns of the new row."""
    row: dict[str, Any] = {name: value for name, value in item.items() if name not in _NO_COLUMNS}
    return row | folded_item(item) | {"member_id": write.member_id, "sequence": 0, "marked_at": None}


def _logged(item: ReadItem) -> dict[str, object]:
    """The fields of a new item in the log of changes."""
    values: Fields = item
    return without_usual(Item, {name: values[name] for name in ("course_id", *PlainItemBody.Meta.fields)})


def update_item(access: Access, item_id: UUID, **changes: Unpack[ItemFields]) -> ItemRow:
    """Change the given fields. Equal values leave the item unchanged.

    A note equal to the beginning of the stored one, as returned by lists, counts as not sent.

    Raises:
        NotFound: the member has no such item.
        ValidationFailed: `category_id` is not a category of the course, or the item has a score.
    """
    today = access.today()
    with writing(access.member.id, "update_item") as write:
        item = _ONE.first(member_id=access.member.id, item_id=item_id, today=today)
        if item is None:
            raise NoSuchItem
        if changes.get("note") and changes["note"] == (item["note"] or "")[:NOTE_IN_LISTS].strip():
            del changes["note"]
        if changes.get("category_id", item["category_id"]) != item["category_id"]:
            if item["graded"]:
                raise ValidationFailed.of("category_id", _GRADED)
            require_categories(access.member.id, item["course_id"], {"category_id": changes["category_id"]})
        different = _changed(write, item_id, item, changes)
        if "category_id" in different or (item["worth"] is not None and different.keys() & _ENDING):
            item = _ONE.first(member_id=access.member.id, item_id=item_id, today=today) or item
        elif different:
            item = cast("ReadItem", item | different | {"updated_at": write.now})
    if different.get("due_on") is not None:
        doubt_item(access, item_id)
    return as_answered([item], today)[0]


def _changed(write: Write, item_id: UUID, stored: Fields, changes: ItemFields) -> dict[str, object]:
    """Store those of `changes` that differ from `stored`, and return them."""
    after: dict[str, object] = dict(changes)
    if after.get("done", stored["done"]) != stored["done"]:
        after["done_at"] = timezone.now() if after["done"] else None
    different = write.differing(Item, item_id, str(stored["title"]), stored, after)
    if different:
        write.belongs(cast("UUID | None", stored.get("course_id")))
        searched = folded_item({**stored, **different}) if different.keys() & {"title", "note"} else {}
        update_later(
            Item.objects.filter(member_id=write.member_id, id=item_id),
            **different,
            **searched,
            **revision(different, SHOWN_OF_ITEM),
            updated_at=write.now,
        )
    return different


def delete_item(access: Access, item_id: UUID) -> DeletedRow:
    """Delete the item with its milestones.

    Raises:
        NotFound: the member has no such item.
    """
    with writing(access.member.id, "delete_item") as write:
        if not take_from_count(access.member.id, item_id):
            raise NoSuchItem
        delete_object(write, Item, item_id)
    return deletion(item_id)


def change_items(write: Write, course_id: UUID, changes: Sequence[tuple[UUID, ItemFields]]) -> int:
    """Change items of a course inside an open write. Return how many differed."""
    if not changes:
        return 0
    mine = Item.objects.filter(member_id=write.member_id, course_id=course_id)
    stored = {item["id"]: item for item in mine.values("id", *ItemBody.Meta.fields)}
    return sum(bool(_changed(write, item_id, stored[item_id], fields)) for item_id, fields in changes)


def delete_items(write: Write, course_id: UUID, ids: Sequence[UUID]) -> int:
    """Delete items of a course with their milestones inside an open write. Return their number."""
    if not ids:
        return 0
    rows = Item.objects.filter(member_id=write.member_id, course_id=course_id, id__in=ids)
    there = list(rows.values("id", "course_id", *ItemBody.Meta.fields))
    delete_rows(write, rows)
    take_away_from_count(write.member_id, course_id, len(there))
    for item in there:
        fields = {name: item[name] for name in item if name != "id"}
        write.deleted(Item, item["id"], item["title"], without_usual(Item, fields))
    return len(there)
