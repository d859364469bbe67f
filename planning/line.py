"""Reads an item from one line, as the field *Add* takes it: `Essay 2 Fri 17:00 #history`."""

import calendar
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from datetime import time as time_of_day
from itertools import pairwise
from typing import Final, TypeVar

from courses.serializers import CourseRow
from courses.syllabi.times import time_in
from courses.syllabi.words import MONTHS, kind_of, one_of
from planning.calendar.assigning import folded
from studyservice.database.times import TIME

T = TypeVar("T")

_QUOTED: Final = re.compile(r'"([^"]*)"|“([^“”]*)”|„([^„“”]*)[“”]')
_QUOTED_CHARACTER: Final = "\0"
"""Stands for each character of a quotation: in no rule, and not white space."""

_MARK: Final = r"(?:(?<![0-9]),|,(?![0-9])|[;:](?=\s|\Z)|[()])"
_WORD: Final = re.compile(rf"{_MARK}|(?:(?!{_MARK})\S)+")
_JOINING_MARKS: Final = frozenset({",", ";", ":", "-", "–", "—", "@", "|"})
_JOINING: Final = _JOINING_MARKS | {"on", "by", "due", "at"}
"""Words and marks dropped beside a date or a time. Beside a course only the marks are."""

_WEEKDAYS: Final = {name[:length].lower(): day for day, name in enumerate(calendar.day_name) for length in (3, None)}
_WEEKDAY: Final = one_of(_WEEKDAYS)
_DAY: Final = r"(?P<day>[0-9]{1,2})"
_MONTH: Final = rf"(?P<month>{one_of(MONTHS)})\.?"
_END: Final = r"[.!?]*(?= |\Z)"


def _forms(*forms: str) -> list[re.Pattern[str]]:
    """Patterns of words, each followed by one space. Without other than ASCII letters, names can be looked up."""
    return [re.compile(form, re.IGNORECASE | re.ASCII) for form in forms]


_DATES: Final = _forms(
    rf"(?P<near>today|tomorrow){_END}",
    rf"in (?P<days>[0-9]{{1,4}}) days?{_END}",
    rf"(?:this )?(?P<next>{_WEEKDAY}){_END}",
    *(
        rf"(?:(?P<before>{_WEEKDAY})\.?(?: ,)? )?{form}{_END}(?:(?: ,)? (?P<after>{_WEEKDAY}){_END})?"
        for form in (
            rf"{_DAY}(?:st|nd|rd|th)? {_MONTH}(?:(?: ,)? (?P<year>20[0-9]{{2}}))?",
            rf"{_MONTH} {_DAY}(?:st|nd|rd|th)?(?:(?: , |,| )(?P<year>20[0-9]{{2}}))?",
            rf"{_DAY}\.(?P<month>[0-9]{{1,2}})\.(?P<year>[0-9]{{4}})?",
            r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})",
        )
    ),
)
_TIMES: Final = _forms(rf"[0-9]{{1,2}}(?::[0-9]{{2}}(?: ?[ap]\.?m\.?)?| ?[ap]\.?m\.?){_END}")
_ALIKE: Final = _forms(
    rf"[0-9]{{1,2}}/[0-9]{{1,2}}(?:/(?:20)?[0-9]{{2}})?{_END}",
    rf"(?:[7-9]|1[0-9]|2[0-3])(?:\.[0-5][05]|h(?:[0-9]{{2}})?){_END}",
    r"\S*?[0-9](?::[0-9]{2}|[ap]m)(?![a-z])\S*",
    rf"(?:noon|midnight|tonight|tmrw?|thurs?|tues|weds){_END}",
    rf"(?:{_WEEKDAY})[-–/&]\S+",
    rf"next (?:week|month){_END}|next(?= (?:{_WEEKDAY}){_END})",
    rf"in (?:[0-9]+|an?|one|two|three|four|five|six|seven|ten) (?:hour|day|week|month)s?{_END}",
    rf"the [0-9]{{1,2}}(?:st|nd|rd|th){_END}",
)
"""Dates and times that members write and that are not read."""

_MOST_WORDS: Final = 6
"""As in "Fri, Dec 11, 2026"."""

_YEARS_TO_LEAP_DAY: Final = 8


@dataclass(frozen=True, slots=True)
class Line:
    """The parts of a line.

    Attributes:
        title: what is left of the line; may be empty or too long.
        due_on: the date, or None.
        due_time: the time as `HH:MM`, never without a date.
        course: the course that the line names, or the only one there is.
        why: why the member has to choose one of several courses; empty if not.
        stayed: words of the title that look like a date or a time; empty if none do.
    """

    title: str
    due_on: date | None
    due_time: str | None
    course: CourseRow | None
    why: str
    stayed: str

    @property
    def kind(self) -> str:
        """The kind of item that the words of the title name (a value of `ItemKind`)."""
        return kind_of(self.title)


def read_line(line: str, courses: Sequence[CourseRow], now: datetime) -> Line:
    """Read the line. It takes time in proportion to its length.

    Args:
        courses: the member's open courses.
        now: the time on the member's clock.
    """
    read_as = _QUOTED.sub(lambda quoted: _QUOTED_CHARACTER * len(quoted[0]), line)
    found = [*_WORD.finditer(read_as)]
    words = [word[0] for word in found]
    named = {at: fits for at, word in enumerate(words) if (fits := _named_by(word, courses)) is not None}
    times, due_time = _last(words, _TIMES, _time_of)
    dates, due_on = _last(words, _DATES, lambda said: _date_of(said, now.date()), taken=times)
    if due_time is not None and due_on is None:
        due_on = now.date() + timedelta(days=time_of_day.fromisoformat(due_time) < now.time())
    left = _left(words, {*times, *dates}, named)
    said = " ".join(line[found[at].start() : found[at].end()] for at in named)
    course, why = _course_of(said, [*named.values()], courses)
    stayed = _joined(line, found, sorted(_alike(words, left)))
    return Line(_joined(line, found, left), due_on, due_time, course, why, stayed)


def _last(
    words: Sequence[str],
    forms: Iterable[re.Pattern[str]],
    value_of: Callable[[re.Match[str]], T | None],
    *,
    taken: range = range(0),
) -> tuple[range, T | None]:
    """The positions of the words that end last in one of the forms, as many as belong to it, and their value.

    Args:
        taken: positions of words that belong to something else.
    """
    found: list[tuple[range, T]] = []
    for start in range(len(words)):
        text = " ".join(words[start : start + _MOST_WORDS])
        for said in filter(None, (form.match(text) for form in forms)):
            place = range(start, start + said[0].count(" ") + 1)
            if not any(at in taken for at in place) and (value := value_of(said)) is not None:
                found.append((place, value))
    return max(found, key=lambda one: (one[0].stop, -one[0].start), default=(range(0), None))


def _alike(words: Sequence[str], left: Sequence[int]) -> set[int]:
    """The positions of words, among those left in the title, that look like a date or a time."""
    alike: set[int] = set()
    title = {*left}
    for start in range(len(words)):
        text = " ".join(words[start : start + _MOST_WORDS])
        for said in filter(None, (form.match(text) for form in (*_DATES, *_TIMES, *_ALIKE))):
            place = {*range(start, start + said[0].count(" ") + 1)}
            alike |= place if place <= title else set()
    return alike


def _date_of(found: re.Match[str], today: date) -> date | None:
    """The date; None if the calendar has no such day, or it is on another weekday."""
    said = {name: value.lower() for name, value in found.groupdict().items() if value is not None}
    if "near" in said:
        return today + timedelta(days=said["near"] == "tomorrow")
    if "days" in said:
        return today + timedelta(days=int(said["days"]))
    if "next" in said:
        return today + timedelta(days=(_WEEKDAYS[said["next"]] - today.weekday()) % 7)
    month = MONTHS.get(said["month"]) or int(said["month"])
    years = [int(said["year"])] if "year" in said else range(today.year, today.year + _YEARS_TO_LEAP_DAY + 1)
    days = (day for year in years if (day := _day(year, month, int(said["day"]))) is not None)
    day = next((day for day in days if "year" in said or day >= today), None)
    weekdays = {_WEEKDAYS[said[name]] for name in ("before", "after") if name in said}
    return day if day is not None and weekdays <= {day.weekday()} else None


def _day(year: int, month: int, day: int) -> date | None:
    """The date; None if the calendar has no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _time_of(found: re.Match[str]) -> str | None:
    """The time as `HH:MM`; None if a day has no such time."""
    text = found[0].rstrip(".!?")
    if text[-1].isdigit():
        time = text.zfill(len("HH:MM"))
        return time if re.fullmatch(TIME, time) else None
    return time_in(text)


def _named_by(word: str, courses: Iterable[CourseRow]) -> list[CourseRow] | None:
    """The courses that a word like `#hist101` fits, exact codes and names before beginnings; None if it names none.

    A number that fits no course is part of the title: "Problem set #3".
    """
    said = folded(word) if word.startswith("#") and _QUOTED_CHARACTER not in word else ""
    if not said:
        return None
    exact = [one for one in courses if said in {folded(one["name"]), folded(one["code"] or "")}]
    fits = exact or [one for one in courses if any(begins.startswith(said) for begins in _beginnings(one))]
    return fits if fits or not said[0].isdigit() else None


def _beginnings(course: CourseRow) -> Iterable[str]:
    """The texts that `#` and their beginning name a course by: its code, and each word of its name."""
    words = re.findall(r"(?<!\w)(?=(\w\S*))", course["name"])
    return [folded(one) for one in (course["code"] or "", *words)]


def mark_of(course: CourseRow, courses: Sequence[CourseRow]) -> str:
    """A word like `#hist101` that names this one of the courses: by its code, or else by a word of its name.

    Empty if there is none.
    """
    marks = (f"#{begins}" for begins in _beginnings(course))
    return next((mark for mark in marks if _named_by(mark, courses) == [course]), "")


def _course_of(
    said: str, named: Sequence[Sequence[CourseRow]], courses: Sequence[CourseRow]
) -> tuple[CourseRow | None, str]:
    """The course that fits each name, or else why the member has to choose one."""
    if not named:
        only = courses[0] if len(courses) == 1 else None
        mark = next(filter(None, (mark_of(one, courses) for one in courses)), "")
        why = f"Choose a course, or name it in the line, like {mark}." if mark else "Choose a course."
        return only, why if len(courses) > 1 else ""
    fits = [one for one in named[0] if all(one in others for others in named)]
    if len(fits) == 1:
        return fits[0], ""
    return None, f"“{said}” fits {'more than one course' if fits else 'none of your courses'}. Choose one."


def _left(words: Sequence[str], when: Collection[int], named: Collection[int]) -> list[int]:
    """The positions of the words of the title: without the date, the time and the names of courses, what joins them to
    the title, and parentheses that held nothing else.
    """
    gone = {*when, *named}
    for order in (range(len(words)), range(len(words) - 1, -1, -1)):
        goes: Collection[str] = ()
        for at in order:
            if at in when:
                goes = _JOINING
            elif at in named:
                goes = goes or _JOINING_MARKS
            elif words[at].casefold() in goes:
                gone.add(at)
            else:
                goes = ()
    left: list[int] = []
    for at, word in enumerate(words):
        if word == ")" and left and words[left[-1]] == "(" and at - left[-1] > 1:
            left.pop()
        elif at not in gone:
            left.append(at)
    return left


def _joined(line: str, found: Sequence[re.Match[str]], left: Sequence[int]) -> str:
    """The words at these positions as a text, without the marks of quotations, with one space for white space."""
    texts = [_QUOTED.sub(r"\1\2\3", line[word.start() : word.end()]) for word in (found[at] for at in left)]
    parts = texts[:1]
    for (before, at), text in zip(pairwise(left), texts[1:], strict=True):
        touches = found[before].end() == found[at].start()
        parts += ["" if touches or (at - before > 1 and (text == ")" or parts[-1] == "(")) else " ", text]
    return "".join(parts).strip()
