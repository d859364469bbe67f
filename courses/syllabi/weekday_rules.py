"""Weekdays on which work of a kind is due, said once for all weeks: "Labs are due on Wednesday"."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from typing import Final

from courses.syllabi.comparison import Title
from courses.syllabi.cues import DUE
from courses.syllabi.phrases import phrases_of
from courses.syllabi.rows import cells_of, sentences_of
from courses.syllabi.titles import is_title
from courses.syllabi.words import weekdays_in

MOST_CHARACTERS: Final = 300
"""Maximum length of a line with a rule."""

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
