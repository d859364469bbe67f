"""Create items, several in one call, with their syllabus lines, categories and maxima."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any, TypedDict, Unpack, cast
from uuid import UUID

from django.db.models import OuterRef, Q

from courses.doubts import doubt_new_item, verify
from courses.entry_serializers import CreatedItemRow, EnteredItemRow, EntryFields
from courses.errors import NoSuchCourse
from courses.item_rows import GRADE_CATEGORY, ITEMS, ReadItem, as_answered, as_read
from courses.models import Course, Item
from courses.serializers import NewItem
from courses.syllabi.comparison import Stored
from studyservice.changes.calls import doubt
from studyservice.database.statements import Param, aggregated
from studyservice.operations.errors import Detail, ValidationFailed
from studyservice.registry.data import Maximum
from studyservice.rows.access import Access, MemberSelect, as_array, change
from studyservice.rows.rows import OneOf


def require_categories(access: Access, named: Mapping[str, tuple[UUID, UUID | None]]) -> None:
    """Reject categories of other courses. One statement, or none without categories.

    Args:
        named: the ids of a course and of a category, by the name of the category's field in the request.

    Raises:
        ValidationFailed: a category does not belong to its course.
    """
    wanted = {category_id for _, category_id in named.values() if category_id is not None}
    if not wanted:
        return
    found = GRADE_CATEGORY.rows.of(access).all("id", "course_id", id__in=wanted)
    there = {(category["course_id"], category["id"]) for category in found}
    details: list[Detail] = [
        {"field": field, "message": "Not a category of this course; get_grades lists the ids."}
        for field, (course_id, category_id) in named.items()
        if category_id is not None and (course_id, category_id) not in there
    ]
    if details:
        raise ValidationFailed(details)


ITEMS_OF_COURSE = Maximum(
    most=1000,
    what="items of a course",
    full="You have reached the limit of {most} items in this course. Delete one first.",
    per="course",
)

ITEMS_OF_MEMBER = Maximum(
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


_FOR_ITEMS = MemberSelect(
    Course.rows.declared.filter(id=Param("course_id"))
    .annotate(
        here=aggregated(Item.rows.whole.filter(course_id=OuterRef("id")), "COUNT", "course_id"),
        in_all=aggregated(Item.rows.whole, "COUNT", "member_id"),
    )
    .order_by(),
    CourseForItems,
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


_OF_COURSE = ITEMS.filter(course_id=Param("course_id")).order_by("created_at", "id")
_WITH_DATES = MemberSelect(_OF_COURSE.filter(OneOf("due_on", "dates")), ReadItem)
_WITH_DATES_OR_NONE = MemberSelect(_OF_COURSE.filter(Q(OneOf("due_on", "dates")) | Q(due_on=None)), ReadItem)
_WITH_IDS = MemberSelect(_OF_COURSE.filter(OneOf("id", "ids")), ReadItem)


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
        NotFound: the call sees no such course.
        ValidationFailed: a `category_id` is not a category of the course.
        Conflict: the course or the member would have too many items.
    """
    entries = [entry, *(more or ())]
    skips, is_verified = if_exists == "skip", more is not None or entry.get("quote") is not None
    today, text = access.today(), None
    with change(access, "create_item"):
        course = course_for_items(access, course_id)
        require_categories(access, _category_ids(course_id, entries))
        there = _with_these_dates(access, course_id, entries) if skips or is_verified else []
        known = {_key(row): row for row in reversed(there)} if skips else {}
        new = _unknown(entries, known) if skips else entries
        require_room_for_items(course, len(new))
        made = insert_items(access, course_id, course["name"], new)
        if is_verified:
            text = Course.rows.of(access).all("syllabus_text", id=course_id)[0]["syllabus_text"]
        known |= {_key(row): row for row in made}
        rows: Sequence[ReadItem] = [known[_key(one)] for one in entries] if skips else made
        if made:
            rows = with_worths(access, course_id, rows)
    ids = {row["id"] for row in made}
    items = answered(rows, today)
    if skips:
        for item in items:
            item["existing"] = item["id"] not in ids
            ids.discard(item["id"])  # further rows with this id were not created
    first = cast("CreatedItemRow", items[0])
    if is_verified:
        stored = [Stored(row["id"], row["title"], row["due_on"], row["kind"]) for row in there]
        warnings = verify(items, entries, text=text, term=course["term"], today=today, stored=stored)
        first = cast("CreatedItemRow", {**first, "warnings": warnings})
    elif made and made[0]["due_on"] is not None:
        doubt_new_item(made[0]["title"], made[0]["due_on"], course["term"], today)
    if not skips:
        doubt(partial(same_items, made, there) if is_verified else partial(_same_stored_items, access, course_id, made))
    if more is not None:
        first["items"] = items
    return first, bool(made)


def add_items(access: Access, course_id: UUID, items: Sequence[NewItem]) -> list[UUID]:
    """Create all of the items or none, inside an open change. Return their ids in order.

    Raises:
        NotFound: the call sees no such course.
        Conflict: the course or the member would have too many items.
    """
    course = course_for_items(access, course_id)
    require_room_for_items(course, len(items))
    return [row["id"] for row in insert_items(access, course_id, course["name"], items)]


def insert_items(
    access: Access, course_id: UUID, course_name: str, items: Iterable[NewItem | EntryFields]
) -> list[ReadItem]:
    """Insert items, for which there is room. A `worth` must be read (`with_worths`)."""
    given: dict[str, Any] = {"course_id": course_id, "missable_from": access.today()}
    rows = ({name: value for name, value in item.items() if name != "quote"} | given for item in items)
    return [as_read(row, course_name) for row in Item.rows.of(access).insert(*rows)]


def with_worths(access: Access, course_id: UUID, rows: Sequence[ReadItem]) -> Sequence[ReadItem]:
    """`rows` as stored now, if any of them has a worth, which needs one statement."""
    if all(row["category_id"] is None for row in rows):
        return rows
    ids = as_array({row["id"] for row in rows})
    stored = {row["id"]: row for row in _WITH_IDS.all(access, course_id=course_id, ids=ids, today=access.today())}
    return [stored[row["id"]] for row in rows]


def _category_ids(course_id: UUID, entries: Sequence[EntryFields]) -> dict[str, tuple[UUID, UUID | None]]:
    """The course and the category of each entry, by the field of the category."""
    places = ("", *(f"more[{index}]." for index in range(len(entries) - 1)))
    return {
        f"{place}category_id": (course_id, entry.get("category_id"))
        for place, entry in zip(places, entries, strict=True)
    }


def answered(rows: Sequence[ReadItem], today: date) -> list[EnteredItemRow]:
    """A record for each of `rows`, which may contain an item twice."""
    copies = cast("list[ReadItem]", [dict(row) for row in rows])
    return cast("list[EnteredItemRow]", as_answered(copies, today))


def _with_these_dates(
    access: Access, course_id: UUID, entries: Sequence[EntryFields] | Sequence[ReadItem]
) -> list[ReadItem]:
    """The course's items on the dates of `entries`, including undated ones if an entry is undated; oldest first."""
    days = {entry["due_on"] for entry in entries}
    statement = _WITH_DATES_OR_NONE if None in days else _WITH_DATES
    dates = as_array([day for day in days if day is not None])
    return statement.all(access, course_id=course_id, dates=dates, today=access.today())


def same_items(made: Sequence[ReadItem], there: Iterable[ReadItem]) -> Iterator[str]:
    """A sentence about new items with the title and date of an earlier one, in the course or in the call."""
    oldest: dict[_Key, UUID] = {}
    for row in (*there, *made):
        oldest.setdefault(_key(row), row["id"])
    earlier = [(row, oldest[_key(row)]) for row in made]
    if same := [f"“{row['title']}” (id {other})" for row, other in earlier if other != row["id"]]:
        yield f"The course already has items with the same title and date: {', '.join(same)}."


def _same_stored_items(access: Access, course_id: UUID, made: Sequence[ReadItem]) -> Iterator[str]:
    """The same of items that were not read before the write. One statement."""
    yield from same_items(made, _with_these_dates(access, course_id, made))


def twin_of(access: Access, course_id: UUID, made: ReadItem) -> UUID | None:
    """The id of the oldest other item of the course with the title and date of a new one. One statement."""
    there = _with_these_dates(access, course_id, [made])
    return next((row["id"] for row in there if _key(row) == _key(made) and row["id"] != made["id"]), None)


_Key = tuple[str, date | None]


def _unknown(entries: Iterable[EntryFields], known: dict[_Key, ReadItem]) -> list[EntryFields]:
    """The first entry of each key that no existing item has."""
    first: dict[_Key, EntryFields] = {}
    for entry in entries:
        if _key(entry) not in known:
            first.setdefault(_key(entry), entry)
    return [*first.values()]


def _key(item: ReadItem | EntryFields) -> _Key:
    """The key that equal items share: case-folded title and date."""
    return item["title"].strip().casefold(), item["due_on"]
