"""Warnings about items and weights of a proposal or a call, for the member to check."""

import re
from calendar import day_name
from collections import defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal

from courses.syllabi.comparison import Stored
from courses.syllabi.dates import Mention
from courses.syllabi.phrases import mentions_for, phrases_of
from courses.syllabi.reader import Syllabus
from courses.syllabi.rows import cells_of
from courses.syllabi.text import quoted, title_key, words_of
from courses.syllabi.words import NAMED_WEEKDAYS, NO_ITEM, WEEKDAYS_BEFORE_DATES, one_of, weekdays_in

WarningType = Literal["outside_term", "weekday", "two_dates", "weights", "duplicate", "too_many", "model"]

_BRACKETS: Final = re.compile(r"\([^()]*\)")
ROUNDED: Final = 0.1
"""More than rounding to two decimals makes weights differ from 100 in sum."""

MOST_QUOTED: Final = 60
"""Maximum characters of a title in a message."""


@dataclass(frozen=True, slots=True)
class Caution:
    """A warning.

    Attributes:
        type: its type.
        message: a sentence for the member.
        index: the index of the item among those sent or proposed, from 0; None if it is about no item.
    """

    type: WarningType
    message: str
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """An item as read by somebody or the parser.

    Attributes:
        title: its title.
        due_on: its date, or None.
        quote: the words it was read from, or None.
    """

    title: str
    due_on: date | None
    quote: str | None = None


def cautions_about(
    syllabus: Syllabus, items: Sequence[Claim], weights: Sequence[float] = (), stored: Sequence[Stored] = ()
) -> list[Caution]:
    """The warnings about items in order, followed by that about the weights.

    Args:
        syllabus: the text with its calendar; an empty text still has the course's term.
        items: the items that were read.
        weights: of the categories, in percent; empty if none were sent.
        stored: the existing items of the course.
    """
    cautions = []
    earlier = {(title_key(one.title), one.due_on) for one in stored}
    of_line: defaultdict[str | None, set[date | None]] = defaultdict(set)
    for item in items:
        of_line[item.quote].add(item.due_on)
    for index, item in enumerate(items):
        named = f'"{_short(item.title)}", {_day(item.due_on) if item.due_on else "without a date"},'
        if item.due_on is not None:
            cautions += [
                Caution(*one, index) for one in _of_date(syllabus, item, item.due_on, of_line[item.quote], named)
            ]
        if (double := (title_key(item.title), item.due_on)) in earlier:
            cautions.append(Caution("duplicate", f"There is a {named} already.", index))
        earlier.add(double)
    return cautions + [Caution("weights", message) for message in about_weights(weights)]


def about_weights(weights: Sequence[float]) -> list[str]:
    """The warning that weights do not add up to 100, if there are any. Those of points may differ by their rounding."""
    total = round(sum(weights), 4)
    return [f"The weights add up to {total:g} %, not to 100 %."] if weights and abs(total - 100) >= ROUNDED else []


def too_many(what: str, found: int, most: int) -> Caution:
    """The warning that a proposal is incomplete.

    Args:
        what: "items" or "categories".
        found: number in the text.
        most: number proposed.
    """
    return Caution("too_many", f"The text names {found} {what}; the first {most} are here.")


def _of_date(
    syllabus: Syllabus, item: Claim, due_on: date, of_line: Container[date | None], named: str
) -> Iterator[tuple[WarningType, str]]:
    """Warnings about the date of one item: types and messages.

    Args:
        of_line: the dates of all items with this quote.
    """
    term = syllabus.calendar.term
    if term is not None and not term.holds(due_on):
        span = f"{_day(term.first)} to {_day(term.last)}"
        yield "outside_term", f"{named} is outside {term.name or 'the term'}, {span}."
    if item.quote is None:
        return
    mentions = syllabus.dates_in(_cells_about(syllabus, item.title, item.quote, due_on))
    weekdays = weekdays_in(item.quote) | {one.weekday for one in mentions if one.weekday is not None}
    in_range = any(one.first != one.last and one.holds(due_on) for one in mentions)
    if weekdays and due_on.weekday() not in weekdays and not in_range:
        days = " and ".join(day_name[day] for day in sorted(weekdays))
        yield "weekday", f"{named} is a {due_on:%A}; the text says {days}."
    competing = _competing(syllabus, item.title, item.quote, due_on)
    if others := [one for one in competing if one.last not in of_line]:
        yield "two_dates", f"This line also has {_day(others[0].last)}."


def _cells_about(syllabus: Syllabus, title: str, quote: str, due_on: date) -> str:
    """The cells of a row that have the title or the date; else the whole quote."""
    words, cells = set(words_of(title)), cells_of(quoted(quote))
    about = [
        cell
        for cell in cells
        if words & set(words_of(cell)) or any(one.holds(due_on) for one in syllabus.dates_in_text(cell))
    ]
    return " ".join(about) if len(cells) > 1 and about else quote


def _competing(syllabus: Syllabus, title: str, quote: str, due_on: date) -> list[Mention]:
    """Other dates of a quote that may belong to this title, if the quote contains the item's own date."""
    text = quoted(_cells_about(syllabus, title, quote, due_on))
    mentions = syllabus.dates_in_text(text)
    words, phrases = set(words_of(title)), phrases_of(text)
    phrase = max(phrases, key=lambda one: len(words & set(words_of(one.title))), default=None)
    found = mentions_for(text, phrase, phrases, mentions)
    apart = _BRACKETS.sub(lambda brackets: " " * len(brackets[0]), text)
    others = [
        one
        for one in found
        if not one.holds(due_on)
        and (apart[one.start].strip() or not NO_ITEM.search(text, max(0, one.start - MOST_QUOTED), one.end))
    ]
    if phrase and weekdays_in(text[phrase.end : min((one.start for one in mentions), default=0)]) == {due_on.weekday()}:
        return []  # "HW 10 (Fri); report due Thu Dec 10"
    return others if any(one.holds(due_on) for one in mentions) or len(others) > 1 else []


def _short(title: str) -> str:
    return title if len(title) <= MOST_QUOTED else f"{title[: MOST_QUOTED - 1]}…"


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


_BEFORE: Final = WEEKDAYS_BEFORE_DATES | NAMED_WEEKDAYS


def _run(names: dict[str, int]) -> str:
    """A pattern for weekdays separated only by punctuation and a word for "and"."""
    day = rf"\b(?:{one_of(names)})\b"
    return rf"{day}(?:\W+(?:(?:and|or|to|und|oder|bis|et|ou|y|o)\W+)?{day})*"


_RUN_BEFORE: Final = re.compile(rf"({_run(_BEFORE)})\W*$", re.IGNORECASE)
_RUN_AFTER: Final = re.compile(rf"\W*({_run(NAMED_WEEKDAYS)})", re.IGNORECASE)
_NAME: Final = re.compile(rf"\b(?:{one_of(_BEFORE)})\b", re.IGNORECASE)
_OF_MENTION: Final = re.compile(rf"(?:{one_of(_BEFORE)})\b\W*(?:(?:the|den|dem|le|el|on)\b\W*)?", re.IGNORECASE)
"""A weekday at the start of a mention."""
_ENDS_MENTION: Final = re.compile(rf"\W*\b(?:{one_of(NAMED_WEEKDAYS)})\b\W*$", re.IGNORECASE)

_WEEK: Final = timedelta(days=6)


def weekdays_of_quotes(syllabus: Syllabus, claims: Sequence[Claim], cautions: Sequence[Caution]) -> list[Caution]:
    """A warning for each quote whose own weekday and date disagree, except for items that already have one."""
    warned = {caution.index for caution in cautions if caution.type == "weekday"}
    found = []
    for index, claim in enumerate(claims):
        if claim.quote is None or index in warned:
            continue
        if (misplaced := misplaced_weekday(syllabus, claim.quote)) is not None:
            weekday, day = misplaced
            beside = f"{day_name[weekday]} beside {_day(day)}, which is a {day:%A}"
            found.append(Caution("weekday", f'The text of "{_short(claim.title)}" says {beside}.', index))
    return found


def misplaced_weekday(syllabus: Syllabus, quote: str) -> tuple[int, date] | None:
    """The first weekday (Monday is 0) that contradicts the date next to it, and that date.

    Only punctuation may stand between the two. A weekday between two dates may belong to either.
    """
    text = quoted(quote)
    begin, left = 0, None
    for right in (*syllabus.dates_in(quote), None):
        end = len(text) if right is None else _start(text, right)
        for run, dates in _runs(text[begin:end], left, right):
            if (found := _misplaced(run, dates)) is not None:
                return found
        if right is not None:
            begin, left = _end(text, right), right
    return None


def _start(text: str, mention: Mention) -> int:
    """The start of the date itself, after a weekday that is part of the mention."""
    weekday = _OF_MENTION.match(text, mention.start, mention.end)
    return mention.start if weekday is None else weekday.end()


def _end(text: str, mention: Mention) -> int:
    """The end of the date itself, before a weekday that is part of the mention, as in "Jan 24 (Fri)"."""
    weekday = _ENDS_MENTION.search(text[_start(text, mention) : mention.end])
    return mention.end if weekday is None else _start(text, mention) + weekday.start()


def _runs(gap: str, left: Mention | None, right: Mention | None) -> Iterator[tuple[str, list[Mention]]]:
    """The weekdays at both ends of the text between two dates, with the dates next to them."""
    after = _RUN_AFTER.match(gap) if left else None
    before = _RUN_BEFORE.search(gap) if right else None
    if after and before and after.start(1) == before.start(1):
        yield before[1], [one for one in (right, left) if one]
        return
    if after and left:
        yield after[1], [left]
    if before and right:
        yield before[1], [right]


def _misplaced(run: str, dates: Sequence[Mention]) -> tuple[int, date] | None:
    names = [name for name in _NAME.findall(run) if len(name) > 4 or name[0].isupper()]
    days = [_BEFORE[name.lower()] for name in names]
    if not days or any(_falls_in(day, one) for day in days for one in dates):
        return None
    return days[0], dates[0].first


def _falls_in(weekday: int, mention: Mention) -> bool:
    span = mention.last - mention.first
    return span >= _WEEK or (weekday - mention.first.weekday()) % 7 <= span.days
