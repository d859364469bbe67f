"""A proposal compared with the existing items of a course."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal
from uuid import UUID

from courses.syllabi.text import title_key, words_of

Match = Literal["new", "same", "moved", "gone"]

_FILLERS_WORDS: Final = "the a an of on for and in due der die das des und le la les du de et el los y"
_FILLERS: Final = frozenset(_FILLERS_WORDS.split())
_NUMBERS: Final = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8"} | {
    "one": "1", "two": "2", "three": "3", "first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5",
}  # fmt: skip
_SPELLINGS: Final = {
    "homework": ("hw", "hws", "homeworks"),
    "exam": ("exams", "examination", "examinations", "test"),
    "quiz": ("quizzes",),
    "assignment": ("assignments", "asst"),
    "midterm": ("mid",),
    "final": ("finals",),
    "pset": ("ps",),
}
_SAME_WORDS: Final = {spelling: word for word, spellings in _SPELLINGS.items() for spelling in spellings}
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
    """

    id: UUID | None
    title: str
    due_on: date | None
    kind: str = "other"


@dataclass(frozen=True, slots=True)
class Title:
    """A title, parsed once for many comparisons.

    Attributes:
        key: as returned by `title_key`.
        words: its words without fillers, in normalized spelling.
        numbers: its numbers, with Roman ones converted.
    """

    key: str
    words: frozenset[str]
    numbers: frozenset[str]

    @classmethod
    def of(cls, title: str) -> "Title":
        """Parse a title."""
        words, numbers = set(), set()
        for word in words_of(title):
            letters = word.rstrip("0123456789")
            if letters and letters != word:
                numbers.add(word[len(letters) :].lstrip("0"))
                word = letters  # noqa: PLW2901  # HW3 is homework 3
            if word.isdigit():
                numbers.add(word.lstrip("0"))
            elif word in _NUMBERS:
                numbers.add(_NUMBERS[word])
            elif word not in _FILLERS:
                words.add(_SAME_WORDS.get(word) or (word[:-1] if len(word) > 3 and word.endswith("s") else word))
        return cls(title_key(title), frozenset(words), frozenset(numbers))

    def extends(self, other: "Title") -> bool:
        """Return whether this title has all words and numbers of the other one."""
        return bool(other.words) and other.words <= self.words and other.numbers <= self.numbers

    def like(self, other: "Title") -> bool:
        """Return whether both titles match: equal, or with the same numbers and half of the shorter one's words."""
        if self.key == other.key:
            return True
        shorter = min(len(self.words), len(other.words))
        return (
            shorter > 0
            and self.numbers == other.numbers
            and len(self.words & other.words) * 2 >= shorter
            and self.words & STAGES == other.words & STAGES
        )


def matches(
    proposed: Sequence[tuple[str, date | None]], stored: Sequence[Stored]
) -> tuple[list[tuple[Match, UUID | None]], list[Stored]]:
    """Match each proposed item (title, date) with stored ones, and list stored ones that are gone.

    A proposed item without a date equals a stored one with a date: an unknown date moves nothing. Each stored item is
    matched once, with equal titles before similar ones.
    """
    found: list[tuple[Match, UUID | None]] = [("new", None)] * len(proposed)
    left = dict(enumerate(stored))
    waiting = set(range(len(proposed)))
    for place, at in _pairs(proposed, stored):
        if at in left and place in waiting:
            due_on = proposed[place][1]
            match: Match = "same" if due_on is None or due_on == left[at].due_on else "moved"
            found[place] = match, left.pop(at).id
            waiting.discard(place)
    return found, list(left.values())


def _pairs(proposed: Sequence[tuple[str, date | None]], stored: Sequence[Stored]) -> Iterator[tuple[int, int]]:
    """Pairs of indexes that may be the same item, the surest first."""
    mine = [(Title.of(title), due_on) for title, due_on in proposed]
    theirs = [(Title.of(one.title), one.due_on) for one in stored]

    def where(holds: Callable[[Title, Title, bool], bool]) -> Iterator[tuple[int, int]]:
        for place, (title, due_on) in enumerate(mine):
            for at, (other, other_due_on) in enumerate(theirs):
                if holds(title, other, due_on == other_due_on):
                    yield place, at

    yield from where(lambda one, other, same_day: same_day and one.key == other.key)
    yield from where(lambda one, other, same_day: same_day and one.like(other))
    yield from where(lambda one, other, _: one.key == other.key)
    yield from where(lambda one, other, _: one.words == other.words and one.numbers == other.numbers)
    # Without a number, half of the words is not enough evidence that something moved.
    yield from where(lambda one, other, _: bool(one.numbers) and one.like(other))
