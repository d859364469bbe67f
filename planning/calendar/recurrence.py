"""The instances of a recurring event (RFC 5545 section 3.8.5), from rules and exceptions as programs write them."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta

import recurring_ical_events
from icalendar import Calendar, vDDDLists, vRecur
from icalendar.cal import Component

from planning.calendar.lines import is_known
from planning.calendar.properties import deadline_of, moment_of

_TOO_OFTEN = {"SECONDLY", "MINUTELY", "HOURLY"}
_ORIGINAL, _ZONE = "RECURRENCE-ID", "X-WR-TIMEZONE"

Moment = date | datetime


def recurs_too_often(component: Component) -> bool:
    """Return whether it recurs within a day, as no deadline does."""
    return any(str(often).upper() in _TOO_OFTEN for rule in _rules(component) for often in rule.get("FREQ", []))


def instances_of(
    calendar: Calendar, name: str, components: list[Component], first: date, last: date
) -> list[tuple[str, Component]]:
    """The instances from `first` to `last` with their keys: the original start, in UTC if it has a zone.

    Args:
        calendar: whose time zone applies.
        name: of the components, which have the same UID. They are changed.

    Raises:
        UNREADABLE: one of these exceptions, if the start or a rule cannot be read.
    """
    for component in components:
        _repair(component)
    moves = {_start(one, _ORIGINAL): _moved_by(one) for one in components if _moves_later_ones(one)}
    alone = Calendar()
    if is_known(str(calendar.get(_ZONE, ""))):
        alone[_ZONE] = calendar[_ZONE]
    alone.subcomponents = components
    found = recurring_ical_events.of(alone, components=[name]).between(first, last)
    return [(_key(one, moves), one) for one in found]


def _repair(component: Component) -> None:
    """Pass over exceptions and additions that cannot be read, and count the last day of a series as a whole.

    A changed instance without a readable start keeps its original one. The end of a series that starts at a time may be
    written as a date or as a local time, although RFC 5545 section 3.3.10 wants UTC.
    """
    if component.name == "VEVENT" and _ORIGINAL in component and moment_of(component, "DTSTART") is None:
        component["DTSTART"] = component[_ORIGINAL]
    for name in ("EXDATE", "RDATE"):
        values = component.pop(name, [])
        readable = [one for one in (values if isinstance(values, list) else [values]) if isinstance(one, vDDDLists)]
        if readable:
            component[name] = readable
    start = moment_of(component, "DTSTART") or deadline_of(component)
    for rule in _rules(component):
        for until in rule.get("UNTIL", [])[:1]:
            if isinstance(start, datetime) and getattr(until, "tzinfo", None) is None:
                end = datetime(until.year, until.month, until.day, 23, 59, 59, tzinfo=start.tzinfo)
                rule["UNTIL"] = [end.astimezone(UTC) if end.tzinfo else end]


def _rules(component: Component) -> list[vRecur]:
    """The rules that can be read."""
    rules = component.get("RRULE", [])
    return [rule for rule in (rules if isinstance(rules, list) else [rules]) if isinstance(rule, vRecur)]


def _moves_later_ones(component: Component) -> bool:
    """Return whether a changed instance also moves all later ones (`RANGE=THISANDFUTURE`, section 3.2.13)."""
    return "RANGE" in getattr(component.get(_ORIGINAL), "params", ())


def _moved_by(component: Component) -> timedelta:
    original, start = _start(component, _ORIGINAL), moment_of(component, "DTSTART") or _start(component, "DUE")
    if isinstance(start, datetime) and isinstance(original, datetime):
        return start - original
    return _day(start) - _day(original)


def _key(component: Component, moves: Mapping[Moment, timedelta]) -> str:
    original = _start(component, _ORIGINAL)
    if _moves_later_ones(component):  # the library repeats that of the change for each later instance
        start = _start(component, "DTSTART")
        original = (start if isinstance(original, datetime) else _day(start)) - moves[original]
    if not isinstance(original, datetime):
        return f"{original:%Y%m%d}"
    return f"{original:%Y%m%dT%H%M%S}" if original.tzinfo is None else f"{original.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _start(component: Component, name: str) -> Moment:
    """The value of a date property that must be there."""
    moment = moment_of(component, name)
    if moment is None:
        raise KeyError(name)
    return moment


def _day(moment: Moment) -> date:
    return moment.date() if isinstance(moment, datetime) else moment
