"""What is still needed: the grade that open categories can make, and the average in them that reaches each letter.

With all open averages at x, the grade is the weighted mean of the closed averages and x. That is a straight line, so
the least x that reaches a grade is found by division, exactly, as in `grades.arithmetic`.
"""

from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from typing import NamedTuple

from grades.arithmetic import LETTERS, rounded
from grades.serializers import NeededRow, OutlookRow

_BEST = 100
"""The average that an open category is taken to reach at best; extra credit is not counted on."""


class Part(NamedTuple):
    """A category.

    Attributes:
        weight: as it is kept, with four decimals.
        average: exact, in percent; None without scores.
        is_open: whether its final average is yet to be made.
    """

    weight: Decimal
    average: Fraction | None
    is_open: bool


class _Line(NamedTuple):
    """The grade for open averages of x, `(earned + open_weight * x) / weight`; weights are in ten-thousandths."""

    earned: Fraction
    open_weight: int
    weight: int

    def at(self, average: int) -> Fraction:
        """The grade in percent, exact."""
        return (self.earned + self.open_weight * average) / self.weight

    def least(self, hundredths: int) -> int:
        """The least x, in hundredths, with which the rounded grade is at least so many hundredths.

        Rounded half-up, a grade reaches them from half a hundredth below on.
        """
        numerator, denominator = self.earned.numerator, self.earned.denominator
        missing = self.weight * (2 * hundredths - 1) * denominator - 200 * numerator
        return max(0, -(-missing // (2 * denominator * self.open_weight)))


def outlook(parts: Sequence[Part], target: Decimal | None = None) -> OutlookRow:
    """The `OutlookRecord` of a course's categories.

    A category without scores that is not open is left out.

    Args:
        parts: the categories.
        target: a grade in percent that is asked for beside the letters.
    """
    open_weight = _ten_thousandths(part.weight for part in parts if part.is_open)
    closed = [(part.weight, part.average) for part in parts if not part.is_open and part.average is not None]
    weight = open_weight + _ten_thousandths(weight for weight, _ in closed)
    remaining = float(Decimal(open_weight).scaleb(-4))
    if not weight:
        return {"remaining_weight": remaining, "best": None, "worst": None, "needed": []}
    earned = sum((_ten_thousandths([weight]) * average for weight, average in closed), Fraction())
    line = _Line(earned, open_weight, weight)
    best, worst = rounded(line.at(_BEST)), rounded(line.at(0))
    asked = [(letter, Decimal(least)) for least, letter in LETTERS] + ([(None, target)] if target is not None else [])
    return {
        "remaining_weight": remaining,
        "best": float(best),
        "worst": float(worst),
        "needed": [_needed(line, letter, at_least, best, worst) for letter, at_least in asked],
    }


def _needed(line: _Line, letter: str | None, at_least: Decimal, best: Decimal, worst: Decimal) -> NeededRow:
    score: float | None
    if worst >= at_least:
        status, score = "already_reached", 0
    else:
        status = "possible" if best >= at_least else "impossible"
        hundredths = int(at_least.scaleb(2).to_integral_value(ROUND_CEILING))
        score = line.least(hundredths) / 100 if line.open_weight else None
    return {"letter": letter, "at_least": float(at_least), "score": score, "status": status}


def _ten_thousandths(weights: Iterable[Decimal]) -> int:
    return sum(int(weight.scaleb(4)) for weight in weights)
