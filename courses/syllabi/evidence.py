"""Check whether the quoted line of an item confirms its date."""

import re
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from courses.syllabi.calendars import WEEK_OF
from courses.syllabi.dates import Mention
from courses.syllabi.phrases import LETTERED, due_among
from courses.syllabi.reader import Syllabus
from courses.syllabi.rows import cells_of
from courses.syllabi.titles import BEGIN, WEEK_HEAD, cleaned
from courses.syllabi.weekday_rules import day_by_rule
from courses.syllabi.words import DUE, DUE_LABEL, RECURRING, RELATIVE, weekdays_in

FURTHEST: Final = 3
"""Maximum distance in lines above and below a quote when searching its date."""

WEEK: Final = timedelta(days=3)
"""Days between first and last day of the shortest week. The longest is twice that."""

_LEAST_APART: Final = timedelta(days=5)
_MOST_APART: Final = timedelta(days=9)
"""Days between the rows of two weeks. A holiday may move one."""

FARTHEST_ROW: Final = 30
"""Maximum number of lines of one week."""


class Evidence(StrEnum):
    """The evidence of a quote for a date, the best first."""

    CONFIRMED = "confirmed"
    INFERRED = "inferred"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not_found"


_NOTICE: Final = re.compile(
    r"\b(?:notice|announcement|mitteilung|aushang|avis|aviso)\b(?:[\s,:]+(?:of|from|posted|dated|on|vom|du|de[l]?))*[\s,:]*$",
    re.IGNORECASE,
)
"""Words before the date of an announcement: "canceled (notice of 26 Oct 2026)"."""

_BEST_FIRST: Final = list(Evidence)


def evidence_for(syllabus: Syllabus, quote: str, due_on: date | None) -> Evidence:
    """The evidence of one quote, at its best position in the text.

    `confirmed`: the date is in the lines of the quote. If these have no date, it is in the nearest line with one, at
    most `FURTHEST` lines above or below. Either of two equally near lines counts, as does one of several dates or a day
    in a range. A bare line "Due: Oct 8" belongs to the line above it. An undated item is confirmed by a quote without a
    date. `inferred`: there is no date, a relative or recurring one, or only the week of a schedule or its first day.
    `contradicted`: there is a different date. `not_found`: the text does not contain the quote.
    """
    places = syllabus.places(quote)
    if not places:
        return Evidence.NOT_FOUND
    if due_on is None:
        return Evidence.CONTRADICTED if syllabus.dates_in(quote) else Evidence.CONFIRMED
    best = Evidence.CONTRADICTED
    for place in places:
        found = _at(syllabus, quote, place, due_on)
        if found is Evidence.CONTRADICTED and _in_week_of(syllabus, place, due_on):
            found = Evidence.INFERRED
        best = min(best, found, key=_BEST_FIRST.index)
        if best is Evidence.CONFIRMED:
            break
    return best


def _mentions(syllabus: Syllabus, line: int) -> list[Mention]:
    """The dates of a line, without those of announcements."""
    found = syllabus.mentions(line)
    return [one for one in found if not _NOTICE.search(syllabus.lines[line], max(0, one.start - 60), one.start)]


def _text(syllabus: Syllabus, place: range) -> str:
    return "\n".join(syllabus.lines[place.start : place.stop])


def _at(syllabus: Syllabus, quote: str, place: range, due_on: date) -> Evidence:
    """The evidence in the lines of a quote, else beside them."""
    if any(_mentions(syllabus, line) for line in place):
        return _of_lines(syllabus, quote, place, due_on)
    text = _text(syllabus, place)
    if weekdays_in(text) or RECURRING.search(text) or RELATIVE.search(text):
        return Evidence.INFERRED
    return _beside(syllabus, place, due_on)


def _of_lines(syllabus: Syllabus, quote: str, place: range, due_on: date) -> Evidence:
    """The evidence of lines with dates."""
    mentions = [mention for line in place for mention in _mentions(syllabus, line)]
    holding = [mention for mention in mentions if mention.holds(due_on)]
    if any(mention.first == mention.last for mention in holding):
        return Evidence.CONFIRMED
    if holding:  # "Week 5 (Sep 28-Oct 2): quiz on Thursday" means one day of the range
        text = _text(syllabus, place)
        weekdays = weekdays_in(text)
        week = not weekdays and all(_heads_week(syllabus, place, mention) for mention in holding)
        free = weekdays - {mention.weekday for mention in mentions}
        other = bool(free) and due_on.weekday() not in free
        return Evidence.INFERRED if week or other or RECURRING.search(text) else Evidence.CONFIRMED
    days = any(LETTERED.search(syllabus.lines[line]) for line in place)
    in_week = days and any(mention.first <= due_on <= mention.first + 2 * WEEK for mention in mentions)
    ruled = any(day_by_rule(syllabus.rules, quote, mention.first) == due_on for mention in mentions)
    return Evidence.INFERRED if in_week or ruled or RECURRING.search(quote) else Evidence.CONTRADICTED


def _beside(syllabus: Syllabus, place: range, due_on: date) -> Evidence:
    """The evidence of the nearest line with a date, for a quote without one. Of two, the better one.

    A date alone below the quote may head the lines below it instead.
    """
    nearest = _nearest(syllabus, place)
    found = [_of_lines(syllabus, syllabus.lines[line], range(line, line + 1), due_on) for line in nearest]
    said = min(found, key=_BEST_FIRST.index, default=Evidence.INFERRED)
    if said is Evidence.CONTRADICTED and not any(_holds_for(syllabus, place, line) for line in nearest):
        return Evidence.INFERRED
    heads = all(line >= place.stop and _is_date(syllabus, line) and not _is_bare(syllabus, line) for line in nearest)
    if said is Evidence.CONTRADICTED and heads:
        above = range(place.start - FURTHEST, place.start)
        if any(mention.holds(due_on) for line in above for mention in _mentions(syllabus, line)):
            return Evidence.INFERRED
    return said


def _holds_for(syllabus: Syllabus, place: range, line: int) -> bool:
    """Return whether the date of a line near a quote holds for it: it is alone in its line, or begins a line above."""
    before = syllabus.lines[line][: _mentions(syllabus, line)[0].start]
    return _is_date(syllabus, line) or (line < place.start and bool(BEGIN.fullmatch(before)))


def _heads_week(syllabus: Syllabus, place: range, mention: Mention) -> bool:
    """Return whether a range is the week of a schedule: "Week 3 (Sep 14-18)", "3 | 9/14-18 | ..."."""
    if not WEEK <= mention.last - mention.first <= 2 * WEEK:
        return False
    return any(
        mention in _mentions(syllabus, line)
        and (BEGIN.fullmatch(before := syllabus.lines[line][: mention.start]) or WEEK_OF.search(before))
        for line in place
    )


def _in_week_of(syllabus: Syllabus, place: range, due_on: date) -> bool:
    """Return whether a day is in the week that begins in the lines of a quote, or in the nearest dated line above.

    A row of a schedule begins with the first day of a week if the next dated row has a day one week later, or the one
    before it one week earlier.
    """
    for line in range(place.stop - 1, max(-1, place.start - FURTHEST - 1), -1):
        if begins := _first_day(syllabus, line):
            inside = begins <= due_on <= begins + 2 * WEEK
            return inside and _is_schedule(syllabus, line) and _is_week(syllabus, line, begins)
    return False


def _is_schedule(syllabus: Syllabus, line: int) -> bool:
    """Return whether a line is a row of a schedule: words follow its date, and nothing in it is said to be due."""
    text = syllabus.lines[line]
    after = text[_mentions(syllabus, line)[0].end :]
    is_row = len(cells_of(text)) > 1 or WEEK_HEAD.match(text)
    return bool(is_row) and any(map(str.isalpha, after)) and not DUE.search(text) and line not in syllabus.due_rows


def _is_week(syllabus: Syllabus, line: int, begins: date) -> bool:
    """Return whether the dated row below is one week later, or the one above one week earlier."""
    below = next(filter(None, (_first_day(syllabus, one) for one in range(line + 1, line + FARTHEST_ROW))), begins)
    if begins < below <= begins + _MOST_APART:
        return below >= begins + _LEAST_APART
    above = next(filter(None, (_first_day(syllabus, one) for one in range(line - 1, line - FARTHEST_ROW, -1))), begins)
    return _LEAST_APART <= begins - above <= _MOST_APART


def _first_day(syllabus: Syllabus, line: int) -> date | None:
    """The first date of a line that is not a range."""
    return next((mention.first for mention in _mentions(syllabus, line) if mention.first == mention.last), None)


def _nearest(syllabus: Syllabus, place: range) -> list[int]:
    """The nearest line with a date, or two equally near ones. A bare "Due:" only belongs to the line above it."""

    def belongs(line: int) -> bool:
        if not _mentions(syllabus, line) or _opens(syllabus, line):
            return False
        between = (one for one in range(place.stop, line) if syllabus.lines[one].strip())
        return not _is_bare(syllabus, line) or (line >= place.stop and all(_opens(syllabus, one) for one in between))

    for away in range(1, FURTHEST + 1):
        if lines := [line for line in (place.start - away, place.stop + away - 1) if belongs(line)]:
            return lines
    return []


def _is_bare(syllabus: Syllabus, line: int) -> bool:
    """Return whether a line has only a date and its label: "Due: October 8"."""
    cue = DUE_LABEL.match(syllabus.lines[line])
    return cue is not None and _is_date(syllabus, line, cue.end())


def _is_date(syllabus: Syllabus, line: int, start: int = 0) -> bool:
    """Return whether the rest of a line is only a date."""
    rest = syllabus.lines[line][start:]
    return not any(map(str.isalpha, cleaned(rest, syllabus.dates_in_text(rest))))


def _opens(syllabus: Syllabus, line: int) -> bool:
    """Return whether a line has only an opening date."""
    dates = _mentions(syllabus, line)
    return bool(dates) and not due_among(syllabus.lines[line], dates)
