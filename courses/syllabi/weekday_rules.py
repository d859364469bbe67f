"""Weekdays that stand for dates: alone below a date, or said once for all weeks ("Labs are due on Wednesday")."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import Final

from courses.syllabi.comparison import Title
from courses.syllabi.dates import Mention
from courses.syllabi.phrases import phrases_of
from courses.syllabi.rows import cells_of, sentences_of
from courses.syllabi.titles import is_title
from courses.syllabi.words import DUE, WEEKDAYS, one_of, weekdays_in

MOST_BELOW: Final = 8
"""Maximum number of lines between two days."""

MOST_CHARACTERS: Final = 300
"""Characters of a line that are searched for its date, and the maximum length of a line with a rule."""

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


MOST_RULES: Final = 50

Rules = Sequence[tuple[Title, int]]
"""Names of work, and the weekday (Monday is 0) on which it is due."""


def rules_in(lines: Sequence[str], dates: Callable[[int], Sequence[object]]) -> Rules:
    """The rules of a text: sentences with "due" and one weekday, and rows with a name and one weekday.

    Args:
        lines: as returned by `readable`.
        dates: the dates of a line (from 0).
    """
    found = []
    for line, text in enumerate(lines):
        if len(text) < MOST_CHARACTERS and len(weekdays_in(text)) == 1 and not dates(line):
            found += [(Title.of(name), min(weekdays_in(text))) for name in _names(text)]
    return found[:MOST_RULES]


def _names(text: str) -> Iterator[str]:
    cells = cells_of(text)
    if len(cells) > 1:
        if weekdays_in(cells[-1]) and not weekdays_in(cells[0]) and is_title(cells[0]):
            yield cells[0]
        return
    for _, sentence in sentences_of(text):
        if DUE.search(sentence) and weekdays_in(sentence):
            yield from (phrase.title for phrase in phrases_of(sentence)[:1])


def day_by_rule(rules: Rules, title: str, first: date) -> date | None:
    """The day of the week from `first` on which work of this name is due; None without a rule."""
    words = Title.of(title[:MOST_CHARACTERS]).words if rules else frozenset()
    weekday = next((day for name, day in rules if name.words & words and name.words <= words | {"assignment"}), None)
    return None if weekday is None else first + timedelta(days=(weekday - first.weekday()) % 7)
