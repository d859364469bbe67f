"""Dates as written in a line, before missing years and the order of day and month are resolved."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from typing import Final

from courses.syllabi.words import MONTHS, WEEKDAYS, WEEKDAYS_BEFORE_DATES, one_of

MOST_DATES: Final = 500
"""Dates of each kind read in one line; a whole syllabus without line ends has fewer."""

_MONTH: Final = rf"(?:{one_of(MONTHS)})"
_YEAR: Final = r"(?:1[6-9]|20|21)\d\d"
_TIME_FOLLOWS: Final = (
    r"(?!\d|:\d|\s*(?:[ap]\.?m\b|uhr\b|h\b|hours?\b|hrs?\b|min|o'clock|%|pts?\b|points?\b|credits?\b))"
)
_DAY_MONTH: Final = re.compile(
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.|º|ª)?[ -]{{0,2}}(?:(?:of|de|day of)\s)?(?P<month>{_MONTH})\b\.?"
    rf"(?:(?:,?\s{{0,2}}(?:del?\s|of\s)?|-)(?P<year>{_YEAR})\b|(?!\.? ?\d{{1,2}}\b(?![./:]?\d){_TIME_FOLLOWS}))",
    re.IGNORECASE,
)
"""In a table, "12 April 24" is week 12 and 24 April."""

_MONTH_DAY: Final = re.compile(
    rf"\b(?P<month>{_MONTH})\b\.?[ -]{{0,3}}(?:the\s)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b{_TIME_FOLLOWS}"
    rf"(?:,?\s{{0,2}}(?P<year>{_YEAR})\b)?",
    re.IGNORECASE,
)
_SPREADSHEET: Final = re.compile(
    rf"(?<![\w/.-])(?:(?P<day>\d{{1,2}})(?P<mark>-|/|\.\s?)(?P<month>{_MONTH})\.?(?:(?P=mark)|-|/|\s)(?P<year>{_YEAR}|\d\d)"
    rf"|(?P<month_first>{_MONTH})[-/](?P<day_last>\d{{1,2}})[-/](?P<year_last>{_YEAR}|\d\d))\b(?![/.:-]\d|\s?%)",
    re.IGNORECASE,
)
"""Dates of spreadsheets: "5-Oct-26", "Oct-05-26", "5. Okt. 26"."""

_DAY_MONTH_YEAR: Final = re.compile(
    rf"(?<=\S\s)(?P<day>\d{{1,2}})\s(?P<month>{_MONTH})\.?\s(?P<year>\d\d)(?![\w:./-]|\s?%)"
    rf"|^\W*(?:(?:{one_of(WEEKDAYS_BEFORE_DATES)})\W+)?(?P<day_only>\d{{1,2}})\s(?P<month_only>{_MONTH})\.?\s(?P<year_only>\d\d)\W*$",
    re.IGNORECASE,
)
"""The same with spaces. A number that begins a line before a date is that of its row or week: "5 Oct 26 Cells"."""

_BEFORE: Final = r"(?<![\w./:$€£#])"
_AFTER: Final = r"(?![\d/]|\.\d)"
_ISO: Final = re.compile(
    rf"{_BEFORE}(?<!-)(?P<year>{_YEAR})(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}}){_AFTER}(?!-\d)"
)
_DOTTED: Final = re.compile(
    rf"{_BEFORE}(?P<day>\d{{1,2}})\. ?(?P<month>\d{{1,2}})\.(?: ?(?P<year>{_YEAR}|\d\d(?![\d:])))?{_AFTER}"
)
_POINT: Final = re.compile(
    rf"{_BEFORE}(?P<day>\d{{1,2}})\.(?P<month>0[1-9]|1[0-2])(?P<year>)(?![\d/]|\.\d|\s?(?:%|h\b|uhr\b))"
)
"""A date in a column of dates: "24.09"."""

_FULL: Final = re.compile(
    rf"{_BEFORE}(?P<day>\d{{1,2}})(?P<mark>[/-])(?P<month>\d{{1,2}})(?P=mark)(?P<year>{_YEAR}|\d\d){_AFTER}"
)
_SHORT: Final = re.compile(
    rf"{_BEFORE}(?!24/7\b)(?P<day>\d{{1,2}})/(?P<month>\d{{1,2}})(?P<year>)"
    rf"(?!%|:\d|\s?(?:of|cup|page|points?|pts)\b){_AFTER}"
)
_JOINS: Final = re.compile(
    r"\s*(?:[-–—]|to|through|thru|until|till|bis(?: zum)?|au|al|a|hasta)\s*(?:(?:the|el|le)\s)?", re.IGNORECASE
)
_WEEKDAY_BEFORE: Final = re.compile(
    rf"\b({one_of(WEEKDAYS_BEFORE_DATES)})[.,:]{{0,2}} ?(?:the |den |dem |le |el |on )?\(?$", re.IGNORECASE
)
_WEEKDAY_AFTER: Final = re.compile(rf"\s?[(,]?\s?({one_of(WEEKDAYS)})\b(?![ .,]*\d)", re.IGNORECASE)
_AND: Final = r"(?:and|or|und|et|y)\b"
_DAY_AFTER: Final = re.compile(
    rf"\s*(?:[-–—/&]|to\b|through\b|bis\b|{_AND}|,(?= ?\d\d?(?:\s*$|\s\s|\t|\s?\||,? (?:(?:{_AND}|&) )?\d\d?\b)))\s*"
    rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!/|-\d|\.\d|\.?\s(?:{_MONTH})\b){_TIME_FOLLOWS}",
    re.IGNORECASE,
)
_DAY_BEFORE: Final = re.compile(
    r"(?<![\w./:-])(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.)?\s*(?P<join>[-–—&]|to|bis|au|al|and|und|et|y|or)\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Written:
    """A date as written.

    Attributes:
        start: start position in the line.
        end: end position.
        day: the day of the month, or the first of two numbers in ambiguous order.
        month: the month, or the second of them.
        year: four digits, or None if missing.
        open_order: whether day and month may be swapped.
        weekday: the adjacent weekday, Monday is 0.
        last: the last day of a range, if any.
    """

    start: int
    end: int
    day: int
    month: int
    year: int | None = None
    open_order: bool = False
    weekday: int | None = None
    last: "Written | None" = None


@dataclass(frozen=True, slots=True)
class Mention:
    """A date or a range of dates in a line.

    Attributes:
        start: start position in the line.
        end: end position.
        first: the day, or the first day of a range.
        last: the day, or the last day of a range.
        weekday: the adjacent weekday, Monday is 0.
    """

    start: int
    end: int
    first: date
    last: date
    weekday: int | None = None

    def holds(self, day: date) -> bool:
        """Return whether the day equals the date or is in the range."""
        return self.first <= day <= self.last


def written_dates(line: str, *, point: bool = False) -> list[Written]:
    """The dates of a line in order. A range counts as one.

    Args:
        line: as returned by `readable`.
        point: whether "26.10" is one.
    """
    if not any(character.isdigit() for character in line):
        return []
    dates: list[Written] = []
    for one in sorted(_read(line, point=point), key=lambda one: (one.start, -one.end)):
        if not dates or one.start >= dates[-1].end:
            dates.extend(_with_borrowers(line, _with_weekday(line, one), dates[-1].end if dates else 0))
    return _as_ranges(line, dates)


def _read(line: str, *, point: bool) -> Iterator[Written]:
    """The dates in any form. They may overlap, and may not exist."""
    for pattern in (
        _SPREADSHEET,
        _DAY_MONTH_YEAR,
        _DAY_MONTH,
        _MONTH_DAY,
        _ISO,
        _DOTTED,
        _FULL,
        _SHORT,
        *[_POINT] * point,
    ):
        for found in islice(pattern.finditer(line), MOST_DATES):
            said = {name.partition("_")[0]: value for name, value in found.groupdict().items() if value is not None}
            day, month, year = said["day"], said["month"].lower(), said.get("year")
            yield Written(
                found.start(),
                found.end(),
                int(day),
                MONTHS.get(month) or int(month),
                int(f"20{year}"[-4:]) if year else None,
                open_order=pattern in {_FULL, _SHORT},
            )


def _with_weekday(line: str, one: Written) -> Written:
    if before := _WEEKDAY_BEFORE.search(line, max(0, one.start - 20), one.start):
        return replace(one, start=before.start(), weekday=WEEKDAYS_BEFORE_DATES[before[1].lower()])
    if after := _WEEKDAY_AFTER.match(line, one.end):
        closed = "(" in after[0] and line[after.end() : after.end() + 1] == ")"
        return replace(one, end=after.end() + 1 if closed else one.end, weekday=WEEKDAYS[after[1].lower()])
    return one


def _with_borrowers(line: str, one: Written, floor: int) -> Iterator[Written]:
    """The date, and the days beside it that have its month: the 25th in "25-27 Nov", and the 9th in "Oct 7 and 9"."""
    before = None if one.open_order else _DAY_BEFORE.search(line, max(floor, one.start - 16), one.start)
    if before and line[one.start].isdigit() and 1 <= int(before["day"]) < one.day:
        yield replace(one, start=before.start(), end=before.start("join"), day=int(before["day"]), weekday=None)
    yield one
    while (after := _DAY_AFTER.match(line, one.end)) and (one.month if one.open_order else one.day) < int(
        after["day"]
    ) <= 31:
        day = int(after["day"])
        one = replace(one, start=after.start("day"), end=after.end("day"), weekday=None)
        one = replace(one, month=day) if one.open_order else replace(one, day=day)
        yield one


def _as_ranges(line: str, dates: list[Written]) -> list[Written]:
    """Two dates joined by a dash or "to" become one range."""
    ranges: list[Written] = []
    for one in dates:
        if ranges and ranges[-1].last is None and _JOINS.fullmatch(line, ranges[-1].end, one.start):
            ranges[-1] = replace(ranges[-1], end=one.end, last=one)
        else:
            ranges.append(one)
    return ranges
