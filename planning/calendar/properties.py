"""The properties of events and tasks that a reading uses, in whatever form programs write them. Without models."""

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from html.entities import html5
from typing import Any

from icalendar import vDDDTypes
from icalendar.cal import Component

from planning.calendar.lines import UNREADABLE

MARK = "✓ "


def marked(title: str) -> str:
    """The title of a done or graded item."""
    return MARK + title


def without_mark(title: str) -> str:
    """The title without this service's check mark, for an exported calendar that is imported again."""
    return title.removeprefix(MARK)


_OPENS = re.compile(
    r"""
    ^\W*(?:(?:now\ )?available(?:\ from)?|opens|availability\ starts)\s*:        # Available: Quiz 1
    |
    (?<!\bnot\ )(?<!\blonger\ )(?<!\bnicht\ )(?<!\bmehr\ )(?<!\bplus\ )(?<!\bno\ )
    \b(?:opens|is\ (?:now\ )?open|available|availability\ starts|öffnet|verfügbar|s['\u2019]ouvre|disponible|se\ abre)
    (?:\ (?:at|on|from|for|am|um|ab|für|le|à|pour|el|a|para)\b.*)?               # Quiz 1 opens at 9:00
    \W*(?:[\[(][^\])]*[\])])?\W*$                                                # Quiz 1 opens [Biology]
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DEADLINE = re.compile(
    r"\b(?:due|clos(?:es|ing)|ends?|deadlines?|until|fällig|endet|schließt|bis|abgabe|jusqu|hasta|entrega)\b",
    re.IGNORECASE,
)


def only_opens(title: str) -> bool:
    """Return whether the title announces only an opening and no deadline."""
    return _OPENS.search(title) is not None and _DEADLINE.search(title) is None


MAX_LABEL = 160


def split_title(title: str) -> tuple[str, str]:
    """The title without the brackets at its end, and their content; empty without brackets.

    Nested brackets belong to the outer ones: `Quiz [Biology [Fall]]`.
    """
    if not title.endswith("]"):
        return title, ""
    depth = 0
    for place in range(len(title) - 1, -1, -1):
        depth += {"]": 1, "[": -1}.get(title[place], 0)
        if depth == 0:
            bare, label = title[:place].strip(), title[place + 1 : -1].strip()
            return (bare or title, label) if label else (title, "")
    return title, ""


def set_labels(events: Iterable[dict[str, Any]]) -> None:
    """Set the `label` of each event, from its `brackets`, `category` or `place`.

    Categories count if no more events are without one than with one. Places count if more than half of the events have
    one, because a few may be rooms. The label of the others is empty.
    """
    events = list(events)
    has = Counter(name for event in events for name in ("category", "place") if event[name])
    named = "category" if has["category"] * 2 >= len(events) else "place" if has["place"] * 2 > len(events) else None
    for event in events:
        noted: Mapping[str, str] = {name: event.pop(name) for name in ("brackets", "category", "place")}
        event["label"] = (noted["brackets"] or (noted[named] if named else ""))[:MAX_LABEL].strip()


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
