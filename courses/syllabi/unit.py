"""A piece of a syllabus with a title and its date: a cell, a short line or a sentence."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from courses.syllabi.dates import Mention
from courses.syllabi.vocabulary import whole_word

BEGIN: Final = re.compile(
    r"[\s*#]*(?:(?:week|wk|woche|kw|semaine|semana|class|session|lecture|day|module?|unit|unidad|modulo|no|séance|sitzung|sesión)\.?\s*#?\d{0,2}"
    r"|\d{1,2}|(?:\d{1,2}\s)?(?:M|T|W|R|F|TH|TU|SA|SU|(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\W{0,2}){1,2})|finals)?[\s:.,(*|–—-]*",
    re.IGNORECASE,
)
"""Text allowed before the date at the start of a line."""

WEEK_HEAD: Final = re.compile(r"[\s*#]*(?:week|wk|woche|semaine|semana)\s*#?\d", re.IGNORECASE)
"""The number of a week at the start of a line."""

WHEN_WORDS: Final = whole_word("when")


@dataclass(frozen=True, slots=True)
class Unit:
    """A cell, a short line, or a sentence.

    Attributes:
        text: its words.
        line: its first line, from 0.
        mentions: the dates in it.
        given: the date from its row, its block or a line above; None without one.
        reason: whether its row, column or block says that something is due.
        titled: whether its place says that it is the title of work.
        entry: whether its date follows it in its row, as in a list of deadlines.
        several: whether its row has several dates and no column determines which one counts.
        prose: whether it is a sentence of a long line.
        in_week: whether its line begins with a week number and has no date.
        detail: whether its date is a detail in a line of its own.
        role: the role of its column, empty if it has none; None outside of tables.
    """

    text: str
    line: int
    mentions: Sequence[Mention] = ()
    given: Mention | None = None
    reason: bool = False
    titled: bool = False
    entry: bool = False
    several: bool = False
    prose: bool = False
    in_week: bool = False
    detail: bool = False
    role: str | None = None


def dates_inside(mentions: Sequence[Mention], start: int, text: str) -> list[Mention]:
    """The mentions within a text that begins at `start`, with positions relative to it."""
    return [
        replace(one, start=one.start - start, end=one.end - start)
        for one in mentions
        if start <= one.start and one.end <= start + len(text)
    ]
