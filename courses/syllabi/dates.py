"""Dates as written in a line, before missing years and the order of day and month are resolved."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
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
_NAMED: Final = re.compile(
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.|º|ª)?[ -]{{0,2}}(?:(?:of|de|day of)\s)?(?P<month>{_MONTH})\b\.?"
    rf"(?:(?:,?\s{{0,2}}(?:del?\s|of\s)?|-)(?P<year>{_YEAR})\b)?"
    rf"|\b(?P<month_first>{_MONTH})\b\.?[ -]{{0,3}}(?:the\s)?(?P<day_last>\d{{1,2}})(?:st|nd|rd|th)?\b{_TIME_FOLLOWS}"
    rf"(?:,?\s{{0,2}}(?P<year_last>{_YEAR})\b)?",
    re.IGNORECASE,
)
_MONTH_DAY: Final = re.compile(rf"\b{_MONTH}\b\.? ?\d{{1,2}}\b(?![./:]?\d){_TIME_FOLLOWS}", re.IGNORECASE)
_FIGURES: Final = re.compile(
    r"(?<![\w./:$€£#])(?:"
    rf"(?<!-)(?P<iso>{_YEAR})(?P<join>[-/.])(?P<iso_month>\d{{1,2}})(?P=join)(?P<iso_day>\d{{1,2}})(?![\d/]|[.-]\d)"
    rf"|(?P<a>\d{{1,2}})(?P<dot>\.) ?(?P<b>\d{{1,2}})\.(?: ?(?P<year>{_YEAR}|\d\d(?![\d:])))?(?![\d/]|\.\d)"
    rf"|(?P<c>\d{{1,2}})(?P<mark>[/.-])(?P<d>\d{{1,2}})(?P=mark)(?P<year_last>{_YEAR}|\d\d)(?![\d/]|\.\d)"
    r"|(?P<e>\d{1,2})/(?P<f>\d{1,2})(?![\d/%]|[.:]\d|\s?(?:of|cup|page|points?|pts)\b))"
)
_JOINS: Final = re.compile(
    r"\s*(?:[-–—]|to|through|thru|until|till|bis(?: zum)?|au|al|a|hasta)\s*(?:(?:the|el|le)\s)?", re.IGNORECASE
)
_WEEKDAY_BEFORE: Final = re.compile(
    rf"\b({one_of(WEEKDAYS_BEFORE_DATES)})[.,:]{{0,2}} ?(?:the |den |dem |le |el |on )?\(?$", re.IGNORECASE
)
_WEEKDAY_AFTER: Final = re.compile(rf"\s?[(,]?\s?({one_of(WEEKDAYS)})\b", re.IGNORECASE)
_SECOND_DAY: Final = re.compile(
    rf"\s*(?P<join>[-–—/]|to\b|through\b|bis\b|and\b|or\b|und\b|et\b|y\b|&"
    rf"|,(?= ?\d\d?(?:\s*$|\s\s|\t|\s?\|)))\s*(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!/|-\d"
    rf"|\.\d|\.?\s(?:{_MONTH})\b){_TIME_FOLLOWS}",
    re.IGNORECASE,
)
_FIRST_DAY: Final = re.compile(
    r"(?<![\w./:-])(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.)?\s*(?P<join>[-–—]|to|bis|au|al|and|und|et|y|or|&)\s*$",
    re.IGNORECASE,
)
_LIST: Final = {"and", "und", "et", "y", "or", "&", "/", ","}


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


def written_dates(line: str, *, dotted: bool = True) -> list[Written]:
    """The dates of a line in order. A range counts as one.

    Args:
        line: as returned by `readable`.
        dotted: whether "26.10." without a year is a date, as in German.
    """
    if not any(character.isdigit() for character in line):
        return []
    found = sorted(
        [*islice(_named(line), MOST_DATES), *islice(_figures(line, dotted=dotted), MOST_DATES)],
        key=lambda one: (one.start, -one.end),
    )
    dates: list[Written] = []
    for one in found:
        if dates and one.start < dates[-1].end:
            continue
        dates.extend(_with_second_day(line, _with_weekday(line, one), dates[-1].end if dates else 0))
    return _as_ranges(line, dates)


def _named(line: str) -> Iterator[Written]:
    """Dates with the month as a word."""
    at = 0
    while found := _NAMED.search(line, at):
        at = found.end()
        if found["month"]:
            month_at = found.start("month")
            if not found["year"] and _MONTH_DAY.match(line, month_at):
                at = month_at  # "12 April 24" in a table is week 12 and 24 April
                continue
            day, month, year = found["day"], found["month"], found["year"]
        else:
            day, month, year = found["day_last"], found["month_first"], found["year_last"]
            if month in {"may", "march", "mar", "a", "mai"} and line[: found.start()].rstrip()[-1:].isalpha():
                continue  # a verb
        if 1 <= int(day) <= 31:
            yield Written(found.start(), found.end(), int(day), MONTHS[month.lower()], int(year) if year else None)


def _figures(line: str, *, dotted: bool) -> Iterator[Written]:
    """Numeric dates."""
    for found in _FIGURES.finditer(line):
        if found["iso"]:
            numbers, open_order = (found["iso_day"], found["iso_month"], found["iso"]), False
        elif found["dot"]:
            if not found["year"] and not dotted:
                continue
            numbers, open_order = (found["a"], found["b"], found["year"]), False
        elif found["mark"]:
            numbers, open_order = (found["c"], found["d"], found["year_last"]), found["mark"] != "."
        else:
            numbers, open_order = (found["e"], found["f"], None), True
        day, month = int(numbers[0]), int(numbers[1])
        year = None if numbers[2] is None else int(numbers[2]) + (2000 if len(numbers[2]) == 2 else 0)
        fits = 1 <= day <= 31 and 1 <= month <= 12
        if (fits or (open_order and 1 <= day <= 12 and 1 <= month <= 31)) and found[0] != "24/7":
            yield Written(found.start(), found.end(), day, month, year, open_order)


def _with_weekday(line: str, one: Written) -> Written:
    before = _WEEKDAY_BEFORE.search(line[max(0, one.start - 20) : one.start])
    if before:
        start = one.start - (min(one.start, 20) - before.start())
        return replace(one, start=start, weekday=WEEKDAYS_BEFORE_DATES[before[1].lower()])
    after = _WEEKDAY_AFTER.match(line, one.end)
    if (
        after
        and (after[1][0].isupper() or len(after[1]) > 4)
        and not line[after.end() :].lstrip(" .,").startswith(tuple("0123456789"))
    ):
        return replace(one, weekday=WEEKDAYS[after[1].lower()])
    return one


def _with_second_day(line: str, one: Written, floor: int) -> Iterator[Written]:
    """The date with the second day of "Nov 25-27" or "7 and 9 October": a range, or another date."""
    after = _SECOND_DAY.match(line, one.end)
    if after and 1 <= int(after["day"]) <= 31 and (one.open_order is False or after["join"] in "-–—"):
        day = int(after["day"])
        other = replace(one, start=after.start("day"), end=after.end("day"), weekday=None)
        other = replace(other, month=day) if one.open_order else replace(other, day=day)
        known = one.month if one.open_order else one.day
        if after["join"].lower() in _LIST:
            yield one
            yield other
            return
        if day > known:
            yield replace(one, end=other.end, last=other)
            return
    before = None if one.open_order else _FIRST_DAY.search(line[max(floor, one.start - 16) : one.start])
    dashed = before is not None and before["join"] in "-–—"
    if before and 1 <= int(before["day"]) < one.day and (line[one.start].isdigit() or not dashed):
        start = max(floor, one.start - 16) + before.start()
        first = replace(one, start=start, day=int(before["day"]), weekday=None)
        if before["join"].lower() in _LIST:
            yield replace(first, end=one.start)
            yield one
        else:
            yield _with_weekday(line, replace(first, last=one))
        return
    yield one


def _as_ranges(line: str, dates: list[Written]) -> list[Written]:
    """Two dates joined by a dash or "to" become one range."""
    ranges: list[Written] = []
    for one in dates:
        if ranges and ranges[-1].last is None and _JOINS.fullmatch(line, ranges[-1].end, one.start):
            ranges[-1] = replace(ranges[-1], end=one.end, last=one.last or one)
        else:
            ranges.append(one)
    return ranges
