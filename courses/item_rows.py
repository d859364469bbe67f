"""Items as read by statements and as returned by operations."""

from collections.abc import Mapping
from datetime import date
from typing import Any, cast

from django.db.models import F
from django.db.models.functions import Left

from courses.models import Item
from courses.serializers import ItemColumns, ItemRecord, ItemRow
from courses.statuses import status_of
from courses.worth import WORTH

NOTE_IN_LISTS = 200
"""Maximum characters of a note in a list of items."""


class ReadItem(ItemColumns):
    """An item as a statement reads it, with the columns that determine its status. `worth` is in hundredths."""

    missable_from: date
    graded: bool


SOONEST_FIRST = (F("due_on").asc(nulls_last=True), "created_at", "id")


ITEMS = Item.rows.declared.filter(course__member_id=F("member_id")).annotate(
    worth=WORTH, note_in_lists=Left("note", NOTE_IN_LISTS)
)
"""The items with their courses. Reading their worth takes the member's date, `today`. Columns that a statement does not
read cost nothing.

The course's member is compared with the item's rather than with the parameter: otherwise a query plan might begin with
courses and then sort their items.
"""

WHOLE: Mapping[str, str] = ItemRecord.columns() | {"missable_from": "missable_from", "graded": "graded"}
"""The columns of a `ReadItem`."""

LISTED: Mapping[str, str] = {**WHOLE, "note": "note_in_lists"}
"""The same with the beginning of the note."""


def as_read(item: Mapping[str, Any], course_name: str) -> ReadItem:
    """A new item as a statement would read it. With a category, its worth must be read."""
    computed = {"course_name": course_name, "worth": None}
    return cast("ReadItem", {name: computed[name] if name in computed else item[name] for name in WHOLE})


def as_answered(items: list[ReadItem], today: date) -> list[ItemRow]:
    """`items` themselves, each with its status and `days_until`."""
    rows = cast("list[dict[str, Any]]", items)
    for row in rows:
        due_on, worth = row["due_on"], row["worth"]
        row["status"] = status_of(row["kind"], due_on, row["done"], row.pop("graded"), row.pop("missable_from"), today)
        row["days_until"] = None if due_on is None else (due_on - today).days
        if worth is not None:
            row["worth"] = worth / 100
    return cast("list[ItemRow]", rows)
