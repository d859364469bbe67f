"""Days without their date: bare numbers below the name of a month, and weekdays alone below a date."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import Final

from courses.syllabi.dates import Mention
from courses.syllabi.words import MONTHS, WEEKDAYS, one_of, weekdays_in

MOST_LINES: Final = 60
"""Maximum number of lines below the name of a month that may contain its days."""

MOST_BELOW: Final = 8
"""Maximum number of lines of text below the days of a week."""

MOST_CHARACTERS: Final = 300
"""Maximum length of a line of a calendar."""

_MONTH: Final = re.compile(rf"\W*(?P<month>{one_of(MONTHS)})\.?,?(?P<year>\s+20\d\d)?\W*", re.IGNORECASE)
_WEEKS: Final = re.compile(r"\W*(?P<month>week|woche|semaine|semana)[ns]\W*", re.IGNORECASE)
_DAY: Final = re.compile(
    r"(?P<before>(?:^|[|\t]|\s{3,})\s*)(?P<day>[1-9]|[12]\d|3[01])(?=[\s|.:)]|$)(?![.:]?\d|\s?[-–/%])(?P<point>[.:)])?"
)
_CELL: Final = re.compile(r"\S+(?: \S+)*")
_WEEKDAY: Final = re.compile(rf"[\s|*#_-]*(?P<weekday>{one_of(WEEKDAYS)})[.:*_]*(?=\s*(?:$|\||\t))", re.IGNORECASE)
BEGINS: Final = 12
"""Maximum position at which a date begins its line."""


def with_months(lines: Sequence[str]) -> Iterator[str]:
    """The lines with the month inserted before each bare day, as long as the days increase.

    Below a line with only days, the text of each day becomes one cell: "October 8: Listening quiz | October 9: …".
    """
    month, year, day, left = "", "", 0, 0
    below: list[str] = []
    for at, line in enumerate(lines):
        if below:
            yield below.pop(0)
        elif len(line) < 40 and (found := _MONTH.fullmatch(line) or _WEEKS.fullmatch(line)):
            month, day, left = found["month"].capitalize(), 0, MOST_LINES  # not like a course number: "OCTOBER 13"
            year = f", {found['year'].strip()}" if found.groupdict().get("year") else ""
            yield line
        else:
            left -= 1
            found_days = list(_DAY.finditer(line)) if left >= 0 and len(line) < MOST_CHARACTERS else []
            days = [int(one["day"]) for one in found_days]
            if not days or days != sorted({*days}) or days[0] <= day:
                yield line
                continue
            day = days[-1]
            texts = list(_below(lines, at + 1)) if not _DAY.sub("", line).strip() else []
            if texts:
                cells = cells_below([one.start("day") for one in found_days], texts)
                dated = [f"{month} {number}{year}: {cell}" for number, cell in zip(days, cells, strict=True) if cell]
                below = [" | ".join(dated), *[""] * (len(texts) - 1)]
                yield ""
            else:
                yield _DAY.sub(rf"\g<before>{month} \g<day>{year}:", line)


def _below(lines: Sequence[str], start: int) -> Iterator[str]:
    """The lines of text below a line of days, until the next one or an empty line."""
    for line in lines[start : start + MOST_BELOW]:
        if not line.strip() or len(line) >= MOST_CHARACTERS or _DAY.match(line) or _MONTH.fullmatch(line):
            return
        yield line


def cells_below(starts: Sequence[int], lines: Sequence[str]) -> list[str]:
    """The text in each column, which begins nearest to where its day begins."""
    cells = [""] * len(starts)
    for line in lines:
        for found in _CELL.finditer(line):
            nearest = min(range(len(starts)), key=lambda at: abs(starts[at] - found.start()))
            cells[nearest] = f"{cells[nearest]} {found[0]}".strip()
    return cells


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
