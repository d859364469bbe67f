"""The reader of calendar files, for the child process: RFC 5545 as written by Canvas, Moodle, Blackboard and Google.

Libraries parse lines, time zones (including Windows names), recurrence and its exceptions. This module selects the data
and applies limits.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import IO, Any
from zoneinfo import ZoneInfo

import recurring_ical_events
from icalendar import Calendar, vDDDTypes, vRecur
from icalendar.cal import Component

from planning.calendar.labels import set_labels, split_title
from planning.calendar.marking import without_mark
from planning.calendar.openings import only_opens
from studyservice.reading.decoding import decode_text

MAX_COMPONENTS = 3000
"""Maximum number of events, tasks, time zones and other components in one file."""

MAX_INSTANCES = 100
"""Maximum number of instances of one recurring event: those nearest to today, starting with future ones."""

MAX_EVENTS = 3000
"""Maximum number of instances in total."""

WINDOW = timedelta(days=365)
"""How far back and ahead of today recurring events are expanded."""

MAX_UID = 255
"""Maximum characters (RFC 7986 section 5.3 requires octets)."""

MAX_TITLE = 160

_DATED = ("VEVENT", "VTODO")
_RECURRING = ("RRULE", "RDATE", "RECURRENCE-ID")
_FOLD = re.compile(rb"(?:\r?\n)+[ \t]")
_TOO_OFTEN = {"SECONDLY", "MINUTELY", "HOURLY"}
_UNREADABLE = (ValueError, TypeError, AttributeError, KeyError, IndexError, OverflowError)
"""Exceptions of the libraries for invalid values."""


def read(file: IO[bytes], options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield `refusal` (`no_calendar` or `too_many`), or everything else at once.

    That is `prodid`; `events`, each with `uid`, `instance` (empty, or its `RECURRENCE-ID`), `title`, `bare` (the title
    without the brackets at its end), `due_on`, `cancelled`, `label`; `skipped`, each with `uid`, `title`, `reason`;
    `present`, the `uid` and `instance` of skipped events; and `cut`, the UIDs of events with too many instances.

    Args:
        options: `today` and `time_zone`, the member's.
    """
    try:
        calendars = [
            found for found in Calendar.from_ical(_text(file.read()), multiple=True) if found.name == "VCALENDAR"
        ]
    except _UNREADABLE:
        calendars = []
    if not calendars:
        yield {"refusal": "no_calendar"}
        return
    if sum(len(calendar.subcomponents) for calendar in calendars) > MAX_COMPONENTS:
        yield {"refusal": "too_many"}
        return
    reading = _Reading(date.fromisoformat(options["today"]), ZoneInfo(options["time_zone"]))
    for calendar in calendars:
        reading.add(calendar)
    if len(reading.events) > MAX_EVENTS:
        yield {"refusal": "too_many"}
        return
    set_labels(reading.events.values())
    yield {
        "prodid": str(calendars[0].get("PRODID", ""))[:MAX_UID],
        "events": list(reading.events.values()),
        "skipped": reading.skipped,
        "present": reading.present,
        "cut": sorted(reading.cut),
    }


def _text(content: bytes) -> str:
    """Join folded lines, then decode: a line may be folded within a character (RFC 5545 section 3.1). Line ends may be
    CR.
    """
    if b"\0" not in content:  # else it is UTF-16, which `Calendar` unfolds
        content = _FOLD.sub(b"", content if b"\n" in content else content.replace(b"\r", b"\n"))
    text = decode_text(content).text
    return text if "\n" in text else text.replace("\r", "\n")


class _Reading:
    """The events found so far."""

    def __init__(self, today: date, zone: ZoneInfo) -> None:
        self.today = today
        self.zone = zone
        self.events: dict[tuple[str, str], dict[str, Any]] = {}
        self.skipped: list[dict[str, str]] = []
        self.present: list[tuple[str, str]] = []
        self.cut: set[str] = set()

    def add(self, calendar: Calendar) -> None:
        """Add everything dated in a calendar."""
        all_cancelled = str(calendar.get("METHOD", "")).upper() == "CANCEL"
        series: dict[tuple[str, str], list[Component]] = {}
        for component in calendar.subcomponents:
            if component.name not in _DATED:
                continue
            uid = str(component.get("UID", ""))
            if not uid or len(uid) > MAX_UID:
                self._skip(component, "uid_too_long" if uid else "no_uid")
                continue
            series.setdefault((component.name, uid), []).append(component)
        for (name, uid), components in series.items():
            cancelled = all_cancelled or any(_is_cancelled(one) for one in components if "RECURRENCE-ID" not in one)
            if any(mark in one for one in components for mark in _RECURRING):
                self._add_recurring(calendar, name, uid, components, cancelled)
            else:
                self._add(max(components, key=_revision), uid, "", cancelled)

    def _add_recurring(
        self, calendar: Calendar, name: str, uid: str, components: list[Component], cancelled: bool
    ) -> None:
        """Add the instances, except excluded ones and with changed ones as changed."""
        if any(_recurs_too_often(one) for one in components):
            self._skip_series(components[0], "recurs_too_often")
            return
        alone = Calendar()
        for key in ("VERSION", "X-WR-TIMEZONE"):
            if key in calendar:
                alone[key] = calendar[key]
        alone.subcomponents = components
        try:
            found = recurring_ical_events.of(alone, components=[name]).between(self.today - WINDOW, self.today + WINDOW)
            instances = [(self._day(one), _instance(one), one) for one in found]
        except _UNREADABLE:
            self._skip_series(components[0], "no_date")
            return
        dated = sorted((day < self.today, abs(day - self.today), key, one) for day, key, one in instances if day)
        if len(dated) > MAX_INSTANCES:
            self.cut.add(uid)
        for _, _, key, one in dated[:MAX_INSTANCES]:
            self._add(one, uid, key, cancelled)

    def _add(self, component: Component, uid: str, instance: str, cancelled: bool) -> None:
        day, whole = self._day(component), _whole_title(component)
        title, (bare, brackets) = _shortened(whole), split_title(whole)
        cancelled = cancelled or _is_cancelled(component)
        reason = None if cancelled else _reason_to_skip(component, day, title)
        if reason is not None:
            self.present.append((uid, instance))
            self._skip(component, reason)
            return
        self.events[uid, instance] = {
            "uid": uid,
            "instance": instance,
            "title": title,
            "bare": _shortened(bare),
            "due_on": day.isoformat() if day else None,
            "cancelled": cancelled,
            "brackets": brackets,
            "category": _category(component),
            "place": _one_line(component.get("LOCATION", "")),
        }

    def _day(self, component: Component) -> date | None:
        """The date of the deadline in the member's time zone: the start of an event, or the due time of a task."""
        at = _moment(component, "DTSTART" if component.name == "VEVENT" else "DUE")
        if not isinstance(at, datetime):
            return at
        return at.date() if at.tzinfo is None else at.astimezone(self.zone).date()

    def _skip_series(self, component: Component, reason: str) -> None:
        """Skip a series. Its instances are unknown, so none of them counts as gone."""
        self.cut.add(str(component["UID"]))
        self._skip(component, reason)

    def _skip(self, component: Component, reason: str) -> None:
        uid = str(component.get("UID", ""))[:MAX_UID]
        self.skipped.append({"uid": uid, "title": _title(component), "reason": reason})


def _moment(component: Component, name: str) -> date | datetime | None:
    """The value of a date property, with or without a time; None if it is missing, broken or repeated."""
    value = component.get(name)
    return value.dt if isinstance(value, vDDDTypes) and isinstance(value.dt, date) else None


def _title(component: Component) -> str:
    """The title for an item."""
    return _shortened(_whole_title(component))


def _whole_title(component: Component) -> str:
    """The title in one line, without this service's check mark."""
    return without_mark(_one_line(component.get("SUMMARY", "")))


def _shortened(title: str) -> str:
    """Shorten a title to the maximum length of an item's."""
    return title if len(title) <= MAX_TITLE else title[: MAX_TITLE - 1] + "…"


def _one_line(value: object) -> str:
    """A text in one line; empty if the property is repeated."""
    return "" if isinstance(value, list) else " ".join(str(value).replace("\x00", "").split())


def _category(component: Component) -> str:
    """The first category, even if there are several lines."""
    value = component.get("CATEGORIES", "")
    first = value[0] if isinstance(value, list) and value else value
    return _one_line(next(iter(getattr(first, "cats", ())), ""))


def _reason_to_skip(component: Component, day: date | None, title: str) -> str | None:
    if day is None:
        return "no_date"
    if not title:
        return "no_title"
    if component.name == "VTODO":
        return "completed" if _is_completed(component) else None
    return "opens" if only_opens(title) else None


def _is_completed(component: Component) -> bool:
    """Return whether a task is completed, which has three representations (RFC 5545 sections 3.8.1.8, 3.8.1.11,
    3.8.2.1).
    """
    status, percent = (str(component.get(name, "")).upper() for name in ("STATUS", "PERCENT-COMPLETE"))
    return status == "COMPLETED" or percent == "100" or "COMPLETED" in component


def _is_cancelled(component: Component) -> bool:
    return str(component.get("STATUS", "")).upper() == "CANCELLED"


def _revision(component: Component) -> int:
    """Sort key of duplicate events: the newest counts, and the first of equal ones."""
    try:
        return int(component.get("SEQUENCE", 0))
    except _UNREADABLE:
        return 0


def _recurs_too_often(component: Component) -> bool:
    """Return whether it recurs within a day, as no deadline does."""
    rules = component.get("RRULE", [])
    return any(
        str(often).upper() in _TOO_OFTEN
        for rule in (rules if isinstance(rules, list) else [rules])
        if isinstance(rule, vRecur)
        for often in rule.get("FREQ", [])
    )


def _instance(component: Component) -> str:
    """The `RECURRENCE-ID`, in UTC if it has a zone."""
    at = _moment(component, "RECURRENCE-ID")
    if not isinstance(at, datetime):
        return f"{at:%Y%m%d}" if at else ""
    return f"{at:%Y%m%dT%H%M%S}" if at.tzinfo is None else f"{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"
