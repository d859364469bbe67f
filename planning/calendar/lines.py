"""The content lines of a calendar file (RFC 5545 section 3.1), repaired so that a broken line costs only itself."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from icalendar import Component, Timezone, vDDDTypes, vRecur, vUTCOffset
from icalendar.timezone import tzp

from studyservice.reading.decoding import decode_text

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


_FOLD = re.compile(rb"(?:\r*\n)+[ \t]")
_TEXT_FOLD = re.compile(r"(?:\r*\n)+[ \t]")
_LINE_END = re.compile(r"\r*\n")
_DELIMITER = re.compile(r"\s*(BEGIN|END)\s*:\s*([\w-]+)\s*", re.IGNORECASE)
_BROKEN_DELIMITER = re.compile(r"\s*(?:B\s*E\s*G\s*I\s*N|E\s*N\s*D)\s*[:;]", re.IGNORECASE)
_DATES = re.compile(r'((?:(EXDATE|RDATE)|RRULE)(?:;(?:"[^"]*"|[^":])*)?):(.*)', re.IGNORECASE | re.DOTALL)

_BEGIN = re.compile(r"BEGIN\s*:\s*VCALENDAR", re.IGNORECASE)
_CALENDAR, _ZONE = "VCALENDAR", "VTIMEZONE"
_WITHIN = {
    _CALENDAR: "",
    **dict.fromkeys(("VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", _ZONE), _CALENDAR),
    **dict.fromkeys(("STANDARD", "DAYLIGHT"), _ZONE),
}
"""What components are directly within. Anything else that is open when one begins has lost its end."""

_READ = {_CALENDAR, "VEVENT", "VTODO"}


class ReadableLines(NamedTuple):
    """The lines of a file.

    Attributes:
        text: components that begin and end properly, without the contents of alarms and others that are not read.
        replaced: the number of bytes that are in no encoding.
        ruleless: names of time zones that the file defines without usable rules. `text` defines them as UTC.
    """

    text: str
    replaced: int
    ruleless: frozenset[str]


def readable_lines(content: bytes) -> ReadableLines:
    """Join the folded lines of a file, decode it, and repair its components.

    Lines are joined before they are decoded, because one may be folded within a character. UTF-16 is decoded first.
    """
    if b"\0" not in content:
        content = _FOLD.sub(b"", content if b"\n" in content else content.replace(b"\r", b"\n"))
    text, replaced = decode_text(content)
    text = _TEXT_FOLD.sub("", text if "\n" in text else text.replace("\r", "\n"))
    begin = _BEGIN.search(text)  # whatever comes before it, even in its line
    zones = Zones()
    return ReadableLines(
        "\r\n".join(_repaired(text[begin.start() :] if begin else "", zones)), replaced, frozenset(zones.ruleless)
    )


def _repaired(text: str, zones: Zones) -> Iterator[str]:
    """Yield the lines within calendars. An `END` also ends what is still open within it; others are dropped."""
    open_: list[str] = []
    zone: list[str] = []
    for line in _LINE_END.split(text):
        delimiter = _DELIMITER.fullmatch(line)
        for one in _nested(delimiter, open_) if delimiter else [line]:
            if _ZONE in open_ or zone:
                zone.append(one)
                if _ZONE not in open_:
                    yield from zones.lines(zone)
                    zone = []
            elif delimiter:
                yield one
            elif open_ and _READ.issuperset(open_):
                yield from _usable(one)


def _nested(delimiter: re.Match[str], open_: list[str]) -> Iterator[str]:
    """Open or close a component. Yield the lines that do so, each after `open_` is changed."""
    word, name = delimiter[1].upper(), delimiter[2].upper()
    if word == "BEGIN":
        outer = _WITHIN.get(name)
        while open_ and outer is not None and open_[-1] != outer and outer in {"", *open_}:
            yield f"END:{open_.pop()}"
        open_.append(name)
        yield f"BEGIN:{name}"
    elif name in open_:
        while (last := open_.pop()) != name:
            yield f"END:{last}"
        yield f"END:{name}"


def _usable(line: str) -> Iterator[str]:
    """Yield a line within a component; of several excepted or added dates one for each, as one may be broken.

    An exception, addition or rule without a value (`EXDATE:`) is none, as is a line that looks like a delimiter.
    """
    dates = _DATES.fullmatch(line)
    if dates is None:
        if not _BROKEN_DELIMITER.match(line):
            yield without_unusable_name(line)
        return
    for value in dates[3].split(",") if dates[2] else [dates[3]]:
        if value.strip():
            yield without_unusable_name(f"{dates[1]}:{value}")
