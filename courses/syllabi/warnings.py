"""Warnings about items and weights of a proposal, for the member to check."""

import re
from calendar import day_name
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from courses.syllabi.comparison import Stored
from courses.syllabi.dates import Mention
from courses.syllabi.phrases import mentions_for, phrases_of
from courses.syllabi.reader import Syllabus
from courses.syllabi.rows import cells_of
from courses.syllabi.text import quoted, title_key, words_of
from courses.syllabi.words import NO_ITEM, weekdays_in

WarningType = Literal["outside_term", "weekday", "two_dates", "weights", "duplicate", "too_many"]

_BRACKETS: Final = re.compile(r"\([^()]*\)")
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
    for index, item in enumerate(items):
        named = f'"{_short(item.title)}", {_day(item.due_on) if item.due_on else "without a date"},'
        if item.due_on is not None:
            cautions += [Caution(*one, index) for one in _of_date(syllabus, item, item.due_on, named)]
        if (double := (title_key(item.title), item.due_on)) in earlier:
            cautions.append(Caution("duplicate", f"There is a {named} already.", index))
        earlier.add(double)
    if weights and abs(sum(weights) - 100) > 0.01:
        cautions.append(Caution("weights", f"The weights add up to {sum(weights):g} %, not to 100 %."))
    return cautions


def too_many(what: str, found: int, most: int) -> Caution:
    """The warning that a proposal is incomplete.

    Args:
        what: "items" or "categories".
        found: number in the text.
        most: number proposed.
    """
    return Caution("too_many", f"The text names {found} {what}; the first {most} are here.")


def _of_date(syllabus: Syllabus, item: Claim, due_on: date, named: str) -> Iterator[tuple[WarningType, str]]:
    """Warnings about the date of one item: types and messages."""
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
    if others := _competing(syllabus, item.title, item.quote, due_on):
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
