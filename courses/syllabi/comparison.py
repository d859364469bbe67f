"""A proposal compared with the existing items of a course."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal
from uuid import UUID

from courses.syllabi.text import comparable
from courses.syllabi.words import VOCABULARY

Match = Literal["new", "same", "moved", "gone"]

_PIECE: Final = re.compile(r"[^\W\d_]+|\d+")
"""HW3 is homework 3."""

_FILLERS_WORDS: Final = "the a an of on for and in due st nd rd th der die das des und le la les du de et el los y"
_FILLERS: Final = frozenset(_FILLERS_WORDS.split())
_NUMBERS: Final = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8"} | {
    "one": "1", "two": "2", "three": "3", "first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5",
}  # fmt: skip
_SAME_WORDS: Final = {spelling: word for word, spellings in VOCABULARY["spellings"].items() for spelling in spellings}
STAGES: Final = frozenset({"draft", "outline", "proposal", "final", "midterm", "bibliography", "review"})
"""Words that distinguish steps of one work: a draft is not the final version."""


@dataclass(frozen=True, slots=True)
class Stored:
    """An existing item of a course.

    Attributes:
        id: its id; None if it is not stored yet.
        title: its title.
        due_on: its date, or None.
        kind: a value of `ItemKind`, for the answer if it is gone.
        due_time: its time, likewise.
    """

    id: UUID | None
    title: str
    due_on: date | None
    kind: str = "other"
    due_time: str | None = None


@dataclass(frozen=True, slots=True)
class Title:
    """A title, parsed once for many comparisons.

    Attributes:
        words: its words without fillers, in normalized spelling.
        numbers: its numbers, with Roman ones converted.
    """

    words: frozenset[str]
    numbers: frozenset[str]

    @classmethod
    def of(cls, title: str) -> "Title":
        """Parse a title."""
        words, numbers = set(), set()
        for piece in _PIECE.findall(comparable(title)):
            if piece.isdigit():
                numbers.add(piece.lstrip("0"))
            elif piece in _NUMBERS:
                numbers.add(_NUMBERS[piece])
            elif piece not in _FILLERS:
                words.add(_SAME_WORDS.get(piece) or (piece[:-1] if len(piece) > 3 and piece.endswith("s") else piece))
        return cls(frozenset(words), frozenset(numbers))

    def extends(self, other: "Title") -> bool:
        """Return whether this title has all words and numbers of the other one."""
        return bool(other.words) and other.words <= self.words and other.numbers <= self.numbers

    def like(self, other: "Title") -> bool:
        """Return whether both titles match: equal, or with the same numbers and half of the shorter one's words."""
        shorter = min(len(self.words), len(other.words))
        return self == other or (
            shorter > 0
            and self.numbers == other.numbers
            and len(self.words & other.words) * 2 >= shorter
            and self.words & STAGES == other.words & STAGES
        )


def matches(
    proposed: Sequence[tuple[str, date | None]], stored: Sequence[Stored], unchanged: Sequence[bool] = ()
) -> tuple[list[tuple[Match, UUID | None]], list[Stored]]:
    """Match each proposed item (title, date) with stored ones, and list stored ones that are gone.

    A proposed item without a date equals a stored one with a date: an unknown date moves nothing. Each stored item is
    matched once, with equal titles before similar ones. One whose line is unchanged is the same, whatever its
    date is in the course, or its title if its date is as it was; without an id if it was deleted.
    """
    found: list[tuple[Match, UUID | None]] = [("new", None)] * len(proposed)
    left = dict(enumerate(stored))
    kept = {place for place, is_unchanged in enumerate(unchanged) if is_unchanged}
    for place, at in sorted(_pairs(proposed, stored), key=lambda pair: pair[0] not in kept):
        if at in left and found[place] == ("new", None):
            due_on = proposed[place][1]
            same = place in kept or due_on is None or due_on == left[at].due_on
            found[place] = "same" if same else "moved", left.pop(at).id
    for place in sorted(kept):
        if found[place] == ("new", None):
            renamed = next((at for at, one in left.items() if one.due_on == proposed[place][1]), None)
            found[place] = "same", None if renamed is None else left.pop(renamed).id
    return found, list(left.values())


def _pairs(proposed: Sequence[tuple[str, date | None]], stored: Sequence[Stored]) -> list[tuple[int, int]]:
    """Pairs of indexes that may be the same item, the surest first: of one day, then of one title.

    Without a number, half of the words is not enough evidence that something moved.
    """
    theirs = [(Title.of(one.title), one.due_on) for one in stored]
    pairs = []
    for place, (name, due_on) in enumerate(proposed):
        title = Title.of(name)
        for at, (other, other_due_on) in enumerate(theirs):
            moved = due_on != other_due_on
            if title == other or (title.like(other) and (title.numbers or not moved)):
                pairs.append((moved, title != other, place, at))
    return [(place, at) for *_, place, at in sorted(pairs)]
