"""Compare items found in different lines of one syllabus."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from courses.syllabi.candidates import Candidate
from courses.syllabi.comparison import Title
from courses.syllabi.kinds import NOUN
from courses.syllabi.reader import Syllabus
from courses.syllabi.reasons import Reason
from courses.syllabi.rows import cells_of
from courses.syllabi.units import SHORT

_ONCE: Final = (frozenset({"final"}), frozenset({"final", "exam"}))
"""Words for work that a course has only once, even without a number."""

LEAST_ALIKE: Final = 2
"""Minimum number of undoubted items in lines of a form before the form counts for the others."""

FEW: Final = 5
"""Undoubted items of a short text, whose lines need not be alike."""

_LISTED: Final = frozenset({Reason.DUE, Reason.HERE, Reason.ENTRY})
"""With these, in lines that are alike, a title of several words is an entry in a list of deadlines."""


def compared_with_others(syllabus: Syllabus, candidates: Sequence[Candidate], graded: Sequence[str]) -> list[Candidate]:
    """The candidates, doubted where lines disagree on one, or where it has no word for a kind of work."""
    titles = [Title.of(one.title) for one in candidates]
    parts = [Title.of(name) for name in graded]
    known = [(one, title) for one, title in zip(candidates, titles, strict=True) if not one.doubted]
    dates = {(title.words, title.numbers, one.due_on) for one, title in known}
    forms = {line: _form(syllabus, line) for line in {one.line for one in candidates}}
    alike = Counter(forms[one.line] for one, _ in known)
    compared = []
    for one, title in zip(candidates, titles, strict=True):
        days = {day for words, numbers, day in dates if numbers == title.numbers and _same(words, title.words)}
        reasons = set(one.reasons)
        if (title.numbers or title.words in _ONCE) and len(days) > 1:
            reasons.add(Reason.TWO_DATES)
        is_alike = alike[forms[one.line]] > LEAST_ALIKE
        if is_alike or len(known) <= FEW:
            reasons.add(Reason.ALIKE)
        if any(_same(part.words, title.words) for part in parts):
            reasons.add(Reason.GRADED)
        named = NOUN.search(one.title) or Reason.GRADED in reasons
        if not named and not (is_alike and reasons >= _LISTED and len(title.words | title.numbers) > 1):
            reasons.add(Reason.UNNAMED)
        compared.append(replace(one, reasons=frozenset(reasons)))
    return compared


def _form(syllabus: Syllabus, line: int) -> tuple[int, bool, bool, bool]:
    """The form of a line: its columns, whether a date begins it, whether it has one, and whether it is long."""
    text, mentions = syllabus.lines[line], syllabus.mentions(line)
    return (
        len(cells_of(text)),
        bool(mentions and mentions[0].start < 6),
        bool(mentions),
        len(syllabus.raw[line]) >= SHORT,
    )


def _same(words: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether one title only extends the other: "Assignment 1" and "Assignment 1: sorting"."""
    return bool(words & others) and (words <= others or others <= words)
