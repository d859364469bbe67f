"""The properties of events and tasks that a reading uses, in whatever form programs write them."""

import html
import re
from collections.abc import Iterator
from datetime import date, datetime
from html.entities import html5

from icalendar import vDDDTypes
from icalendar.cal import Component

from planning.calendar.marking import without_mark
from planning.calendar.zones import UNREADABLE

MAX_TITLE = 160

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]*);")


def moment_of(component: Component, name: str) -> date | datetime | None:
    """The value of a date property, with or without a time; None if it is missing, broken or repeated."""
    value = component.get(name)
    return value.dt if isinstance(value, vDDDTypes) and isinstance(value.dt, date) else None


def deadline_of(component: Component) -> date | datetime | None:
    """The date of an event or a task: its start (where platforms put deadlines), or when it is due."""
    return moment_of(component, "DTSTART" if component.name == "VEVENT" else "DUE")


def dates_of(component: Component) -> Iterator[vDDDTypes]:
    """The readable values that `deadline_of` may use."""
    return (value for name in ("DTSTART", "DUE") if isinstance(value := component.get(name), vDDDTypes))


def title_of(component: Component) -> str:
    """The title for an item."""
    return shortened(whole_title_of(component))


def whole_title_of(component: Component) -> str:
    """The title in one line, without this service's check mark."""
    return without_mark(one_line(component.get("SUMMARY", "")))


def shortened(title: str) -> str:
    """Shorten a title to the maximum length of an item's."""
    return title if len(title) <= MAX_TITLE else title[: MAX_TITLE - 1] + "…"


def one_line(value: object) -> str:
    """A text in one line, with the entities of HTML that Moodle writes decoded; empty if the property is repeated."""
    return "" if isinstance(value, list) else " ".join(_ENTITY.sub(_character, str(value)).replace("\x00", "").split())


def _character(entity: re.Match[str]) -> str:
    """The character of an entity; names that do not exist stay as they are."""
    return html.unescape(entity[0]) if entity[0][1] == "#" or entity[0][1:] in html5 else entity[0]


def category_of(component: Component) -> str:
    """The first category, even if there are several lines."""
    value = component.get("CATEGORIES", "")
    first = value[0] if isinstance(value, list) and value else value
    return one_line(next(iter(getattr(first, "cats", ())), ""))


def is_completed(component: Component) -> bool:
    """Return whether a task is completed, which has three representations (RFC 5545 sections 3.8.1.8, 3.8.1.11,
    3.8.2.1).
    """
    status, percent = (str(component.get(name, "")).upper() for name in ("STATUS", "PERCENT-COMPLETE"))
    return status == "COMPLETED" or percent == "100" or "COMPLETED" in component


def is_cancelled(component: Component) -> bool:
    """Return whether an event or a task is canceled."""
    return str(component.get("STATUS", "")).upper() == "CANCELLED"


def revision_of(component: Component) -> int:
    """Sort key of duplicate events: the newest counts, and the first of equal ones."""
    try:
        return int(component.get("SEQUENCE", 0))
    except UNREADABLE:
        return 0
