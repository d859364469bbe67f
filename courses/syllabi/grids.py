"""Month calendars, and lists below the name of a month, whose days are bare numbers."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from courses.syllabi.words import MONTHS, one_of

MOST_LINES: Final = 60
"""Maximum number of lines below the name of a month that may contain its days."""

_MONTH: Final = re.compile(rf"\W*(?P<month>{one_of(MONTHS)})\.?,?(?P<year>\s+20\d\d)?\W*", re.IGNORECASE)
_WEEKS: Final = re.compile(r"\W*(?P<month>week|woche|semaine|semana)[ns]\W*", re.IGNORECASE)
_DAY: Final = re.compile(
    r"(?P<before>(?:^|[|\t]|\s{3,})\s*)(?P<day>[1-9]|[12]\d|3[01])(?=[\s|.:)]|$)(?![.:]?\d|\s?[-–/%])(?P<point>[.:)])?"
)


def with_months(lines: Iterable[str]) -> Iterator[str]:
    """The lines with the month inserted before each bare day, as long as the days increase."""
    month, day, left = "", 0, 0
    for line in lines:
        if len(line) < 40 and (found := _MONTH.fullmatch(line) or _WEEKS.fullmatch(line)):
            month, day, left = f"{found['month']}", 0, MOST_LINES
            year = f", {found['year'].strip()}" if found.groupdict().get("year") else ""
        elif left and len(line) < 300:
            left -= 1
            days = [int(one["day"]) for one in _DAY.finditer(line)]
            if days and days == sorted({*days}) and days[0] > day:
                yield _DAY.sub(rf"\g<before>{month} \g<day>{year}:", line)
                day = days[-1]
                continue
        yield line
