"""Create several items in one call, with their syllabus lines."""

from collections.abc import Sequence
from datetime import date
from typing import TypedDict, Unpack, cast
from uuid import UUID

from django.db.models import Q, QuerySet

from accounts.changes.recording import Write
from accounts.changes.writing import writing
from accounts.models import Member
from accounts.rows.access import Access
from courses.categories import require_categories
from courses.entry_serializers import CreatedItemRow, EnteredItemRow, EntryFields
from courses.errors import NoSuchCourse
from courses.item_counts import add_to_count
from courses.item_rows import ReadItem, as_answered, read
from courses.items import create_single_item, insert_rows, new_row
from courses.models import Course, Item
from courses.serializers import NewItem
from courses.syllabi.comparison import Stored
from courses.verification import verify
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
    access: Access,
    course_id: UUID,
    *,
    more: list[EntryFields] | None = None,
    if_exists: str = "create",
    **entry: Unpack[EntryFields],
) -> tuple[CreatedItemRow, bool]:
    """Create all of the items or none. Return the first with the others, and whether any was created.

    With `if_exists` "skip", an existing item of the course with the same title (trimmed, case-folded) and date is
    returned in place of a new one. Of two such entries in one call, the second returns the item of the first.

    Raises:
        NotFound: the member has no such course.
        ValidationFailed: a `category_id` is not a category of the course.
        Conflict: the course or the member would have too many items.
    """
    quote = entry.get("quote")
    if quote is None and more is None and if_exists == "create":
        return cast("CreatedItemRow", create_single_item(access, course_id, **_as_item(entry))), True
    entries = [entry, *(more or ())]
    today = access.today()
    with writing(access.member.id, "create_item") as write:
        about = _ABOUT.first(member_id=access.member.id, course_id=course_id)
        if about is None:
            raise NoSuchCourse
        require_categories(access.member.id, course_id, _category_ids(entries))
        there = _with_these_dates(access, course_id, entries, today)
        rows: Sequence[ReadItem] = [new_row(write, course_id, about["name"], entry, today) for entry in entries]
        new = rows
        if if_exists == "skip":
            rows, new = _known_or_new(rows, there)
        if new:
            add_to_count(access, course_id, len(new))
            insert_rows(write, new)
            rows = with_worths(access, course_id, rows, today)
    made = {row["id"] for row in new}
    items = answered(rows, today)
    if if_exists == "skip":
        for item in items:
            item["existing"] = item["id"] not in made
            made.discard(item["id"])  # further rows with this id were not created
    if quote is None and more is None:
        return cast("CreatedItemRow", items[0]), bool(new)
    stored = [Stored(row["id"], row["title"], row["due_on"], row["kind"]) for row in there]
    warnings = verify(items, entries, text=about["syllabus_text"], term=about["term"], today=today, stored=stored)
    first = cast("CreatedItemRow", {**items[0], "warnings": warnings})
    if more is not None:
        first["items"] = items
    return first, bool(new)


def add_items(write: Write, member: Member, course_id: UUID, items: Sequence[NewItem]) -> list[UUID]:
    """Create all of the items or none, inside an open write. Return their ids in order.

    Raises:
        NotFound: the member has no such course.
        Conflict: the course or the member would have too many items.
    """
    course_name = add_to_count(Access(member), course_id, len(items)).name
    today = member.today()
    rows = [new_row(write, course_id, course_name, item, today) for item in items]
    insert_rows(write, rows)
    return [row["id"] for row in rows]


def with_worths(access: Access, course_id: UUID, rows: Sequence[ReadItem], today: date) -> Sequence[ReadItem]:
    """`rows` as stored now, if any of them has a worth, which needs one statement."""
    if all(row["category_id"] is None for row in rows):
        return rows
    which = Q(id__in={row["id"] for row in rows})
    stored = {row["id"]: row for row in read(_of_course(access, course_id, which), today)}
    return [stored[row["id"]] for row in rows]


def _as_item(entry: EntryFields) -> NewItem:
    return cast("NewItem", {name: value for name, value in entry.items() if name != "quote"})


def _category_ids(entries: Sequence[EntryFields]) -> dict[str, UUID | None]:
    """The category of each entry, by its field."""
    places = ("", *(f"more[{index}]." for index in range(len(entries) - 1)))
    return {f"{place}category_id": entry.get("category_id") for place, entry in zip(places, entries, strict=True)}


def answered(rows: Sequence[ReadItem], today: date) -> list[EnteredItemRow]:
    """A record for each of `rows`, which may contain an item twice."""
    copies = cast("list[ReadItem]", [dict(row) for row in rows])
    return cast("list[EnteredItemRow]", as_answered(copies, today))


def _of_course(access: Access, course_id: UUID, which: Q) -> QuerySet[Item]:
    return Item.objects.filter(
        which, member_id=access.member.id, course_id=course_id, course__member_id=access.member.id
    )


def _with_these_dates(access: Access, course_id: UUID, entries: Sequence[EntryFields], today: date) -> list[ReadItem]:
    """The course's items on the dates of `entries`, including undated ones if an entry is undated; oldest first."""
    dates = {entry["due_on"] for entry in entries}
    on_a_day = Q(due_on__in=[day for day in dates if day is not None])
    which = on_a_day | Q(due_on__isnull=True) if None in dates else on_a_day
    return read(_of_course(access, course_id, which).order_by("created_at", "id"), today)


def _known_or_new(rows: Sequence[ReadItem], there: Sequence[ReadItem]) -> tuple[list[ReadItem], list[ReadItem]]:
    """For each row, the first equal one, preferably an existing one of `there`; and the rows to insert."""
    known: dict[tuple[str, date | None], ReadItem] = {}
    for row in there:
        known.setdefault(_key(row), row)
    new = [row for row in rows if known.setdefault(_key(row), row) is row]
    return [known[_key(row)] for row in rows], new


def _key(row: ReadItem) -> tuple[str, date | None]:
    """The key that equal items share: case-folded title and date."""
    return row["title"].strip().casefold(), row["due_on"]
