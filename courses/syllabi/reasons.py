"""Reasons for and against an item and its date, and the confidence that their fitted weights add up to."""

import json
from collections.abc import Collection
from enum import Enum
from math import exp
from pathlib import Path
from typing import Any, Final

TICKED: Final = 0.8
"""Confidence from which an item is ticked."""

MOST: Final = 0.95
UNDATED: Final = 0.3
"""Least confidence of an item that the text names without a day."""

UNTICKED: Final = 0.75
"""Most confidence of an item with a doubt."""

FITTED: Final[dict[str, Any]] = json.loads(Path(__file__).with_name("fitted.json").read_text(encoding="utf-8"))
"""Weights by reason, and what they were fitted on (`make syllabi-fit`)."""


class Reason(Enum):
    """A reason for an item or against it. One that is a doubt has words for the member."""

    DUE = "a word, a label or a column says that it is due"
    SAT = "it is sat or takes place at a time"
    LISTED = "its title has a plain word or a number, and its date follows"
    NUMBER = "it has a number"
    WEEKDAY = "the weekday beside the date is that of the date"
    HERE = "the date is in its line"
    ENTRY = "its line has hardly more than its title and its date"
    ALIKE = "other lines of the same form are items, too"
    GRADED = "it is a part of the grade"
    TITLED = "its place is that of a title of work"
    PLURAL = "its last word is a plural"
    CELL = "it is in a row of a table"
    CROWDED = "its cell, line or sentence names several things"
    SAYS = "its sentence has a verb"
    SHARED_DAY = "another item has its day"

    NO_DATE = "no date"
    OUTSIDE_TERM = "outside the term"
    YEAR = "maybe another year"
    OTHER_WEEKDAY = "another weekday"
    TWO_DATES = "two dates"
    SEVERAL_DAYS = "it names several days, not one"
    RECURRING = "every week"
    RULE = "a weekday said elsewhere"
    MAYBE_TOPIC = "maybe a topic"
    UNNAMED = "no word for a kind of work"
    NO_REASON = "no deadline word"

    @property
    def is_doubt(self) -> bool:
        """Whether it speaks against an item."""
        return self in _DOUBTS


_DOUBTS: Final = frozenset(list(Reason)[list(Reason).index(Reason.NO_DATE) :])
"""With one of these an item is never ticked."""

DEADLINES: Final = frozenset({Reason.DUE, Reason.SAT, Reason.LISTED})
"""Without one of these a date is not the day on which something is due."""

_WEAK: Final = "little says so"


def confidence_of(reasons: Collection[Reason]) -> float:
    """From 0 to 0.95. At `TICKED` as many items are right as the weights were fitted for."""
    known = with_missing(reasons)
    total: float = FITTED["intercept"] + sum(FITTED["weights"].get(one.name, 0) for one in known)
    threshold: float = FITTED["threshold"]
    likely = 1 / (1 + exp(-total))
    below = likely < threshold
    mapped = TICKED * likely / threshold if below else TICKED + (1 - TICKED) * (likely - threshold) / (1 - threshold)
    least = UNDATED if known & {Reason.NO_DATE, Reason.SEVERAL_DAYS} else 0
    return round(max(least, min(mapped, TICKED - 0.01 if below else MOST, most_of(known))), 2)


def most_of(reasons: Collection[Reason]) -> float:
    """The most confidence that an item with these reasons may have."""
    return UNTICKED if _DOUBTS & {*reasons} else MOST


def first_doubt(reasons: Collection[Reason]) -> str | None:
    """The reason against an item to show; None if it is ticked."""
    if confidence_of(reasons) >= TICKED:
        return None
    known = with_missing(reasons)
    return next((one.value for one in Reason if one.is_doubt and one in known), _WEAK)


def with_missing(reasons: Collection[Reason]) -> frozenset[Reason]:
    """The reasons, and that there is none to be a deadline if that is so for an item with a date."""
    stated = DEADLINES & {*reasons} or Reason.NO_DATE in reasons
    return frozenset(reasons if stated else {*reasons, Reason.NO_REASON})
