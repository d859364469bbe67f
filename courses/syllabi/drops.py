"""How many of the lowest scores of each grade category a syllabus drops."""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

from courses.syllabi.categories import Categories
from courses.syllabi.phrases import TAKING_PART
from courses.syllabi.rows import rows_of, sentences_of
from courses.syllabi.weight_words import plural_of
from courses.syllabi.weights import Weight
from courses.syllabi.words import NOUN, OTHER, VOCABULARY, any_word, kind_of

MOST_DROPPED: Final = 20
"""Maximum number of dropped scores of a category."""

_NUMBERS: Final = {word: number for number, words in enumerate(VOCABULARY["counts"]) for word in words} | {
    word: number for number, word in enumerate(VOCABULARY["numbers"][:19], 1)
}
_COUNT: Final = rf"\d{{1,2}}|{'|'.join(sorted(_NUMBERS, key=len, reverse=True))}"
_IN_DIGITS: Final = r"(?:\s?\(\d{1,2}\))?"

_DROPS: Final = re.compile(rf"\b(?:{any_word('drops')})\b", re.IGNORECASE)
_KEPT: Final = re.compile(
    rf"\b(?:{any_word('never')})\s(?:\w+\s){{0,3}}?(?:{any_word('drops')})\b|\w+n['\u2019]t\s(?:be\s)?drop",
    re.IGNORECASE,
)
"""Words that say that nothing is dropped."""

_LOWEST: Final = re.compile(
    rf"(?:\b(?P<before>{_COUNT}){_IN_DIGITS}\s(?:of\s)?(?:\w+\s)?)?\b(?:{any_word('lowest')})\b"
    rf"(?:\s(?P<after>{_COUNT})\b{_IN_DIGITS})?",
    re.IGNORECASE,
)
_SOME: Final = re.compile(
    rf"\bdrop(?:s|ped)?\s(?:your\s|the\s|their\s)?(?P<active>{_COUNT}){_IN_DIGITS}\s"
    rf"|\b(?P<passive>{_COUNT}){_IN_DIGITS}(?=\s(?:(?!you\b|students?\b)[\w-]+\s){{1,4}}(?:(?:will|may|can|is|are|be)\s){{1,2}}dropped\b)"
    rf"|\b(?P<noun>{_COUNT}){_IN_DIGITS}\sdrops?\b",
    re.IGNORECASE,
)
"""Some scores are dropped: "drop one quiz", "two homeworks will be dropped", "3 drops"."""

_BEST: Final = re.compile(
    rf"\b(?:(?:{any_word('best')})\s(?P<kept>{_COUNT})|(?P<first>{_COUNT})\s(?:{any_word('best')})){_IN_DIGITS}\s"
    rf"(?:[\w-]+\s){{0,2}}?(?:(?:out\s)?of|von|aus|sur|de)\s(?:\w+\s)?(?P<all>{_COUNT})\b",
    re.IGNORECASE,
)
"""The best of all count: "best 8 of 10"."""

_OF_SCORE: Final = re.compile(
    rf"\s*(?:of\s(?:the|your|these)\s)?(?:[\w-]+\s){{0,2}}?(?:{NOUN.pattern}|(?:grade|score|mark)s?\b)", re.IGNORECASE
)
"""The scores of a number: "one quiz", "two of your homework grades"."""

_BRACKETED: Final = re.compile(r"\s?\(\d{1,2}\)")
_PENALTY: Final = re.compile(r"\b(?:late|absen\w+|letter|points?|levels?)\b", re.IGNORECASE)
"""Words of a sentence in which the grade itself drops."""

_CLAUSE_END: Final = re.compile(
    r"[,;()]|\s(?:will|is|are|was|were|be|from|in|at|when|before|after|and|so|toward|w(?:ird|erden))\b", re.IGNORECASE
)
_CLAUSE_START: Final = re.compile(r"[;:]\s")
_APART: Final = re.compile(r"[,;(|]|\s(?:and|or|und|oder|et|ou|y|o)\s")
"""What separates two names of work."""

_FINAL: Final = re.compile(r"\bfinals?\b", re.IGNORECASE)

_SAT: Final = frozenset({"exam", "quiz"})
MOST_READ: Final = 50
"""Maximum number of drops read. A syllabus has a few."""

_MOST_CHARACTERS: Final = 600
"""Maximum characters read of a sentence."""

_NEAR: Final = 200
"""Maximum characters before or after a drop that may say of what."""

_MOST_EARLIER: Final = 5
"""Maximum number of sentences before a drop that may say of what."""

_MOST_HEAD: Final = 60
"""Maximum length of a line that is a heading."""


def dropped_in(lines: Sequence[str], weights: Sequence[Weight]) -> list[int]:
    """The number of dropped scores of each category, 0 if the text does not say."""
    names = _Named(weights)
    found: dict[str, int] = {}
    for drop in islice(_drops_in(lines), MOST_READ) if weights else ():
        own = {one.name for one in weights if one.line in drop.lines}
        category = names.said(drop.after, drop.before) or names.meant(own, drop.earlier)
        if category is not None:
            found[category] = max(found.get(category, 0), min(drop.number, MOST_DROPPED))
    return [found.get(one.name, 0) for one in weights]


class _Drop(NamedTuple):
    """A number of dropped scores, with the words around it that may say of what.

    Attributes:
        after: words after it, in its sentence.
        before: words before it, in its sentence.
        earlier: a heading and the sentences before, in its cell.
        lines: the lines of its row.
    """

    number: int
    after: str
    before: str
    earlier: Sequence[str] = ()
    lines: range = range(0)


def _drops_in(lines: Sequence[str]) -> Iterator[_Drop]:
    """The dropped scores of a text."""
    head = ""
    for row in rows_of(lines):
        whole = range(row.line, row.line_at(len(row.text)) + 1)
        for cell in row.cells:
            earlier = deque([head], maxlen=_MOST_EARLIER)
            for _, sentence in sentences_of(cell):
                said = sentence[:_MOST_CHARACTERS]
                for drop in _drops_of(said):
                    yield drop._replace(earlier=tuple(earlier), lines=whole)
                earlier.append(said)
        head = row.text if len(row.text) <= _MOST_HEAD else ""


class _Named:
    """The categories, to find the one that words beside a drop mean. Those of several pieces are more likely."""

    def __init__(self, weights: Sequence[Weight]) -> None:
        names = [one.name for one in weights]
        several = [name for name in names if plural_of(name) == name or name.lower().endswith("homework")]
        self._lists = Categories(several), Categories(names)

    def of(self, words: str) -> str | None:
        """The category that words mean. Only exams and quizzes are found by their kind."""
        kind = kind_of(words)
        found = (names.of(words, kind if kind in _SAT else OTHER) for names in self._lists)
        return next(filter(None, found), None)

    def at_end_of(self, text: str) -> str | None:
        """The category of the last noun for work; without a noun, that of the other words."""
        nouns = list(NOUN.finditer(text))
        if not nouns:
            return self.of(text)
        apart = len(nouns) > 1 and _APART.search(text, nouns[-2].end(), nouns[-1].start())
        return self.of(text[nouns[-2].end() if apart else 0 : nouns[-1].end()])

    def subject_of(self, sentence: str) -> str | None:
        """The category of the first noun for work, unless it is a final exam or taking part."""
        noun = NOUN.search(sentence)
        name = self.of(sentence[: noun.end()] if noun else sentence)
        return None if name is None or _FINAL.search(name) or TAKING_PART.search(name) else name

    def said(self, after: str, before: str) -> str | None:
        """The category in the words after a drop, or else before it."""
        after, before = after[:_NEAR], before[-_NEAR:]
        window = _CLAUSE_END.split(_BRACKETED.sub("", after), maxsplit=1)[0]
        return self.of(window) or self.at_end_of(_CLAUSE_START.split(before)[-1]) or self.at_end_of(before)

    def meant(self, own: set[str], earlier: Sequence[str]) -> str | None:
        """The category of the row, or else that of the nearest sentence before."""
        if len(own) == 1:
            return next(iter(own))
        return next(filter(None, map(self.subject_of, reversed(earlier))), None)


def _drops_of(sentence: str) -> Iterator[_Drop]:
    """The dropped scores of a sentence."""
    for one in _BEST.finditer(sentence):
        number = _number(one["all"]) - _number(one["kept"] or one["first"])
        if number > 0:
            yield _Drop(number, sentence[one.start() :], sentence[: one.start()])
    if not _DROPS.search(sentence) or _KEPT.search(sentence):
        return
    lowest = list(_LOWEST.finditer(sentence))
    bounds = [0, *(one.end() for one in lowest)], [*(one.start() for one in lowest[1:]), len(sentence)]
    for one, start, end in zip(lowest, *bounds, strict=False):
        number = _number(one["before"] or one["after"])
        yield _Drop(number, sentence[one.end() : end], sentence[start : one.start()])
    for one in () if lowest or _PENALTY.search(sentence) else _SOME.finditer(sentence):
        after = sentence[one.end() :]
        if one["noun"] or _OF_SCORE.match(after):
            yield _Drop(_number(one["active"] or one["passive"] or one["noun"]), after, sentence[: one.start()])


def _number(word: str | None) -> int:
    """A number in digits or in words; 1 without one."""
    text = (word or "").lower()
    return int(text) if text.isdigit() else _NUMBERS.get(text, 1)
