"""Interpret the dates of one syllabus: its term, its years, and whether the day or the month is first."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import islice
from typing import Final

from courses.syllabi.dates import Mention, Written, written_dates
from courses.syllabi.rows import cells_of, role_of
from courses.syllabi.terms import Term, find_terms, term_near
from courses.syllabi.words import any_word

HEAD: Final = 60
"""Number of first lines in which a text names its subject."""

_DAY_FIRST_WORDS: Final = re.compile(rf"\b(?:{any_word('day_first')})\b")
_BARE_YEAR: Final = re.compile(r"(?<![\d./-])20\d\d(?![\d./-])")
_LASTS: Final = re.compile(r"\b(?:term|semester|quarter|course|session|class) dates?\b", re.IGNORECASE)
WEEK_OF: Final = re.compile(
    r"(?:\bweek (?:of|beginning|commencing)|\bw/c|\bsemaine du|\bsemana del|\bwoche vom|\bwoche ab) ?$", re.IGNORECASE
)
_POINT_FIRST: Final = re.compile(r"\W*(?:\d{1,2}\s*[|\t]\s*)?(?:[0-2]?\d|3[01])\.(?:0[1-9]|1[0-2])(?![\d.])")
LEAST_FULL: Final = 3
"""Full dates that set the year of a text far from today."""

MOST_TERMS: Final = 100
"""Maximum number of terms that are compared. A syllabus names a few."""

LEAST_POINTS: Final = 3
"""Lines that begin like "24.09", so that these are dates. The head of a column of dates counts as one."""

_SHORTEST_TERM: Final = timedelta(days=20)
WORKING_WEEK: Final = timedelta(days=4)
"""Days from the first day of a week to its last day with classes."""

FURTHEST: Final = 20
"""Maximum distance in years of a full date from today, for determining the year of a syllabus."""


@dataclass(frozen=True, slots=True)
class Calendar:
    """The interpretation of the dates of one syllabus.

    Attributes:
        span: the days of dates without a year.
        day_first: whether 3/4 is 3 April.
        point: whether "26.10" is one.
        sure: whether weekdays agree with the assumed years.
        term: the term in the text, else of the course; None if neither has one.
    """

    span: Term
    day_first: bool = False
    point: bool = False
    sure: bool = True
    term: Term | None = None

    def mentions(self, line: str) -> list[Mention]:
        """The valid dates of a line from `readable`, in order."""
        mentions = []
        for written in written_dates(line, point=self.point):
            first, last = self.day_of(written), self.day_of(written.last or written)
            if first and last and first <= last and (last - first).days < 200:
                if first == last and WEEK_OF.search(line, 0, written.start):
                    last = first + WORKING_WEEK
                mentions.append(Mention(written.start, written.end, first, last, written.weekday))
        return mentions

    def day_of(self, written: Written) -> date | None:
        """The day of one written date, or None if it does not exist.

        A date without a year is in the span, else fits its weekday, else is as near to the span as possible.
        """
        day, month = written.day, written.month
        if written.open_order and not self.day_first:
            day, month = month, day
        years = [written.year] if written.year else range(self.span.first.year - 1, self.span.last.year + 2)
        return min(
            (found for year in years if (found := _on(year, month, day))),
            key=lambda one: (not self.span.holds(one), one.weekday() != written.weekday, self.span.days_to(one)),
            default=None,
        )


def calendar_of(text_lines: Sequence[str], *, today: date, term: str | None = None) -> Calendar:
    """The calendar of a syllabus.

    The year is taken from the term in the text, else from full dates or a year in the text, else from the course's
    term, else from weekdays next to dates; else it is the nearest to today. Terms and years that are over come last.

    Args:
        text_lines: as returned by `readable`.
        today: the member's day.
        term: the term of the course, if known.
    """
    beginning = "\n".join(text_lines[:400])
    headed = any(role_of(cells_of(line)[0]) == "date" for line in text_lines if "|" in line or "\t" in line)
    point = sum(bool(_POINT_FIRST.match(line)) for line in text_lines) + headed >= LEAST_POINTS
    written = [one for line in text_lines for one in written_dates(line, point=point)]
    terms = dict.fromkeys(islice(find_terms("\n".join(text_lines)), MOST_TERMS))
    spans = [*terms, *_span_of_years(written, "\n".join(text_lines[:HEAD]), today)]
    named = term_near(term, today) if term else None
    spans = [*spans, *([named] if named else [])] or [Term("", today, today)]
    span = min(spans, key=lambda one: (-_fitting(one, written), one.last < today))
    calendar = Calendar(span, point=point, term=span if span.name else named)
    calendar = replace(calendar, day_first=_day_first(calendar, written, beginning))
    calendar = replace(calendar, sure=_agrees(calendar, written))
    return replace(calendar, term=_stated_term(calendar, text_lines) or calendar.term)


def _fitting(span: Term, written: Iterable[Written]) -> int:
    """The number of weekdays that fit their dates without a year in a span, if they are most of at least three."""
    calendar = Calendar(span)
    dated = [one for one in written if one.weekday is not None and one.year is None and one.last is None]
    days = [
        span.holds(day) and day.weekday() == one.weekday
        for one in dated
        if (day := calendar.day_of(replace(one, weekday=None)))
    ]
    return sum(days) if len(days) >= 3 and 2 * sum(days) > len(days) else 0


def _agrees(calendar: Calendar, written: Iterable[Written]) -> bool:
    """Return whether most adjacent weekdays fit the years. At least three are needed."""
    dated = [one for one in written if one.weekday is not None and one.year is None and one.last is None]
    days = [calendar.day_of(one) for one in dated]
    fitting = sum(day is not None and day.weekday() == one.weekday for day, one in zip(days, dated, strict=True))
    return len(dated) < 3 or fitting * 2 > len(dated)


def _span_of_years(written: Iterable[Written], head: str, today: date) -> Iterator[Term]:
    """The year of most full dates, of those not over if there are any, else a year in the head that is near today."""
    ends = [one.last or one for one in written]
    years = Counter(one.year for one in ends if one.year is not None and abs(one.year - today.year) <= FURTHEST)
    if years.total() < LEAST_FULL:  # "Last changed 5/3/97"
        years = Counter({one: count for one, count in years.items() if abs(one - today.year) <= 1})
    if not years:
        years = Counter(year for found in _BARE_YEAR.findall(head) if abs((year := int(found)) - today.year) <= 2)
    if years:
        year = max(years, key=lambda one: (one >= today.year, years[one], one))
        full = [
            day
            for one in ends
            if one.year == year and (day := _on(year, one.month, one.day) or _on(year, one.day, one.month))
        ]
        yield Term("", min(full, default=date(year, 1, 1)), max(full, default=date(year, 12, 31)))


def _day_first(calendar: Calendar, written: Iterable[Written], text: str) -> bool:
    """Return whether the day comes first, so that more dates exist, or more of them are in the term, or by language."""
    ambiguous = [part for one in written for part in (one, one.last) if part and part.open_order]

    def fitting(*, day_first: bool) -> tuple[int, int]:
        days = [*map(replace(calendar, day_first=day_first).day_of, ambiguous)]
        return sum(map(bool, days)), sum(day is not None and calendar.span.holds(day) for day in days)

    day_first, month_first = fitting(day_first=True), fitting(day_first=False)
    return day_first > month_first or (day_first == month_first and len(_DAY_FIRST_WORDS.findall(text)) >= 3)


def _stated_term(calendar: Calendar, text_lines: Iterable[str]) -> Term | None:
    """The days of the term, if lines about its dates have long ranges, and the text or the course names its year."""
    lines = (line for line in text_lines if _LASTS.search(line) and (calendar.term or _BARE_YEAR.search(line)))
    ranges = [one for line in lines for one in calendar.mentions(line) if one.last - one.first > _SHORTEST_TERM]
    if not ranges:
        return None
    return Term(calendar.term.name if calendar.term else "", ranges[0].first, max(one.last for one in ranges))


def _on(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
