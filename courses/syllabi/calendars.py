"""Interpret the dates of one syllabus: its term, its years, and whether the day or the month is first."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import MAXYEAR, MINYEAR, date, timedelta
from typing import Final

from courses.syllabi.dates import Written, written_dates
from courses.syllabi.terms import Term, distance, find_term, find_terms, term_near
from courses.syllabi.weeks import WORKING_WEEK, days_of_weeks, weeks_in

HEAD: Final = 60
"""Number of first lines in which a text names its subject."""

_GERMAN: Final = re.compile(r"\b(?:und|der|die|das|Abgabe|Klausur|Vorlesung|Uhr|Termine?|vom|bis|am)\b")
_DAY_FIRST_WORDS: Final = re.compile(
    r"\b(?:und|der|die|les?|des|del|los|las|est|cours|module|modules|coursework|marks|Michaelmas|Hilary|Trinity"
    r"|Autumn term|timetable|programme|organis\w+)\b"
)
_BARE_YEAR: Final = re.compile(r"(?<![\d./-])20\d\d(?![\d./-])")
_BEGINS: Final = re.compile(
    r"\b(?:first day of (?:class|classes|instruction|the term|term|the semester|lectures)"
    r"|(?:class|classes|instruction|semester|term|quarter|lectures) (?:begins?|starts?)"
    r"|vorlesungsbeginn|semesterbeginn|début des cours|inicio de clases)\b",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(
    r"\b(?:last day of (?:class|classes|instruction|the term|term|the semester|lectures)|(?:class|classes|instruction"
    r"|semester|term|quarter|lectures) ends?|vorlesungsende|semesterende|fin des cours|fin de clases)\b",
    re.IGNORECASE,
)
_LASTS: Final = re.compile(r"\b(?:term|semester|quarter|course|session|class) dates?\b", re.IGNORECASE)
WEEK_OF: Final = re.compile(
    r"(?:\bweek (?:of|beginning|commencing)|\bw/c|\bsemaine du|\bsemana del|\bwoche vom|\bwoche ab) ?$", re.IGNORECASE
)
FURTHEST: Final = 20
"""Maximum distance in years of a full date from today, for determining the year of a syllabus."""

_EXAMINATIONS: Final = timedelta(days=35)
"""Maximum time between the last class and the end of examinations."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A date or a range of dates in a line.

    Attributes:
        start: start position in the line.
        end: end position.
        first: the day, or the first day of a range.
        last: the day, or the last day of a range.
        weekday: the adjacent weekday, Monday is 0.
        counted: whether it is named by its week: "Friday of week 4".
    """

    start: int
    end: int
    first: date
    last: date
    weekday: int | None = None
    counted: bool = False

    def holds(self, day: date) -> bool:
        """Return whether the day equals the date or is in the range."""
        return self.first <= day <= self.last


@dataclass(frozen=True, slots=True)
class Calendar:
    """The interpretation of the dates of one syllabus.

    Attributes:
        first: first day of the span for dates without a year.
        last: last day of that span.
        day_first: whether 3/4 is 3 April.
        dotted: whether "26.10." is a date.
        sure: whether weekdays agree with the assumed years.
        term: the term in the text, else of the course; None if neither has one.
        weeks: the Mondays of numbered weeks.
    """

    first: date
    last: date
    day_first: bool = False
    dotted: bool = False
    sure: bool = True
    term: Term | None = None
    weeks: Mapping[int, date] = field(default_factory=dict)

    def mentions(self, line: str) -> list[Mention]:
        """The valid dates of a line from `readable`, in order."""
        mentions = []
        for written in written_dates(line, dotted=self.dotted):
            last = self.day_of(written.last or written, day_first=self.day_first)
            first = self.day_of(written, day_first=self.day_first, until=last) if written.last else last
            if first and last and first <= last and (last - first).days < 200:
                if first == last and WEEK_OF.search(line, 0, written.start):
                    last = first + WORKING_WEEK
                mentions.append(Mention(written.start, written.end, first, last, written.weekday))
        if not mentions:
            mentions += [
                Mention(one.start, one.end, one.first, one.last, counted=True)
                for one in days_of_weeks(line, self.weeks)
            ]
        return sorted(mentions, key=lambda one: one.start)

    def first_days(self, line: str) -> list[tuple[int, int, date]]:
        """The dates of a line as (start, end, first day)."""
        return [(one.start, one.end, one.first) for one in self.mentions(line)]

    def day_of(self, written: Written, *, day_first: bool, until: date | None = None) -> date | None:
        """The day of one written date, or None if it does not exist.

        Args:
            written: the date.
            day_first: how to read numbers in ambiguous order.
            until: the last day, if the date begins a range.
        """
        day, month = written.day, written.month
        if written.open_order and ((not day_first and month <= 31) or month > 12) and day <= 12:
            day, month = month, day
        if until is not None and written.year is None:
            return (
                _on(until.year, month, day)
                if (month, day) <= (until.month, until.day)
                else _on(until.year - 1, month, day)
            )
        if written.year is not None:
            return _on(written.year, month, day)
        years = range(max(MINYEAR, self.first.year - 1), min(MAXYEAR, self.last.year + 1) + 1)
        days = [found for year in years if (found := _on(year, month, day))]
        fits = [
            one for one in days if one.weekday() == written.weekday
        ]  # determines the year of a date outside the span
        days = [one for one in days if self.first <= one <= self.last] or fits or days
        return min(days, key=lambda one: (distance(one, self.first, self.last), abs(one - self.first)), default=None)


def calendar_of(text_lines: Sequence[str], *, today: date, term: str | None = None) -> Calendar:
    """The calendar of a syllabus.

    The year is taken from the term in the text, else from full dates or a year in the text, else from the course's
    term, else from weekdays next to dates; else it is the nearest to today. Terms and years that are over come last.

    Args:
        text_lines: as returned by `readable`.
        today: the member's day.
        term: the term of the course, if known.
    """
    head = "\n".join(text_lines[:HEAD])
    dotted = len(_GERMAN.findall("\n".join(text_lines[:400]))) >= 3
    written = [one for line in text_lines for one in written_dates(line, dotted=dotted)]
    terms = [*find_terms(head)] or [*find_terms("\n".join(text_lines))]
    years = _span_of_years(written, head, today)
    named = term_near(term, today) if term else None
    known = next((one for one in (*terms, years) if one and one.last >= today), None)  # not that of an example
    known = known or next(iter(terms), None) or years or named or Term("", today, today)
    calendar = Calendar(known.first, known.last, dotted=dotted, term=(known if known in terms else None) or named)
    calendar = replace(calendar, day_first=_day_first(calendar, written, "\n".join(text_lines[:400])))
    calendar = replace(calendar, sure=_agrees(calendar, written))
    calendar = replace(calendar, weeks=weeks_in(text_lines, calendar.first_days))
    return replace(calendar, term=_stated_term(calendar, text_lines) or calendar.term)


def _agrees(calendar: Calendar, written: Iterable[Written]) -> bool:
    """Return whether most adjacent weekdays fit the years. At least three are needed."""
    dated = [one for one in written if one.weekday is not None and one.year is None and one.last is None]
    days = [calendar.day_of(one, day_first=calendar.day_first) for one in dated]
    fitting = sum(day is not None and day.weekday() == one.weekday for day, one in zip(days, dated, strict=True))
    return len(dated) < 3 or fitting * 2 > len(dated)


def _span_of_years(written: Iterable[Written], head: str, today: date) -> Term | None:
    """The year of most full dates, of those not over if there are any, else a year in the head that is near today."""
    ends = [one.last or one for one in written]
    years = Counter(one.year for one in ends if one.year is not None and abs(one.year - today.year) <= FURTHEST)
    if not years:
        years = Counter(year for found in _BARE_YEAR.findall(head) if abs((year := int(found)) - today.year) <= 2)
    if not years:
        return None
    year = max(years, key=lambda one: (one >= today.year, years[one], one))
    return Term("", date(year, 1, 1), date(year, 12, 31))


def _day_first(calendar: Calendar, written: Iterable[Written], text: str) -> bool:
    """Return whether the day comes first: decided by numbers over 12, weekdays and the term, then by the language."""
    votes = 0.0
    for one in written:
        for part in (one, one.last):
            if part is None or not part.open_order:
                continue
            for day_first, sign in ((True, 1), (False, -1)):
                if (part.month if day_first else part.day) > 12:
                    votes -= 4 * sign
                    continue
                day = calendar.day_of(part, day_first=day_first)
                if day is not None:
                    votes += sign * 2 * (part.weekday is not None and day.weekday() == part.weekday)
                    votes += sign * 0.5 * (calendar.first <= day <= calendar.last)
    return votes > 0 or (votes == 0 and len(_DAY_FIRST_WORDS.findall(text)) >= 3)


def _stated_term(calendar: Calendar, text_lines: Iterable[str]) -> Term | None:
    """The days of the term, if the text contains both its first and its last day."""
    first = last = None
    for line in text_lines:
        if len(line) > 300:
            continue
        if (_LASTS.search(line) or find_term(line)) and (
            ranges := [one for one in calendar.mentions(line) if (one.last - one.first).days > 20]
        ):
            first, last = first or ranges[0].first, max(last or ranges[0].last, ranges[0].last)
        for pattern in (_BEGINS, _ENDS):
            if (cue := pattern.search(line)) and (mentions := calendar.mentions(line)):
                day = next((one.first for one in mentions if one.start >= cue.end()), mentions[0].first)
                if pattern is _BEGINS:
                    first = first or day
                else:
                    last = last or day + _EXAMINATIONS
    if first is None or last is None or not timedelta(days=14) < last - first < timedelta(days=400):
        return None
    return Term(calendar.term.name if calendar.term else "", first, last, stated=True)


def _on(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
