"""Remarks in the message about a new item or a new date."""

from collections.abc import Mapping
from datetime import date
from typing import Any, cast
from uuid import UUID

from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from courses.item_batches import create_item, twin_of
from courses.item_rows import ReadItem
from courses.items import get_item
from courses.serializers import NewItem
from planning.milestones import steps_after
from studyservice.rows.access import Access


def with_remarks(said: str, *remarks: str) -> SafeString:
    """The message followed by those remarks that are not empty."""
    return format_html_join(" ", "{}", ((part,) for part in (said, *remarks) if part))


def short(day: date, today: date) -> str:
    """The date, with its year unless that is the current one."""
    return date_format(day, "j F" if day.year == today.year else "j F Y")


def gone_by(day: date | None, today: date) -> str:
    """Tell how long ago a past day was; empty for others. The week shows no item that was due long ago."""
    days = (today - day).days if day else 0
    return f"{short(day, today)} was {days} day{pluralize(days)} ago." if day and days > 0 else ""


def later_steps(access: Access, item_id: UUID, title: str, day: date) -> str:
    """Tell how many open milestones are due after their item on its new day, with a link; empty if none is."""
    number = steps_after(access, item_id, day)
    if not number:
        return ""
    return _with_link(
        "1 open step is now later than" if number == 1 else f"{number} open steps are now later than", title, item_id
    )


def later_than_item(access: Access, item_id: UUID, day: date | None) -> str:
    """Tell that the new day of an open milestone is after its item, with a link; empty if it is not. One query."""
    item = get_item(access, item_id) if day else None
    if not day or not item or item["due_on"] is None or day <= item["due_on"]:
        return ""
    return _with_link("It is later than", item["title"], item_id)


def _with_link(words: str, title: str, item_id: UUID) -> str:
    address = f"{reverse('item', args=[item_id])}#milestones"
    return format_html('{} “{}”. <a href="{}">Change the steps</a>', words, title, address)


def created(access: Access, course_id: UUID, item: NewItem) -> dict[str, Any]:
    """Create the item. Return its record, with `twin`: the id of an older item of its title and date, or None."""
    made = create_item(access, course_id, **item)[0]
    return {**made, "twin": twin_of(access, course_id, cast("ReadItem", made))}


def of_created(record: Mapping[str, Any], today: date) -> SafeString:
    """Remarks on the record of `created`, as in JSON: a past date, and an older item of the same title and date."""
    day = date.fromisoformat(record["due_on"]) if record["due_on"] else None
    twin = record["twin"] and format_html(
        '{} already had <a href="{}">an item with this title and date</a>.',
        record["course_name"],
        reverse("item", args=[record["twin"]]),
    )
    return with_remarks(gone_by(day, today), twin)
