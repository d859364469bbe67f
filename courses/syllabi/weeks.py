"""Days named by the number of a week: "Friday of week 4", where the text says when a week begins."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Final

from courses.syllabi.dates import Mention
from courses.syllabi.words import WEEKDAYS, one_of

MOST_WEEKS: Final = 20
"""Weeks of the longest term that is counted."""

_WEEK: Final = r"(?:teaching )?(?:week|woche|semaine|semana)\s?#?"
_NUMBERED: Final = re.compile(rf"\b{_WEEK}(?P<week>\d{{1,2}})\b", re.IGNORECASE)
_BEGINS: Final = re.compile(
    r"\W{0,4}(?:(?:begins?|starts?|commences?|is|of|on|the|beginnt|am)\W{1,2}){0,3}", re.IGNORECASE
)
_BETWEEN: Final = re.compile(rf"\bbetween\s{_WEEK}(?P<week>\d{{1,2}})\s(?:and|&)\s{_WEEK}\d", re.IGNORECASE)
_DAY: Final = re.compile(
    rf"\b(?P<day>{one_of(WEEKDAYS)})\b,?\s(?:of|in)\s{_WEEK}(?P<week>\d{{1,2}})\b"
    rf"|\b{_WEEK}(?P<week_first>\d{{1,2}})\b\W{{1,3}}(?:(?:in|on|by|the)\s){{0,2}}(?P<day_last>{one_of(WEEKDAYS)})\b",
    re.IGNORECASE,
)
_HEAD: Final = re.compile(rf"\W*(?:{_WEEK}|wk\.?\s?)(?P<week>\d{{1,2}})(?=\s|:|$)", re.IGNORECASE)
WORKING_WEEK: Final = timedelta(days=4)
"""Days from the first day of a week to its last day with classes."""


def days_of_weeks(line: str, weeks: Mapping[int, date]) -> Iterator[Mention]:
    """The days of a line that are named by their week, if the Monday of that week is known; else the week it begins
    with.
    """
    found = None
    for found in _DAY.finditer(line) if weeks else ():
        weekday = WEEKDAYS[(found["day"] or found["day_last"]).lower()]
        if monday := weeks.get(int(found["week"] or found["week_first"])):
            day = monday + timedelta(days=weekday)
            yield Mention(found.start(), found.end(), day, day, counted=True)
    head = _HEAD.match(line) if weeks and not found else None
    if head and (monday := weeks.get(int(head["week"]))):
        yield Mention(head.start(), head.end(), monday, monday + WORKING_WEEK, counted=True)


def weeks_in(lines: Sequence[str], dates: Callable[[str], Sequence[Mention]]) -> dict[int, date]:
    """The Mondays of numbered weeks, counted on from those whose date the text says.

    Args:
        lines: as returned by `readable`.
        dates: the dates of a line.
    """
    known: dict[int, date] = {}
    gaps = {int(found["week"]) for found in _BETWEEN.finditer("\n".join(lines))}
    for line in lines:
        numbers = [*_NUMBERED.finditer(line)] if len(line) < 400 else []
        named = dates(line) if numbers else ()
        for found in numbers:
            for one in named:
                ahead = one.end <= found.start() and re.fullmatch(r"[\s(,:]*", line[one.end : found.start()])
                if ahead or (found.end() <= one.start and _BEGINS.fullmatch(line, found.end(), one.start)):
                    known.setdefault(int(found["week"]), one.first - timedelta(days=one.first.weekday()))
                    break
    weeks: dict[int, date] = {}
    for week in range(1, MOST_WEEKS + 1) if known else ():
        if week in known:
            weeks[week] = known[week]
        elif week - 1 in weeks:
            weeks[week] = weeks[week - 1] + timedelta(days=14 if week - 1 in gaps else 7)
    return weeks
