"""The grade category of an item, by the words and the number of its title, else by its kind."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from courses.syllabi.comparison import Title
from courses.syllabi.text import title_key
from courses.syllabi.words import NOUN, OTHER, any_word, kind_of

_STAGES: Final = frozenset({"final", "midterm"})
"""Words that say when an exam or a paper is due, not what it is."""

_WORDS: Final = "one|two|three|four|five|six|seven|eight|nine|ten"
_COUNTED: Final = re.compile(
    rf"(?:^\s*|\b(?:{any_word('best')}|{any_word('lowest')})\s)\d{{1,2}}\s|\b(?:{_WORDS})\s(?=\w)", re.IGNORECASE
)
"""The number of pieces before a name: "3 exams", "highest two tests"."""

_SCORES: Final = re.compile(r"\s(?:scores?|grades?|marks?)\s*$", re.IGNORECASE)
_RANGE: Final = re.compile(r"\b(\d{1,2})\s?[-–]\s?(\d{1,2})\b")
_DETAILS: Final = re.compile(r"[:(]|\s[-–—]\s")
"""The end of the name in a title."""

_ENDING: Final = re.compile(r"(?<=\w{4})(?:en|es|e|n|s)$")
"""What words differ by in the singular and the plural."""


@dataclass(frozen=True, slots=True)
class _Name:
    """The name of a category, or of an item without details.

    Attributes:
        text: as it is written.
        words: its words, without endings.
        nouns: those for a kind of work.
        numbers: its numbers, not that of pieces; of a range each.
        is_range: whether it has a range of numbers.
        kind: the kind of work that it names.
    """

    text: str
    words: frozenset[str]
    nouns: frozenset[str]
    numbers: frozenset[str]
    is_range: bool
    kind: str

    @classmethod
    def of(cls, text: str, kind: str) -> "_Name":
        plain = _SCORES.sub("", _COUNTED.sub(" ", text))
        title = Title.of(plain)
        ranges = [range(int(first), int(last) + 1) for first, last in _RANGE.findall(plain)]
        numbers = title.numbers | {str(number) for one in ranges for number in one}
        nouns = Title.of(" ".join(one[0] for one in NOUN.finditer(plain))).words - _STAGES
        return cls(text, _stems(title.words), _stems(nouns), numbers, bool(ranges), kind)

    def rank(self, item: "_Name") -> tuple[int, ...] | None:
        """How well an item fits this category, more is better. None if its words or numbers do not."""
        if not self.may_have(item):
            return None
        nouns, words = self.nouns & item.nouns, self.words & item.words
        if not nouns and not (words and (self.words <= item.words or item.words <= self.words)):
            return None
        unsaid = self.words - item.words
        return bool(self.numbers), len(nouns), len(words), -len(unsaid), "final" not in unsaid

    def may_have(self, item: "_Name") -> bool:
        """Return whether neither number nor stage tells them apart: "Exam 1" and "Exam 2", "Midterm" and "Final"."""
        mine, its = self.words & _STAGES, item.words & _STAGES
        if self.numbers:
            return bool(self.numbers & item.numbers) or (self.is_range and not item.numbers)
        if not mine or not its:
            return "final" not in mine or not item.numbers
        return bool(mine & its)


def _stems(words: frozenset[str]) -> frozenset[str]:
    return frozenset(_ENDING.sub("", word) for word in words)


class Categories:
    """The names of a grade's categories, to find those of items. Two equal names are none."""

    def __init__(self, names: Sequence[str]) -> None:
        doubled = Counter(map(title_key, names))
        self._names = [_Name.of(name, kind_of(name)) for name in names if doubled[title_key(name)] == 1]
        self._keys = {title_key(one.text): one.text for one in self._names}

    def named(self, name: str | None) -> str | None:
        """The category of this name, in any case."""
        return None if name is None else self._keys.get(title_key(name))

    def of(self, title: str, kind: str = OTHER) -> str | None:
        """The category of an item: the one that its words and its number fit best, else the only one of its kind."""
        item = _Name.of(_DETAILS.split(title, maxsplit=1)[0] or title, kind)
        ranked = [(rank, one.text) for one in self._names if (rank := one.rank(item)) is not None]
        best = max((rank for rank, _ in ranked), default=None)
        fitting = [text for rank, text in ranked if rank == best]
        if len(fitting) != 1:
            of_kind = (one for one in self._names if one.kind == kind != OTHER)
            fitting = [one.text for one in of_kind if one.may_have(item) and (not fitting or one.text in fitting)]
        return fitting[0] if len(fitting) == 1 else None
