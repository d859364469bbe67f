"""Schedules whose rows have only the first day of their week."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from courses.syllabi.evidence import FURTHEST
from courses.syllabi.reader import Syllabus

_WEEK: Final = timedelta(days=7)
_LEAST: Final = timedelta(days=5)
_MOST: Final = timedelta(days=9)
"""Days between the rows of two weeks. A holiday may move one."""

_FARTHEST_ROW: Final = 30
"""Maximum number of lines of one week."""


def in_week_of(syllabus: Syllabus, place: range, due_on: date) -> bool:
    """Return whether a day is in the week that begins in the lines of a quote, or in the nearest dated line above.

    A row is a week if the next dated row begins one later, or the one before it began one earlier.
    """
    for line in range(place.stop - 1, max(-1, place.start - FURTHEST - 1), -1):
        if starts := [mention.first for mention in syllabus.mentions(line) if mention.first == mention.last]:
            begins = starts[0]
            return begins <= due_on < begins + _WEEK and _is_week(syllabus, line, begins)
    return False


def _is_week(syllabus: Syllabus, line: int, begins: date) -> bool:
    below = next(_starts(syllabus, range(line + 1, line + _FARTHEST_ROW)), None)
    above = next(_starts(syllabus, range(line - 1, line - _FARTHEST_ROW, -1)), None)
    if below is not None and begins < below <= begins + _MOST:
        return below >= begins + _LEAST
    return above is not None and _LEAST <= begins - above <= _MOST


def _starts(syllabus: Syllabus, lines: range) -> Iterator[date]:
    """The first date of each of these lines that has one."""
    for line in lines:
        for mention in syllabus.mentions(line)[:1]:
            yield mention.first
