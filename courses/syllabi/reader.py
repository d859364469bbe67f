"""A syllabus, parsed once for all queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cached_property
from typing import Final

from courses.syllabi.calendars import Calendar, calendar_of
from courses.syllabi.dates import Mention
from courses.syllabi.rows import WEEKS_HEAD, Row, rows_of
from courses.syllabi.tables import with_whole_rows
from courses.syllabi.text import Quotable, lines_of, plain, quoted, readable
from courses.syllabi.weekday_rules import Rules, rules_in, with_weekdays

WHOLE_WEEK: Final = timedelta(days=6)


@dataclass(frozen=True)
class Syllabus:
    """The text of a syllabus with the calendar for reading its dates.

    Attributes:
        raw: its lines unchanged; line 1 of an answer is `raw[0]`.
        lines: the same, as returned by `readable`.
        calendar: the interpretation of its dates.
        begins: the first line of a row of a table, by its other lines.
    """

    raw: Sequence[str]
    lines: Sequence[str]
    calendar: Calendar
    begins: Mapping[int, int] = field(default_factory=dict)
    _dates: dict[str, list[Mention]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, text: str, *, today: date, term: str | None = None) -> "Syllabus":
        """Parse a text.

        Args:
            text: up to 500,000 characters, which take a fraction of a second.
            today: the member's day, for dates without a year if nothing else determines it.
            term: the term of the course, for the same purpose.
        """
        raw = lines_of(text)
        whole, begins = with_whole_rows(plain(raw))
        lines = [readable(line) for line in whole]
        calendar = calendar_of(lines, today=today, term=term)
        return cls(raw, list(with_weekdays(lines, calendar.mentions)), calendar, begins)

    def mentions(self, line: int) -> list[Mention]:
        """The dates of a line (from 0). Empty if the line does not exist."""
        found = self.dates_in_text(self.lines[line]) if 0 <= line < len(self.lines) else []
        if found and line in self._weeks and found[0].first == found[0].last:
            return [replace(found[0], last=found[0].first + WHOLE_WEEK), *found[1:]]
        return found

    def dates_in_text(self, text: str) -> list[Mention]:
        """The dates of a text made of `lines`, with their positions."""
        if text not in self._dates:
            self._dates[text] = self.calendar.mentions(text)
        return self._dates[text]

    def in_term(self, day: date) -> bool:
        """Return whether a day is in the term of the text or of the course, if either is known."""
        return self.calendar.term is None or self.calendar.term.holds(day)

    def dates_in(self, text: str) -> list[Mention]:
        """The dates of a text outside of the lines, like a quote, read by this calendar."""
        return self.calendar.mentions(quoted(text))

    @cached_property
    def rows(self) -> Sequence[Row]:
        """The rows of the text, without empty lines."""
        return list(rows_of(self.lines))

    @cached_property
    def _weeks(self) -> frozenset[int]:
        """The rows of tables whose first date is the first day of a week, by the head of its column."""
        cells = ((row.line, *one) for row in self.rows for one in zip(row.cells, row.heads, strict=False))
        weeks = ((line, cell) for line, cell, head in cells if WEEKS_HEAD.match(head))
        return frozenset(line for line, cell in weeks if not cell.isdigit() and any(map(str.isdigit, cell)))

    @cached_property
    def due_rows(self) -> frozenset[int]:
        """The rows of tables with a date in a column of due dates."""
        cells = ((row.line, *one) for row in self.rows for one in zip(row.cells, row.roles, strict=False))
        return frozenset(line for line, cell, role in cells if role == "due" and self.dates_in_text(cell))

    @cached_property
    def rules(self) -> Rules:
        """The weekdays on which work of a kind is due."""
        return rules_in(self.lines, self.mentions)

    def places(self, quote: str) -> list[range]:
        """The lines (from 0) of each occurrence of a quote, from the first line of a row."""
        found = self._quotable.places(quote)
        return [range(self.begins.get(place.start, place.start), place.stop) for place in found]

    def quote(self, line: int) -> str:
        """The text of a line (from 0), or of all lines of its row."""
        end = line + 1
        while end in self.begins:
            end += 1
        return " ".join(" ".join(self.raw[line:end]).split())

    @cached_property
    def _quotable(self) -> Quotable:
        return Quotable(self.raw)
