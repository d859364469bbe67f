"""Compare items found in different lines of one syllabus."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from courses.syllabi.candidates import Candidate
from courses.syllabi.comparison import STAGES, Title
from courses.syllabi.doubts import Doubt

_ONCE: Final = (frozenset({"final"}), frozenset({"final", "exam"}))
"""Words for work that a course has only once, even without a number."""


def compared(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates, with a doubt if another line has the same item on another day, or numbers and days disagree."""
    titles = [Title.of(one.title) for one in candidates]
    dates: defaultdict[tuple[frozenset[str], frozenset[str]], set[date]] = defaultdict(set)
    series: defaultdict[frozenset[str], dict[int, date]] = defaultdict(dict)
    for one, title in zip(candidates, titles, strict=True):
        if one.due_on is not None and not one.doubts:
            dates[title.words, title.numbers].add(one.due_on)
            if len(title.numbers) == 1 and (number := min(title.numbers)).isdigit():
                series[title.words][int(number)] = one.due_on
    disordered = {
        words
        for words, days in series.items()
        if (ordered := [days[number] for number in sorted(days)]) != sorted(ordered)
    }
    doubted = []
    for one, title in zip(candidates, titles, strict=True):
        doubts = set(one.doubts)
        alike = [
            days for (words, numbers), days in dates.items() if numbers == title.numbers and _same(words, title.words)
        ]
        if (title.numbers or title.words in _ONCE) and len(set().union(*alike)) > 1:
            doubts.add(Doubt.TWO_DATES)
        if title.words in disordered and title.numbers:
            doubts.add(Doubt.OUT_OF_ORDER)
        doubted.append(replace(one, doubts=frozenset(doubts)))
    return doubted


def _same(words: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether one title only extends the other: "Assignment 1" and "Assignment 1: sorting"."""
    return bool(words & others) and (words <= others or others <= words) and words & STAGES == others & STAGES
