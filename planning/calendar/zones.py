"""Time zones that a calendar file defines (RFC 5545 section 3.6.5), those that cannot be used as UTC."""

import re
from collections.abc import Iterator
from functools import cache

from icalendar import Component, Timezone, vDDDTypes, vRecur, vUTCOffset
from icalendar.timezone import tzp

UNREADABLE = (ValueError, TypeError, AttributeError, KeyError, IndexError, OverflowError, OSError)
"""Exceptions of the libraries for invalid values."""

_NAME = re.compile(r';TZID=(?:"(?P<quoted>[^"]*)"|(?P<plain>[^":;,]*))', re.IGNORECASE)
_REQUIRED = {"DTSTART": vDDDTypes, "TZOFFSETFROM": vUTCOffset, "TZOFFSETTO": vUTCOffset}
_UTC = ["BEGIN:STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0000", "TZOFFSETTO:+0000", "END:STANDARD"]


class Zones:
    """The zones of a file.

    Attributes:
        ruleless: names of those without usable rules that are not known by name either.
    """

    def __init__(self) -> None:
        self.ruleless: set[str] = set()

    def lines(self, written: list[str]) -> Iterator[str]:
        """Yield the lines of a zone without rules that cannot be read, nothing if the name suffices, or UTC."""
        head = [line for line in written[1:-1] if line.upper().startswith("TZID")]
        rules = [one for one in _observances(written) if _is_readable(one)]
        lines = [written[0], *head, *(line for rule in rules for line in rule), written[-1]]
        try:
            name = str(Timezone.from_ical("\r\n".join(lines))["TZID"])
            if rules or is_known(name):
                yield from lines
                return
        except UNREADABLE:
            name = head[0].partition(":")[2].strip() if head else ""
        if name and not is_known(name):
            self.ruleless.add(name.strip("/"))
            yield from [written[0], f"TZID:{name}", *_UTC, written[-1]]


def is_known(name: str) -> bool:
    """Return whether a zone is known by its name, of the IANA database or of Windows."""
    try:
        return tzp.timezone(name) is not None
    except UNREADABLE:
        return False


def without_unusable_name(line: str) -> str:
    """Return a line without a zone whose name the library cannot even look up."""
    name = _NAME.search(line)
    if name is None or _can_be_looked_up(name["quoted"] or name["plain"] or ""):
        return line
    return _NAME.sub("", line, count=1)


@cache
def _can_be_looked_up(name: str) -> bool:
    try:
        tzp.timezone(name)
    except UNREADABLE:  # names of a directory, or longer than a file's may be
        return False
    return True


def _observances(written: list[str]) -> Iterator[list[str]]:
    """Yield the lines of each observance, `STANDARD` or `DAYLIGHT`."""
    rule: list[str] = []
    for line in written[1:-1]:
        if line in {"BEGIN:STANDARD", "BEGIN:DAYLIGHT"} or rule:
            rule.append(line)
        if line in {"END:STANDARD", "END:DAYLIGHT"}:
            yield rule
            rule = []


def _is_readable(rule: list[str]) -> bool:
    try:
        found = Component.from_ical("\r\n".join(rule))
    except UNREADABLE:
        return False
    has_required = all(isinstance(found.get(name), kind) for name, kind in _REQUIRED.items())
    return has_required and isinstance(found.get("RRULE", vRecur()), vRecur | list)
