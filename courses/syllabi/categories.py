"""The grade category of an item, by the words and the number of its title, else by its kind."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from courses.syllabi.comparison import Title
from courses.syllabi.text import title_key
from courses.syllabi.weight_words import plural_of
from courses.syllabi.words import NOUN, OTHER, any_word, kind_of

_STAGES: Final = frozenset({"final", "midterm"})
"""Words that say when an exam or a paper is due, not what it is."""

_EXAM: Final = frozenset({"exam"})
"""Unless another word follows, a final or a midterm is an exam."""

_COUNTS: Final = re.compile(
    rf"(?:^\s*|\b(?:of|von|de|with|mit|{any_word('best')}|{any_word('lowest')})\s)\d{{1,2}}\s"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\s(?=[^\W\d])"
    r"|[:,]\s*\d{1,2}(?:\s?[@x\u00d7].*|\s[^\d].*)?$",
    re.IGNORECASE,
)
"""The number of pieces or pages in a name: "3 exams", "highest two tests", "Quizzes, 5", "Quizzes: 6 at 5 points"."""

_SCORES: Final = re.compile(r"\s(?:scores?|grades?|marks?)\s*$", re.IGNORECASE)
_RANGE: Final = re.compile(r"(?<!\d)(\d{1,2})\s?[-–]\s?[A-Z]?(\d{1,2})\b")
_DETAILS: Final = re.compile(r"[:(]|\s[-–—]\s")
"""The end of the name in a title."""

_ENDING: Final = re.compile(r"(?<=\w{4})(?:en|es|is|i|e|n|s)$")
"""What words differ by in the singular and the plural."""

_LETTERS: Final = re.compile(r"\b[A-Z]{2,4}(?=\b|\d)")
"""The first letters of a name: "PS 1" is one of the problem sets."""

_ENOUGH: Final = 2
"""Common words that suffice without a noun for work."""


@dataclass(frozen=True, slots=True)
class _Name:
    """The name of a category, or of an item.

    Attributes:
        text: as it is written.
        words: its words, without endings.
        nouns: those for a kind of work.
        numbers: its numbers, not that of pieces; of a range each.
        is_range: whether it has a range of numbers.
        is_several: whether it is a plural.
        letters: the first letters of its words, in capitals.
        kind: the kind of work that it names.
    """

    text: str
    words: frozenset[str]
    nouns: frozenset[str]
    numbers: frozenset[str]
    is_range: bool
    is_several: bool
    letters: str
    kind: str

    @classmethod
    def of(cls, text: str, kind: str) -> "_Name":
        plain = _SCORES.sub("", _COUNTS.sub(" ", text))
        title = Title.of(plain)
        exam = _EXAM if title.words and title.words <= _STAGES else frozenset[str]()
        ranges = [range(int(first), int(last) + 1) for first, last in _RANGE.findall(plain)]
        numbers = title.numbers | {str(number) for one in ranges for number in one}
        nouns = Title.of(" ".join(one[0] for one in NOUN.finditer(plain))).words - _STAGES
        return cls(
            text,
            _stems(title.words | exam),
            _stems(nouns | exam),
            numbers,
            bool(ranges),
            plural_of(text) == text,
            "".join(word[0] for word in plain.split()).upper(),
            kind,
        )

    def rank(self, item: "_Name") -> tuple[int, ...] | None:
        """How well an item fits this category, more is better. None if its words or numbers do not."""
        if not self.may_have(item):
            return None
        if self.letters in _LETTERS.findall(item.text):
            return bool(self.numbers), len(self.words)
        nouns, words = self.nouns & item.nouns, self.words & item.words
        is_part = bool(words) and (self.words <= item.words or item.words <= self.words)
        if not nouns and not is_part and len(words) < _ENOUGH:
            return None
        unsaid, by_number = self.words - item.words, bool(item.numbers) and self.is_several
        return bool(self.numbers), len(nouns), len(words), -len(unsaid), by_number, "final" not in unsaid

    def may_have(self, item: "_Name") -> bool:
        """Return whether neither number nor stage tells them apart: "Exam 1" and "Exam 2", "Midterm" and "Final"."""
        mine, its = self.words & _STAGES, item.words & _STAGES
        if self.numbers:
            return bool(self.numbers & item.numbers) or (self.is_range and not item.numbers)
        if not mine or not its:
            return "final" not in mine or not item.numbers
        return bool(mine & its)


def _stems(words: frozenset[str]) -> frozenset[str]:
    """The words without endings. Tests are exams, as `Title` has it of one test."""
    return frozenset("exam" if word == "test" else _ENDING.sub("", word) for word in words)


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
        """The category of an item: the one that its words and its number fit best, else the only one of its kind.

        The words before its details count first: "Lab 3: review for the exam".
        """
        if found := self.named(title):
            return found
        head = _Name.of(_DETAILS.split(title, maxsplit=1)[0] or title, kind)
        for item in (head, _Name.of(title, kind)):
            fitting = self._fitting(item)
            if len(fitting) == 1:
                return fitting[0]
        tied = self._fitting(head)
        of_kind = [one for one in self._names if one.kind == kind != OTHER and one.may_have(head)]
        only = [one.text for one in of_kind if not tied or one.text in tied]
        return only[0] if len(only) == 1 else None

    def _fitting(self, item: _Name) -> list[str]:
        """The categories that the words and the number of an item fit best."""
        ranked = [(rank, one.text) for one in self._names if (rank := one.rank(item)) is not None]
        best = max((rank for rank, _ in ranked), default=None)
        return [text for rank, text in ranked if rank == best]
