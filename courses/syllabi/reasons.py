"""Why an item is due on its date, and what speaks against it: one table, from which its confidence is computed."""

from collections.abc import Collection
from enum import Enum
from typing import Final

TICKED: Final = 0.8
"""Confidence from which an item is ticked."""

_BEFORE: Final = 0.5
_MOST: Final = 0.95


class Reason(Enum):
    """A reason for a date (above 0) or against it, with its weight. The first one against it is shown to the member."""

    DUE = (0.2, "a word, a label or a column says that it is due")
    SAT = (0.15, "it is sat or takes place at a time")
    LISTED = (0.05, "its title has a plain word or a number, and its date follows")
    NUMBER = (0.15, "it has a number")
    WEEKDAY = (0.15, "the weekday beside the date is that of the date")
    NAME = (0.05, "what is sat has a name of several words")
    HERE = (0.05, "the date is in its line")
    ENTRY = (0.05, "its line has hardly more than its title and its date")
    ALIKE = (0.05, "other lines of the same form are items, too")

    NO_DATE = (-0.2, "no date")
    OUTSIDE_TERM = (-0.3, "outside the term")
    YEAR = (-0.2, "maybe another year")
    OTHER_WEEKDAY = (-0.3, "another weekday")
    TWO_DATES = (-0.2, "two dates")
    SEVERAL_DAYS = (-0.2, "several days")
    RECURRING = (-0.2, "every week")
    MAYBE_TOPIC = (-0.25, "maybe a topic")
    UNNAMED = (-0.2, "no word for a kind of work")
    NO_REASON = (-0.3, "no deadline word")

    @property
    def weight(self) -> float:
        """What it adds to the confidence."""
        return self.value[0]

    @property
    def words(self) -> str:
        """Its words for the member."""
        return self.value[1]


DEADLINES: Final = frozenset({Reason.DUE, Reason.SAT, Reason.LISTED})
"""Without one of these a date is not the day on which something is due."""

_WEAK: Final = "little says so"


def confidence_of(reasons: Collection[Reason]) -> float:
    """From 0 to 0.95. Any reason against an item lowers it below 0.8."""
    known = _with_missing(reasons)
    gained = min(_MOST, _BEFORE + sum(one.weight for one in known if one.weight > 0))
    return max(0.0, round(gained + sum(one.weight for one in known if one.weight < 0), 2))


def first_doubt(reasons: Collection[Reason]) -> str | None:
    """The reason against an item to show; None if it is ticked."""
    if confidence_of(reasons) >= TICKED:
        return None
    known = _with_missing(reasons)
    return next((one.words for one in Reason if one.weight < 0 and one in known), _WEAK)


def _with_missing(reasons: Collection[Reason]) -> frozenset[Reason]:
    """The reasons, and that there is none to be a deadline if that is so for an item with a date."""
    stated = DEADLINES & {*reasons} or Reason.NO_DATE in reasons
    return frozenset(reasons if stated else {*reasons, Reason.NO_REASON})
