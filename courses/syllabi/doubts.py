"""Confidence of a reading. An item with evidence for its date and without doubts is selected."""

from collections.abc import Collection
from enum import StrEnum
from typing import Final

SURE: Final = 0.9
"""The confidence of an item without a doubt."""


class Sign(StrEnum):
    """Independent pieces of evidence that an item is due on its date."""

    DUE = "a word, a label or a column says that it is due"
    SAT = "it is sat at a time, and has a name of its own"
    NUMBER = "it has a number"
    WEEKDAY = "the weekday beside the date is that of the date"
    HERE = "the date is in its line"
    ENTRY = "its line has hardly more than its title and its date"
    ALIKE = "other lines of the same form are items, too"


LEAST_SIGNS: Final = 3
"""Pieces of evidence without which an item is not ticked; chosen by leaving out one round of syllabi at a time."""


class Doubt(StrEnum):
    """The reason why an item is not selected, in the member's words. Of several, the first is shown."""

    NO_DATE = "no date"
    OUTSIDE_TERM = "outside the term"
    YEAR = "maybe another year"
    WEEKDAY = "another weekday"
    TWO_DATES = "two dates"
    SEVERAL_DAYS = "several days"
    OUT_OF_ORDER = "out of order"
    RECURRING = "every week"
    FAR_DATE = "date some lines above"
    MAYBE_TOPIC = "maybe a topic"
    NO_REASON = "no deadline word"
    UNNAMED = "no word for a kind of work"
    WEAK = "little says so"


_TAKES: Final = {Doubt.NO_REASON: 0.3, Doubt.MAYBE_TOPIC: 0.3, Doubt.OUTSIDE_TERM: 0.3, Doubt.WEEKDAY: 0.3}
_TAKES_ELSE: Final = 0.2


def confidence_of(doubts: Collection[Doubt]) -> float:
    """From 0 to 0.9. Any doubt lowers it below 0.8, the threshold for selecting items."""
    return max(0.0, SURE - sum(_TAKES.get(doubt, _TAKES_ELSE) for doubt in doubts))


def first_doubt(doubts: Collection[Doubt]) -> str | None:
    """The doubt to show, or None."""
    return next((doubt.value for doubt in Doubt if doubt in doubts), None)
