"""Weekdays in a quote that contradict their date."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final

from courses.syllabi.dates import Mention
from courses.syllabi.reader import Syllabus
from courses.syllabi.text import quoted
from courses.syllabi.words import NAMED_WEEKDAYS, WEEKDAYS_BEFORE_DATES, one_of

_BEFORE: Final = WEEKDAYS_BEFORE_DATES | NAMED_WEEKDAYS


def _run(names: dict[str, int]) -> str:
    """A pattern for weekdays separated only by punctuation and a word for "and"."""
    day = rf"\b(?:{one_of(names)})\b"
    return rf"{day}(?:\W+(?:(?:and|or|to|und|oder|bis|et|ou|y|o)\W+)?{day})*"


_RUN_BEFORE: Final = re.compile(rf"({_run(_BEFORE)})\W*$", re.IGNORECASE)
_RUN_AFTER: Final = re.compile(rf"\W*({_run(NAMED_WEEKDAYS)})", re.IGNORECASE)
_NAME: Final = re.compile(rf"\b(?:{one_of(_BEFORE)})\b", re.IGNORECASE)
_OF_MENTION: Final = re.compile(rf"(?:{one_of(_BEFORE)})\b\W*(?:(?:the|den|dem|le|el|on)\b\W*)?", re.IGNORECASE)
"""A weekday at the start of a mention."""
_ENDS_MENTION: Final = re.compile(rf"\W*\b(?:{one_of(NAMED_WEEKDAYS)})\b\W*$", re.IGNORECASE)

_WEEK: Final = timedelta(days=6)


def misplaced_weekday(syllabus: Syllabus, quote: str) -> tuple[int, date] | None:
    """The first weekday (Monday is 0) that contradicts the date next to it, and that date.

    Only punctuation may stand between the two. A weekday between two dates may belong to either.
    """
    text = quoted(quote)
    begin, left = 0, None
    for right in (*syllabus.dates_in(quote), None):
        end = len(text) if right is None else _start(text, right)
        for run, dates in _runs(text[begin:end], left, right):
            if (found := _misplaced(run, dates)) is not None:
                return found
        if right is not None:
            begin, left = _end(text, right), right
    return None


def _start(text: str, mention: Mention) -> int:
    """The start of the date itself, after a weekday that is part of the mention."""
    weekday = _OF_MENTION.match(text, mention.start, mention.end)
    return mention.start if weekday is None else weekday.end()


def _end(text: str, mention: Mention) -> int:
    """The end of the date itself, before a weekday that is part of the mention, as in "Jan 24 (Fri)"."""
    weekday = _ENDS_MENTION.search(text[_start(text, mention) : mention.end])
    return mention.end if weekday is None else _start(text, mention) + weekday.start()


def _runs(gap: str, left: Mention | None, right: Mention | None) -> Iterator[tuple[str, list[Mention]]]:
    """The weekdays at both ends of the text between two dates, with the dates next to them."""
    after = _RUN_AFTER.match(gap) if left else None
    before = _RUN_BEFORE.search(gap) if right else None
    if after and before and after.start(1) == before.start(1):
        yield before[1], [one for one in (right, left) if one]
        return
    if after and left:
        yield after[1], [left]
    if before and right:
        yield before[1], [right]


def _misplaced(run: str, dates: Sequence[Mention]) -> tuple[int, date] | None:
    names = [name for name in _NAME.findall(run) if len(name) > 4 or name[0].isupper()]
    days = [_BEFORE[name.lower()] for name in names]
    if not days or any(_falls_in(day, one) for day in days for one in dates):
        return None
    return days[0], dates[0].first


def _falls_in(weekday: int, mention: Mention) -> bool:
    span = mention.last - mention.first
    return span >= _WEEK or (weekday - mention.first.weekday()) % 7 <= span.days
