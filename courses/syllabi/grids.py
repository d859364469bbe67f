"""Weekdays alone below a date."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import Final

from courses.syllabi.dates import Mention
from courses.syllabi.words import WEEKDAYS, one_of, weekdays_in

MOST_BELOW: Final = 8
"""Maximum number of lines between two days."""

MOST_CHARACTERS: Final = 300
"""Characters of a line that are searched for its date."""

_WEEKDAY: Final = re.compile(rf"[\s|*#_-]*(?P<weekday>{one_of(WEEKDAYS)})[.:*_]*(?=\s*(?:$|\||\t))", re.IGNORECASE)
BEGINS: Final = 12
"""Maximum position at which a date begins its line."""


def with_weekdays(lines: Sequence[str], dates: Callable[[str], Sequence[Mention]]) -> Iterator[str]:
    """The lines with its date after each weekday that is alone in its line or first cell, below a line with a date.

    Args:
        lines: as returned by `readable`.
        dates: the dates of a line.
    """
    if not any(map(_WEEKDAY.match, lines)):
        yield from lines
        return
    last: date | None = None
    left = 0
    for line in lines:
        left -= 1
        found = _WEEKDAY.match(line)
        first = next(iter(dates(line[:MOST_CHARACTERS])), None)
        if first and first.start < BEGINS:
            last, left = (first.first if first.first == first.last else None), MOST_BELOW
        elif found and last and left >= 0 and len(weekdays_in(line)) == 1:
            last += timedelta(days=(WEEKDAYS[found["weekday"].lower()] - last.weekday()) % 7)
            left = MOST_BELOW
            line = f"{line[: found.end('weekday')]} {last:%Y-%m-%d}{line[found.end() :]}"  # noqa: PLW2901
        yield line
