"""The reader of calendar files, for the child process: RFC 5545 as written by Canvas, Moodle, Blackboard and Google.

Libraries parse lines, time zones (including Windows names), recurrence and its exceptions. This module selects the data
and applies limits.
"""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from typing import IO, Any
from zoneinfo import ZoneInfo

from icalendar import Calendar
from icalendar.cal import Component

from planning.calendar.lines import UNREADABLE, ReadableLines, readable_lines
from planning.calendar.properties import (
    category_of,
    dates_of,
    deadline_of,
    is_cancelled,
    is_completed,
    moment_of,
    one_line,
    only_opens,
    revision_of,
    set_labels,
    shortened,
    split_title,
    title_of,
    whole_title_of,
)
from planning.calendar.recurrence import instances_of, recurs_too_often
from studyservice.reading.decoding import REPLACED

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

_DATED = ("VEVENT", "VTODO")
_RECURRING = ("RRULE", "RDATE", "RECURRENCE-ID")


def read(file: IO[bytes], options: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield `refusal` (`no_calendar` or `too_many`), or everything else at once.

    That is `prodid`; `events`, each with `uid`, `instance` (empty, or its `RECURRENCE-ID`), `title`, `bare` (the title
    without the brackets at its end), `due_on`, `due_time`, `cancelled`, `label`; `skipped`, each with `uid`, `title`,
    `reason`; `present`, the `uid` and `instance` of skipped events; and `cut`, the UIDs of events with too many
    instances.

    Args:
        options: `today` and `time_zone`, the member's.
    """
    Component.ignore_exceptions = True  # as in events, a line that cannot be read costs only itself
    lines = readable_lines(file.read())
    try:
        calendars = [found for found in Calendar.from_ical(lines.text, multiple=True) if found.name == "VCALENDAR"]
    except UNREADABLE:
        calendars = []
    if not calendars:
        yield {"refusal": "no_calendar"}
        return
    if sum(len(calendar.subcomponents) for calendar in calendars) > MAX_COMPONENTS:
        yield {"refusal": "too_many"}
        return
    reading = _Reading(date.fromisoformat(options["today"]), ZoneInfo(options["time_zone"]), lines)
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


class _Reading:
    """The events found so far."""

    def __init__(self, today: date, zone: ZoneInfo, lines: ReadableLines) -> None:
        self.today = today
        self.zone = zone
        self.lines = lines
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
            if "RECURRENCE-ID" in component and moment_of(component, "RECURRENCE-ID") is None:
                self._skip(component, "no_date")
                continue
            series.setdefault((component.name, uid), []).append(component)
        for (name, uid), components in series.items():
            before = len(self.events)
            cancelled = all_cancelled or any(is_cancelled(one) for one in components if "RECURRENCE-ID" not in one)
            if any(mark in one for one in components for mark in _RECURRING):
                self._add_recurring(calendar, name, uid, components, cancelled)
            else:
                self._add(max(components, key=revision_of), uid, "", cancelled)
            if len(self.events) > before:
                self.skipped += self._doubts(components)

    def _add_recurring(
        self, calendar: Calendar, name: str, uid: str, components: list[Component], cancelled: bool
    ) -> None:
        """Add the instances, except excluded ones and with changed ones as changed."""
        if any(recurs_too_often(one) for one in components):
            self._skip_series(components[0], "recurs_too_often")
            return
        try:
            found = instances_of(calendar, name, components, self.today - WINDOW, self.today + WINDOW)
            days = [(day, key, one) for key, one in found if (day := self._due(one)[0])]
        except UNREADABLE:
            self._skip_series(components[0], "no_date")
            return
        days.sort(key=lambda one: (one[0] < self.today, abs(one[0] - self.today), one[1]))
        if len(days) > MAX_INSTANCES:
            self.cut.add(uid)
        for _, key, one in days[:MAX_INSTANCES]:
            self._add(one, uid, key, cancelled)

    def _add(self, component: Component, uid: str, instance: str, cancelled: bool) -> None:
        (day, time), whole = self._due(component), whole_title_of(component)
        title, (bare, brackets) = shortened(whole), split_title(whole)
        cancelled = cancelled or is_cancelled(component)
        reason = None if cancelled else _reason_to_skip(component, day, title)
        if reason is not None:
            self.present.append((uid, instance))
            self._skip(component, reason)
            return
        self.events[uid, instance] = {
            "uid": uid,
            "instance": instance,
            "title": title,
            "bare": shortened(bare),
            "due_on": day.isoformat() if day else None,
            "due_time": time,
            "cancelled": cancelled,
            "brackets": brackets,
            "category": category_of(component),
            "place": one_line(component.get("LOCATION", "")),
        }

    def _due(self, component: Component) -> tuple[date | None, str | None]:
        """The date and time of the deadline in the member's time zone: the start of an event, or when a task is due.

        An all-day event has no time. Seconds are cut.
        """
        at = deadline_of(component)
        if not isinstance(at, datetime):
            return at, None
        local = at if at.tzinfo is None else at.astimezone(self.zone)
        return local.date(), f"{local:%H:%M}"

    def _skip_series(self, component: Component, reason: str) -> None:
        """Skip a series. Its instances are unknown, so none of them counts as gone."""
        self.cut.add(str(component["UID"]))
        self._skip(component, reason)

    def _doubts(self, components: Iterable[Component]) -> Iterator[dict[str, str]]:
        """Yield what the member should check of an event that was read."""
        for component in components:
            named = {str(value.params.get("TZID", "")).strip("/") for value in dates_of(component)}
            broken = self.lines.replaced and any(REPLACED in str(value) for value in component.values())
            for doubted, reason in ((named & self.lines.ruleless, "unknown_zone"), (broken, "unreadable_text")):
                if doubted:
                    yield {"uid": str(component["UID"]), "title": title_of(component), "reason": reason}

    def _skip(self, component: Component, reason: str) -> None:
        uid = str(component.get("UID", ""))[:MAX_UID]
        self.skipped.append({"uid": uid, "title": title_of(component), "reason": reason})


def _reason_to_skip(component: Component, day: date | None, title: str) -> str | None:
    if day is None:
        return "no_date"
    if not title:
        return "no_title"
    if component.name == "VTODO":
        return "completed" if is_completed(component) else None
    return "opens" if only_opens(title) else None
