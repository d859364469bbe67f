"""A syllabus, parsed once for all queries."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cached_property
from typing import Final

from courses.syllabi.calendars import Calendar, Mention, calendar_of
from courses.syllabi.columns import columns_of
from courses.syllabi.grids import with_months
from courses.syllabi.quotes import Quotable
from courses.syllabi.text import lines_of, readable
from courses.syllabi.titles import cleaned, is_title
from courses.syllabi.unit import BEGIN
from courses.syllabi.words import RECURRING, RELATIVE, weekdays_in

WEEK: Final = timedelta(days=7)
"""Days that the dates in one row of a timetable span at most."""


@dataclass(frozen=True, slots=True)
class Said:
    """Indirect mentions of days in a line.

    Attributes:
        recurring: something recurs.
        relative: something depends on another day, or on a week number.
        weekdays: the mentioned weekdays.
    """

    recurring: bool
    relative: bool
    weekdays: frozenset[int]


@dataclass(frozen=True)
class Syllabus:
    """The text of a syllabus with the calendar for reading its dates.

    Attributes:
        raw: its lines unchanged; line 1 of an answer is `raw[0]`.
        lines: the same, as returned by `readable`.
        calendar: the interpretation of its dates.
    """

    raw: Sequence[str]
    lines: Sequence[str]
    calendar: Calendar
    _mentions: dict[int, list[Mention]] = field(default_factory=dict, repr=False)
    _said: "dict[int, Said]" = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, text: str, *, today: date, term: str | None = None) -> "Syllabus":
        """Parse a text.

        Args:
            text: up to 500,000 characters, which take a fraction of a second.
            today: the member's day, for dates without a year if nothing else determines it.
            term: the term of the course, for the same purpose.
        """
        raw = lines_of(text)
        lines = list(with_months([readable(line) for line in raw]))
        return cls(raw, lines, calendar_of(lines, today=today, term=term))

    def mentions(self, line: int) -> list[Mention]:
        """The dates of a line (from 0). Empty if the line does not exist."""
        if not 0 <= line < len(self.lines):
            return []
        if line not in self._mentions:
            self._mentions[line] = self.calendar.mentions(self.lines[line])
        return self._mentions[line]

    def dates_in_text(self, text: str) -> list[Mention]:
        """The dates of a text made of `lines`, with their positions."""
        return self.calendar.mentions(text)

    def in_term(self, day: date) -> bool:
        """Return whether a day is in the term of the text or of the course, if either is known."""
        return self.calendar.term is None or self.calendar.term.holds(day)

    def dates_in(self, text: str) -> list[Mention]:
        """The dates of a text outside of the lines, like a quote, read by this calendar."""
        return self.calendar.mentions(readable(" ".join(text.split())))

    @cached_property
    def columns(self) -> "list[Syllabus]":
        """The text, or its two columns if entries with dates of their own begin at one place of its lines."""

        def apart(left: str, right: str) -> bool:
            dates = self.calendar.mentions(right)
            if BEGIN.fullmatch(left) or len(dates) != 1 or dates[0].start > 2 or not is_title(cleaned(right, dates)):
                return False
            return all(abs(one.first - dates[0].first) > WEEK for one in self.calendar.mentions(left))

        found = columns_of(self.raw, apart)
        return [replace(self, lines=[*map(readable, lines)], _mentions={}, _said={}) for lines in found] or [self]

    def said(self, line: int) -> "Said":
        """Indirect mentions of days in a line (from 0)."""
        if line not in self._said:
            text = self.lines[line]
            self._said[line] = Said(
                bool(RECURRING.search(text)), bool(RELATIVE.search(text)), frozenset(weekdays_in(text))
            )
        return self._said[line]

    def places(self, quote: str) -> list[range]:
        """The lines (from 0) of each occurrence of a quote."""
        return self._quotable.places(quote)

    @cached_property
    def _quotable(self) -> Quotable:
        return Quotable(self.raw)
