"""Check whether the quoted line of an item confirms its date."""

import re
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from courses.syllabi.calendars import WEEK_OF, Mention
from courses.syllabi.cues import DUE_LABEL
from courses.syllabi.due_days import LETTERS, due_among
from courses.syllabi.reader import Syllabus
from courses.syllabi.titles import cleaned
from courses.syllabi.unit import BEGIN
from courses.syllabi.words import RECURRING

FURTHEST: Final = 3
"""Maximum distance in lines above and below a quote when searching its date."""

WEEK: Final = timedelta(days=3)
"""Days between first and last day of the shortest week. The longest is twice that."""

_LETTERS: Final = re.compile(rf"(?<!\w)(?:{'|'.join(LETTERS)}):", re.IGNORECASE)
"""The weekdays of a week in one line: "Wk 3 (1/18)  M: Vectors  F: Quiz"."""


class Evidence(StrEnum):
    """The evidence of a quote for a date, the best first."""

    CONFIRMED = "confirmed"
    INFERRED = "inferred"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not_found"


_BEST_FIRST: Final = list(Evidence)


def evidence_for(syllabus: Syllabus, quote: str, due_on: date | None) -> Evidence:
    """The evidence of one quote, at its best position in the text.

    `confirmed`: the date is in the lines of the quote. If these have no date, it is in the nearest line with one, at
    most `FURTHEST` lines above or below. Either of two equally near lines counts, as does one of several dates or a day
    in a range. A bare line "Due: Oct 8" belongs to the line above it. An undated item is confirmed by a quote without a
    date. `inferred`: there is no date, a relative or recurring one, or only the week of a schedule. `contradicted`:
    there is a different date. `not_found`: the text does not contain the quote.
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
    mentions = [mention for line in place for mention in syllabus.mentions(line) if not mention.counted]
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
        days = any(_LETTERS.search(syllabus.lines[line]) for line in place)
        in_week = days and any(mention.first <= due_on <= mention.first + 2 * WEEK for mention in mentions)
        return Evidence.INFERRED if in_week or RECURRING.search(quote) else Evidence.CONTRADICTED
    if weekdays or any(one.recurring or one.relative for one in said):
        return Evidence.INFERRED
    return _beside(syllabus, place, due_on)


def _beside(syllabus: Syllabus, place: range, due_on: date) -> Evidence:
    """The evidence of the nearest line with a date, for a quote without one. Of two, the better one."""
    nearest = _nearest(syllabus, place)
    said = min((_of_line(syllabus, line, due_on) for line in nearest), key=_BEST_FIRST.index, default=Evidence.INFERRED)
    heads = [
        line for line in nearest if line >= place.stop and _is_date(syllabus, line) and not _is_bare(syllabus, line)
    ]
    if said is Evidence.CONTRADICTED and heads == nearest:
        above = range(place.start - FURTHEST, place.start)  # a date alone may introduce the following lines instead
        held = any(mention.holds(due_on) for line in above for mention in syllabus.mentions(line))
        return Evidence.INFERRED if held else said
    return said


def _of_line(syllabus: Syllabus, line: int, due_on: date) -> Evidence:
    holding = [mention for mention in syllabus.mentions(line) if mention.holds(due_on)]
    if holding:
        week = all(_heads_week(syllabus, range(line, line + 1), mention) for mention in holding)
        return Evidence.INFERRED if week else Evidence.CONFIRMED
    return Evidence.INFERRED if syllabus.said(line).recurring else Evidence.CONTRADICTED


def _heads_week(syllabus: Syllabus, place: range, mention: Mention) -> bool:
    """Return whether a range is the week of a schedule: "Week 3 (Sep 14-18)", "3 | 9/14-18 | ..."."""
    if not WEEK <= mention.last - mention.first <= 2 * WEEK:
        return False
    return any(
        mention in syllabus.mentions(line)
        and (BEGIN.fullmatch(before := syllabus.lines[line][: mention.start]) or WEEK_OF.search(before))
        for line in place
    )


def _nearest(syllabus: Syllabus, place: range) -> list[int]:
    """The nearest line with a date, or two equally near ones; after a label ("Exam 2:"), the line right below."""
    after_label = bool(place) and syllabus.lines[place[-1]].rstrip(" *").endswith(":")
    for away in range(1, FURTHEST + 1):
        above, below = place.start - away, place.stop + away - 1
        lines = [
            line
            for line, belongs in ((above, not _is_bare(syllabus, above)), (below, _belongs(syllabus, below, place)))
            if belongs and syllabus.mentions(line) and not _opens(syllabus, line)
        ]
        if after_label and below in lines:
            return [below]
        if lines:
            return lines
    return []


def _is_bare(syllabus: Syllabus, line: int) -> bool:
    """Return whether a line has only a date and its label: "Due: October 8"."""
    cue = DUE_LABEL.match(syllabus.lines[line]) if 0 <= line < len(syllabus.lines) else None
    return cue is not None and _is_date(syllabus, line, cue.end())


def _is_date(syllabus: Syllabus, line: int, start: int = 0) -> bool:
    """Return whether the rest of a line is only a date."""
    rest = syllabus.lines[line][start:]
    return not any(map(str.isalpha, cleaned(rest, syllabus.dates_in_text(rest))))


def _belongs(syllabus: Syllabus, line: int, place: range) -> bool:
    """Return whether a line below a quote may belong to it: a bare "Due:" only without other text between them."""
    between = (one for one in range(place.stop, line) if syllabus.lines[one].strip())
    return not _is_bare(syllabus, line) or all(_opens(syllabus, one) for one in between)


def _opens(syllabus: Syllabus, line: int) -> bool:
    """Return whether a line has only an opening date."""
    dates = syllabus.mentions(line)
    return bool(dates) and not due_among(syllabus.lines[line], dates)
