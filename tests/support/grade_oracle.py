"""Computes grades by brute force from the rules, without importing anything of `grades`.

All numbers are `Fraction`s. It tries every choice of dropped scores, and every x in hundredths.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

LETTERS = [
    ("A+", 97), ("A", 93), ("A-", 90), ("B+", 87), ("B", 83), ("B-", 80),
    ("C+", 77), ("C", 73), ("C-", 70), ("D+", 67), ("D", 63), ("D-", 60),
]  # fmt: skip


@dataclass(frozen=True)
class Category:
    """A category of a generated course.

    Attributes:
        scores: oldest first.
        linked: number of scores that name an item, at most all.
        open: number of further items that are still to come.
        ended: number of further items that are done, past or missed.
        is_named: whether `remaining` names the category.
    """

    weight: Fraction
    scores: list[Fraction] = field(default_factory=list)
    linked: int = 0
    open: int = 0
    ended: int = 0
    drop_lowest: int = 0
    is_named: bool = False

    @property
    def graded(self) -> int:
        """Number of items that a score names."""
        return min(self.linked, len(self.scores))

    @property
    def open_pieces(self) -> int:
        """All items still to come, and of the ended ones as many as no score can be of."""
        unlinked = len(self.scores) - self.graded
        return self.open + max(0, self.ended - unlinked)


def half_up(value: Fraction, places: int = 2) -> float:
    scale = int(10**places)
    return math.floor(value * scale + Fraction(1, 2)) / scale


def letter(grade: float) -> str:
    return next((name for name, least in LETTERS if grade >= least), "F")


def dropped(category: Category) -> list[bool]:
    """Choose the scores with the best mean. Of equal scores the older ones are chosen."""
    scores, number = category.scores, min(category.drop_lowest, max(0, len(category.scores) - 1))
    choices = list(combinations(range(len(scores)), number))
    left = [sum(scores) - sum(scores[place] for place in choice) for choice in choices]
    best = next(choice for choice, total in zip(choices, left, strict=True) if total == max(left))
    return [place in best for place in range(len(scores))]


def average(category: Category) -> Fraction | None:
    if not category.scores:
        return None
    return _best_mean(category.scores, min(category.drop_lowest, len(category.scores) - 1))


def current_grade(categories: Sequence[Category]) -> float | None:
    averages = [(one.weight, average(one)) for one in categories]
    counted = [(weight, mean) for weight, mean in averages if mean is not None]
    total = _total(weight for weight, _ in counted)
    return half_up(_total(weight * mean for weight, mean in counted) / total) if total else None


def worth(category: Category, categories: Sequence[Category]) -> float | None:
    """The share of each item."""
    total = _total(one.weight for one in categories)
    pieces = len(category.scores) + category.open_pieces
    return half_up(100 * category.weight / total / max(1, pieces - category.drop_lowest)) if total else None


def outlook(categories: Sequence[Category], target: Fraction | None = None, assume: Fraction | None = None) -> Any:
    """The outlook without scores over 100, which `reaches` checks."""
    course = _Course(categories)
    told: dict[str, Any] = {
        "remaining_weight": half_up(course.open_weight, 4),
        "best": course.rounded(Fraction(100)),
        "worst": course.rounded(Fraction(0)),
        "needed": [],
        "assumed": None,
        "uncategorized": 0,
    }
    if assume is not None:
        grade = course.rounded(assume)
        told["assumed"] = {
            "score": float(assume),
            "grade": grade,
            "letter": None if grade is None else letter(grade),
        }
    if told["best"] is None:
        return told
    rows: list[tuple[str | None, Fraction]] = [(name, Fraction(least)) for name, least in LETTERS]
    rows += [] if target is None else [(None, target)]
    scores = _tried(course, [least for _, least in rows])
    for (name, least), score in zip(rows, scores, strict=True):
        reached, possible = told["worst"] >= least, told["best"] >= least
        status = "already_reached" if reached else "possible" if possible else "impossible"
        told["needed"].append({"letter": name, "at_least": float(least), "score": score, "status": status})
    return told


def reaches(categories: Sequence[Category], score: float, at_least: float) -> bool:
    """Return whether the rounded grade reaches the bound with `x` percent in all open work."""
    grade = _Course(categories).rounded(Fraction(str(score)))
    assert grade is not None
    return Fraction(str(grade)) >= Fraction(str(at_least))


OVER_100 = "over 100"
"""In place of a score that is only reachable with extra credit."""


def _tried(course: "_Course", bounds: list[Fraction]) -> list[float | str | None]:
    """The smallest x in hundredths for each bound, up to 100."""
    found: list[float | str | None] = [OVER_100 if course.open_weight else None] * len(bounds)
    missing = sorted(range(len(bounds)), key=lambda place: bounds[place])
    for x in range(10_001 if course.open_weight else 1):
        grade = course.hundredths(x)
        while missing and grade >= bounds[missing[0]] * 100:
            found[missing.pop(0)] = x / 100
        if not missing:
            break
    return found


class _Part(NamedTuple):
    """A category with scores, some of whose pieces may be open."""

    weight: Fraction
    scores: list[Fraction]
    pieces: int
    number_dropped: int
    number_kept: int


class _Course:
    """Return the scores of a course that count."""

    def __init__(self, categories: Sequence[Category]) -> None:
        is_asked = any(one.is_named for one in categories)
        self._whole = _total(one.weight for one in categories if one.is_named or not (one.scores or is_asked))
        """The weight of the categories with average x."""
        self._parts: list[_Part] = []
        for one in categories:
            if one.scores and not one.is_named:
                pieces = 0 if is_asked else one.open_pieces
                n = len(one.scores) + pieces
                r = min(one.drop_lowest, n - 1)
                self._parts.append(_Part(one.weight, one.scores, pieces, r, n - r))
        self._weight = self._whole + _total(part.weight for part in self._parts)
        self.open_weight = self._whole + _total(
            part.weight * Fraction(part.pieces, len(part.scores) + part.pieces) for part in self._parts
        )
        # Whole numbers, because thousands of x are tried: the weights divided by what is kept, and scores in hundredths
        # of hundredths.
        self._scale = math.lcm(10_000, *(part.number_kept for part in self._parts)) * 10_000
        self._whole_numbers = [
            (int(self._scale * part.weight / part.number_kept), [int(10_000 * score) for score in part.scores], part)
            for part in self._parts
        ]

    def hundredths(self, x: int) -> int:
        """Return the rounded grade if every open piece gets `hundredths`."""
        total = int(self._scale * self._whole) * 100 * x
        for weight, scores, part in self._whole_numbers:
            total += weight * sum(sorted(scores + [100 * x] * part.pieces)[part.number_dropped :])
        weight = int(self._scale * self._weight) * 100
        return (2 * total + weight) // (2 * weight)

    def rounded(self, x: Fraction) -> float | None:
        """The best grade in percent, by trying every choice."""
        if not self._weight:
            return None
        earned = self._whole * x + _total(
            part.weight * _best_mean(part.scores + [x] * part.pieces, part.number_dropped) for part in self._parts
        )
        grade = half_up(earned / self._weight)
        assert (100 * x).denominator > 1 or self.hundredths(int(100 * x)) / 100 == grade
        return grade


def _total(numbers: Iterable[Fraction]) -> Fraction:
    return sum(numbers, Fraction())


def _best_mean(scores: Sequence[Fraction], number: int) -> Fraction:
    """Return the best mean after dropping this many scores."""
    return max(_total(kept) / len(kept) for kept in combinations(scores, len(scores) - number))
