"""Whether the line that an item quotes bears out its date."""

import re
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from courses.syllabi.calendars import Mention
from courses.syllabi.reader import Syllabus
from courses.syllabi.words import RECURRING

FURTHEST: Final = 3
"""Lines above and below a quote in which its date is looked for."""

WEEK: Final = timedelta(days=3)
"""Between the first and the last day of the shortest span that is read as a week; the longest is twice that."""

_WEEK_HEAD: Final = re.compile(
    r"[\s|*#(]*(?:(?:week|wk|woche|kw|semaine|semana|modul[eo]?|unit|unidad)\.?\s*#?)?\s*(?:\d{1,2}|[IVX]{1,4})?[\s|*:.,(–—-]*",
    re.IGNORECASE,
)
"""What stands before the days of a week in a schedule, and nothing else."""


class Evidence(StrEnum):
    """What a quote says about a date, the best first."""

    CONFIRMED = "confirmed"
    INFERRED = "inferred"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not_found"


_BEST_FIRST: Final = list(Evidence)


def evidence_for(syllabus: Syllabus, quote: str, due_on: date | None) -> Evidence:
    """The evidence of one quote, at its best place in the text.

    `confirmed`: the date stands in the lines of the quote, or, where they have none, in the nearest line with one, at
    most `FURTHEST` away, above before below; one of several dates or a day inside a range will do. Also an undated item
    whose quote has no date. `inferred`: no date stands there, or a relative or recurring one, or only the week of a
    schedule, which does not say the day. `contradicted`: another one does. `not_found`: the text does not have the
    quote.
    """
    places = syllabus.places(quote)
    if not places:
        return Evidence.NOT_FOUND
    if due_on is None:
        return Evidence.CONTRADICTED if syllabus.dates_in(quote) else Evidence.CONFIRMED
    best = Evidence.CONTRADICTED
    for place in places:
        best = min(best, _at(syllabus, quote, place, due_on), key=_BEST_FIRST.index)
        if best is Evidence.CONFIRMED:
            break
    return best


def _at(syllabus: Syllabus, quote: str, place: range, due_on: date) -> Evidence:
    mentions = [mention for line in place for mention in syllabus.mentions(line)]
    said = [syllabus.said(line) for line in place]
    weekdays = {weekday for one in said for weekday in one.weekdays}
    if mentions:
        holding = [mention for mention in mentions if mention.holds(due_on)]
        if any(mention.first == mention.last for mention in holding):
            return Evidence.CONFIRMED
        if holding:  # "Week 5 (Sep 28-Oct 2): quiz on Thursday" means one day of the range
            week = not weekdays and all(_heads_week(syllabus, place, mention) for mention in holding)
            free = weekdays - {mention.weekday for mention in mentions}
            other = bool(free) and due_on.weekday() not in free
            return Evidence.INFERRED if week or other or any(one.recurring for one in said) else Evidence.CONFIRMED
        return Evidence.INFERRED if RECURRING.search(quote) else Evidence.CONTRADICTED
    if weekdays or any(one.recurring or one.relative for one in said):
        return Evidence.INFERRED
    return _beside(syllabus, place, due_on)


def _beside(syllabus: Syllabus, place: range, due_on: date) -> Evidence:
    """What the nearest line with a date says of a quote without one."""
    beside = _nearest(syllabus, place)
    if beside is None:
        return Evidence.INFERRED
    holding = [mention for mention in syllabus.mentions(beside) if mention.holds(due_on)]
    if holding:
        week = all(_heads_week(syllabus, range(beside, beside + 1), mention) for mention in holding)
        return Evidence.INFERRED if week else Evidence.CONFIRMED
    return Evidence.INFERRED if syllabus.said(beside).recurring else Evidence.CONTRADICTED


def _heads_week(syllabus: Syllabus, place: range, mention: Mention) -> bool:
    """Whether a range is that of a week in a schedule: "Week 3 (Sep 14-18)", "3 | 9/14-18 | ..."."""
    if not WEEK <= mention.last - mention.first <= 2 * WEEK:
        return False
    return any(
        mention in syllabus.mentions(line) and _WEEK_HEAD.fullmatch(syllabus.lines[line][: mention.start])
        for line in place
    )


def _nearest(syllabus: Syllabus, place: range) -> int | None:
    """The nearest line with a date; any above comes before all below, as a schedule writes the date first.

    After a label ("Exam 2:") that right below comes first.
    """
    above = range(place.start - 1, place.start - 1 - FURTHEST, -1)
    below = range(place.stop, place.stop + FURTHEST)
    lines = (*above, *below)
    if place and syllabus.lines[place[-1]].rstrip(" *").endswith(":"):
        lines = (place.stop, *lines)
    return next((line for line in lines if syllabus.mentions(line)), None)
