"""Several new items in one call, with the lines of the syllabus that they come from."""

from collections.abc import Sequence
from datetime import date
from typing import TypedDict, Unpack, cast
from uuid import UUID

from django.db.models import Q

from accounts.changes.contents import Fields
from accounts.changes.recording import Write
from accounts.changes.writing import writing
from accounts.models import Member
from courses.entry_serializers import CreatedItemRow, EnteredItemRow, EntryFields
from courses.errors import NoSuchCourse
from courses.item_counts import add_to_count
from courses.items import create_single_item, with_days_until
from courses.models import Course, Item
from courses.serializers import ItemBody, ItemColumns, NewItem
from courses.syllabi.comparison import Stored
from courses.verification import verify
from studyservice.database.ids import uuid7
from studyservice.database.statements import Param, Select


class _About(TypedDict):
    name: str
    term: str
    syllabus_text: str | None


_ABOUT = Select[_About](
    Course.objects.filter(member_id=Param("member_id"), id=Param("course_id")).order_by(),
    {name: name for name in _About.__annotations__},
)


def create_item(
    member: Member,
    course_id: UUID,
    *,
    more: list[EntryFields] | None = None,
    if_exists: str = "create",
    **entry: Unpack[EntryFields],
) -> tuple[CreatedItemRow, bool]:
    """Create all of the items or none; returns the first with the others, and true if any was created.

    With `if_exists` "skip", an item of the course with the same title (trimmed, case-folded) and date is returned
    instead of created. Of two such entries in one call the second returns the first.

    Raises:
        NotFound: there is no such course of the member's.
        Conflict: the course would have too many items, or the member.
    """
    quote = entry.get("quote")
    if quote is None and more is None and if_exists == "create":
        return cast("CreatedItemRow", create_single_item(member, course_id, **new_item(entry))), True
    entries = [entry, *(more or ())]
    with writing(member.id, "create_item") as write:
        about = _ABOUT.first(member_id=member.id, course_id=course_id)
        if about is None:
            raise NoSuchCourse
        there = _with_these_dates(member, course_id, about["name"], entries)
        rows = [new_row(write, course_id, about["name"], entry) for entry in entries]
        new = rows
        if if_exists == "skip":
            rows, new = _known_or_new(rows, there)
        if new:
            add_to_count(member, course_id, len(new))
            insert_rows(write, new)
    today = member.today()
    made = {row["id"] for row in new}
    items = answered(rows, today)
    if if_exists == "skip":
        for item in items:
            item["existing"] = item["id"] not in made
            made.discard(item["id"])  # the next one with this id is not made, but answered
    if quote is None and more is None:
        return cast("CreatedItemRow", items[0]), bool(new)
    stored = [Stored(row["id"], row["title"], row["due_on"], row["kind"]) for row in there]
    warnings = verify(items, entries, text=about["syllabus_text"], term=about["term"], today=today, stored=stored)
    first = cast("CreatedItemRow", {**items[0], "warnings": warnings})
    if more is not None:
        first["items"] = items
    return first, bool(new)


def add_items(write: Write, member: Member, course_id: UUID, items: Sequence[NewItem]) -> list[UUID]:
    """Create all of the items or none, inside an open write; returns their ids in order.

    Raises:
        NotFound: there is no such course of the member's.
        Conflict: the course would have more items than it may, or the member.
    """
    course_name = add_to_count(member, course_id, len(items))
    rows = [new_row(write, course_id, course_name, item) for item in items]
    insert_rows(write, rows)
    return [row["id"] for row in rows]


def new_item(entry: NewItem) -> NewItem:
    """The columns of an entry, without its quote."""
    values: Fields = entry
    return cast("NewItem", {name: values[name] for name in ItemBody.Meta.fields})


def new_row(write: Write, course_id: UUID, course_name: str, entry: NewItem) -> ItemColumns:
    """The row of the item that `entry` describes."""
    return {
        "id": uuid7(),
        "course_id": course_id,
        "course_name": course_name,
        **new_item(entry),
        "created_at": write.now,
        "updated_at": write.now,
    }


def insert_rows(write: Write, rows: Sequence[ItemColumns]) -> None:
    """Insert the rows in as few statements as the database takes. The caller counts them."""
    Item.objects.bulk_create(
        Item(member_id=write.member_id, **{name: value for name, value in row.items() if name != "course_name"})
        for row in rows
    )
    for row in rows:
        write.made(Item, row["id"], row["title"], {"course_id": row["course_id"], **new_item(row)})


def answered(rows: Sequence[ItemColumns], today: date) -> list[EnteredItemRow]:
    """A record for each of `rows`, of which one can be there twice."""
    copies = cast("list[ItemColumns]", [dict(row) for row in rows])
    return cast("list[EnteredItemRow]", with_days_until(copies, today))


def _with_these_dates(
    member: Member, course_id: UUID, course_name: str, entries: Sequence[EntryFields]
) -> list[ItemColumns]:
    """The items of the course on the dates of `entries`, and the undated ones if one of them is; oldest first."""
    dates = {entry["due_on"] for entry in entries}
    on_a_day = Q(due_on__in=[day for day in dates if day is not None])
    found = Item.objects.filter(
        on_a_day | Q(due_on__isnull=True) if None in dates else on_a_day, member_id=member.id, course_id=course_id
    )
    names = [name for name in ItemColumns.__annotations__ if name != "course_name"]
    rows = [{**row, "course_name": course_name} for row in found.order_by("created_at", "id").values(*names)]
    return cast("list[ItemColumns]", rows)


def _known_or_new(
    rows: Sequence[ItemColumns], there: Sequence[ItemColumns]
) -> tuple[list[ItemColumns], list[ItemColumns]]:
    """For each row the first equal one, preferring those `there`; and the `rows` to insert."""
    known: dict[tuple[str, date | None], ItemColumns] = {}
    for row in there:
        known.setdefault(_key(row), row)
    new = [row for row in rows if known.setdefault(_key(row), row) is row]
    return [known[_key(row)] for row in rows], new


def _key(row: ItemColumns) -> tuple[str, date | None]:
    """The key by which two items are the same: the title, case-folded, and the date."""
    return row["title"].strip().casefold(), row["due_on"]
