"""The term named in a text or a course, and its days."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from courses.syllabi.words import VOCABULARY

_SEASON: Final = {name: season for season, names in VOCABULARY["seasons"].items() for name in names}

_DAYS: Final = {
    "fall": ((0, 8, 1), (1, 1, 31)),
    "spring": ((0, 1, 1), (0, 6, 30)),
    "summer": ((0, 5, 1), (0, 9, 15)),
    "winter": ((-1, 12, 1), (0, 4, 30)),
    "winter semester": ((0, 9, 15), (1, 4, 15)),
    "summer semester": ((0, 3, 15), (0, 10, 15)),
    "year": ((0, 8, 1), (1, 7, 31)),
}
"""First and last day as (years after the named year, month, day). A winter begins in the December before its year.
German semesters have their own dates.
"""

_NAMES: Final = "|".join(sorted(_SEASON, key=len, reverse=True))
_YEARS: Final = r"(20\d\d)(?:\s?[/–-]\s?(20\d\d|\d\d)(?![\d/–-]))?|['/\u2019](\d\d)\b"
_TERM: Final = re.compile(
    rf"\b(?P<season>{_NAMES})\b(?:[ -](?:semester|term|quarter|session|trimester|block))?(?:\s(?:I{{1,3}}|[1-4A-D]))?"
    rf"(?:,?\s{{0,3}}(?:(?:de|of)\s)?)(?:{_YEARS})"
    r"|\b(?P<short>(?-i:FA|SP|SU|WI))(?:20)?(?P<short_year>\d\d)\b"
    rf"|\b(?P<year_first>20\d\d)\s?(?P<season_last>{_NAMES})\b(?:\s(?:semester|term|quarter|session|trimester))?",
    re.IGNORECASE,
)
_ACADEMIC_YEAR: Final = re.compile(r"(?<![\d./-])(20\d\d)\s?[/–-]\s?(20\d\d|\d\d)(?![\d./–-])")
_SEASON_ALONE: Final = re.compile(rf"\b({_NAMES})\b", re.IGNORECASE)


_NUMBERED: Final = re.compile(
    r"\b(?:(?:primer|segundo|[12][º°]?|first|second)\s(?:semestre|cuatrimestre|semester)(?:\sde)?|(?:semester|term|trimester|semestre)"
    r"\s[1-4I]+),?\s(?P<year>20\d\d)\b",
    re.IGNORECASE,
)
"""A term named by its number, whose months differ by country."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term, or another span of days.

    Attributes:
        name: as written, like "Fall Semester 2026"; empty if it is not a term.
        first: the first possible day.
        last: the last possible day, including examinations.
    """

    name: str
    first: date
    last: date

    def holds(self, day: date) -> bool:
        """Return whether the day is in the term."""
        return self.first <= day <= self.last

    def days_to(self, day: date) -> int:
        """Days between a day and the term; 0 within it."""
        return max((self.first - day).days, (day - self.last).days, 0)


def find_term(text: str) -> Term | None:
    """The first term with a year in a text, else the first academic year."""
    return next(find_terms(text), None)


def find_terms(text: str) -> Iterator[Term]:
    """The terms with a year in a text, in order, then those with a number, then academic years."""
    for found in _TERM.finditer(text):
        season = _SEASON[(found["season"] or found["season_last"] or found["short"]).lower()]
        year = int(found["year_first"] or found[2] or f"20{found['short_year'] or found[4]}")
        if found[3] and season in {"spring", "summer", "winter"}:
            year += 1  # "Spring 2026/27"
        yield _term(found[0], season, year)
    for numbered in _NUMBERED.finditer(text):
        year = int(numbered["year"])
        yield Term(" ".join(numbered[0].split()), date(year, 1, 1), date(year, 12, 31))
    for found in _ACADEMIC_YEAR.finditer(text):
        if int(found[2]) % 100 == (int(found[1]) + 1) % 100:
            yield _term(found[0], "year", int(found[1]))


def term_near(name: str, today: date) -> Term | None:
    """The term of a course. One without a year ("Fall semester") is the nearest to `today`."""
    if term := find_term(name):
        return term
    found = _SEASON_ALONE.search(name)
    if found is None:
        return None
    terms = [_term(name, _SEASON[found[1].lower()], today.year + years) for years in (-1, 0, 1)]
    return min(terms, key=lambda term: term.days_to(today))


def _term(name: str, season: str, year: int) -> Term:
    (first_years, *first), (last_years, *last) = _DAYS[season]
    return Term(" ".join(name.split()), date(year + first_years, *first), date(year + last_years, *last))
