"""Warnings about items and weights of a proposal, for the member to check."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal

from courses.syllabi.calendars import Mention
from courses.syllabi.comparison import Stored
from courses.syllabi.due_days import mentions_for
from courses.syllabi.phrases import phrases_of
from courses.syllabi.reader import Syllabus
from courses.syllabi.text import readable, title_key, words_of
from courses.syllabi.words import weekdays_in

WarningType = Literal["outside_term", "weekday", "two_dates", "weights", "duplicate", "too_many"]

MOST_QUOTED: Final = 60
"""Maximum characters of a title in a message."""

_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


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
        cautions.extend(_of_date(syllabus, item, index))
        if (double := (title_key(item.title), item.due_on)) in earlier:
            message = f'There is a "{_short(item.title)}", {_on(item.due_on)}, already.'
            cautions.append(Caution("duplicate", message, index))
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


def _of_date(syllabus: Syllabus, item: Claim, index: int) -> list[Caution]:
    """Warnings about the date of one item."""
    if item.due_on is None:
        return []
    cautions = []
    term = syllabus.calendar.term
    if term is not None and not term.holds(item.due_on):
        name = f"{term.name}, " if term.name else "the term, "
        message = (
            f'"{_short(item.title)}", {_on(item.due_on)}, is outside {name}{_day(term.first)} to {_day(term.last)}.'
        )
        cautions.append(Caution("outside_term", message, index))
    if item.quote is None:
        return cautions
    mentions = syllabus.dates_in(item.quote)
    named = weekdays_in(item.quote) | {one.weekday for one in mentions if one.weekday is not None}
    in_range = any(one.first != one.last and one.holds(item.due_on) for one in mentions)
    if named and item.due_on.weekday() not in named and not in_range:
        days = " and ".join(_DAYS[day] for day in sorted(named))
        message = (
            f'"{_short(item.title)}", {_on(item.due_on)}, is a {_DAYS[item.due_on.weekday()]}; the text says {days}.'
        )
        cautions.append(Caution("weekday", message, index))
    if others := _competing(item.title, item.quote, item.due_on, mentions):
        message = f'The text of "{_short(item.title)}", {_on(item.due_on)}, also names {_day(others[0].last)}.'
        cautions.append(Caution("two_dates", message, index))
    return cautions


def _competing(title: str, quote: str, due_on: date, mentions: Sequence[Mention]) -> list[Mention]:
    """Other dates of a quote that may belong to this title, if the quote contains the item's own date."""
    text = readable(" ".join(quote.split()))
    words, phrases = set(words_of(title)), phrases_of(text)
    phrase = max(phrases, key=lambda one: len(words & set(words_of(one.title))), default=None)
    found = mentions_for(text, phrase, phrases, mentions)
    others = [one for one in found if not one.holds(due_on)]
    return others if any(one.holds(due_on) for one in mentions) or len(others) > 1 else []


def _short(title: str) -> str:
    return title if len(title) <= MOST_QUOTED else f"{title[: MOST_QUOTED - 1]}…"


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def _on(day: date | None) -> str:
    return "without a date" if day is None else _day(day)
