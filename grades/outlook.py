"""What is still needed: the grade that open categories can make, and the average in them that reaches each letter.

With all open averages at x, the grade is the weighted mean of the closed averages and x. That is a straight line, so
the least x that reaches a grade is found by division, exactly, as in `grades.arithmetic`.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from grades.arithmetic import LETTERS, Percent, ten_thousandths, weighted
from grades.serializers import NeededRow, OutlookRow

_BEST = 100
"""The average that an open category is taken to reach at best; extra credit is not counted on."""


class Part(NamedTuple):
    """A category.

    Attributes:
        weight: in ten-thousandths.
        average: None without scores.
        is_open: whether its final average is yet to be made.
    """

    weight: int
    average: Percent | None
    is_open: bool


class _Line(NamedTuple):
    """The grade for open averages of x, `(earned + open_weight * x) / weight`; weights are in ten-thousandths."""

    earned: Percent
    open_weight: int
    weight: int

    def at(self, average: int) -> int:
        """The rounded grade, in hundredths, for an average in percent."""
        numerator, denominator = self.earned
        return Percent(numerator + self.open_weight * average * denominator, denominator * self.weight).hundredths()

    def least(self, hundredths: int) -> int:
        """The least x, in hundredths, with which the rounded grade is at least so many hundredths.

        Rounded half-up, a grade reaches them from half a hundredth below on.
        """
        numerator, denominator = self.earned
        missing = self.weight * (2 * hundredths - 1) * denominator - 200 * numerator
        return max(0, -(-missing // (2 * denominator * self.open_weight)))


def outlook(parts: Sequence[Part], target: Decimal | None = None) -> OutlookRow:
    """The `OutlookRecord` of a course's categories.

    A category without scores that is not open is left out.

    Args:
        parts: the categories.
        target: a grade in percent that is asked for beside the letters.
    """
    open_weight = sum(part.weight for part in parts if part.is_open)
    closed = [(part.weight, part.average) for part in parts if not part.is_open and part.average is not None]
    weight = open_weight + sum(weight for weight, _ in closed)
    if not weight:
        return {"remaining_weight": open_weight / 10_000, "best": None, "worst": None, "needed": []}
    line = _Line(weighted(closed), open_weight, weight)
    best, worst = line.at(_BEST), line.at(0)
    needed = [_needed(line, least * 100, best, worst, letter, float(least)) for least, letter in LETTERS]
    if target is not None:
        hundredths = -(-ten_thousandths(target) // 100)
        needed.append(_needed(line, hundredths, best, worst, None, float(target)))
    return {"remaining_weight": open_weight / 10_000, "best": best / 100, "worst": worst / 100, "needed": needed}


def _needed(  # noqa: PLR0917  # one row of a table
    line: _Line, hundredths: int, best: int, worst: int, letter: str | None, at_least: float
) -> NeededRow:
    if worst >= hundredths:
        return {"letter": letter, "at_least": at_least, "score": 0, "status": "already_reached"}
    score = line.least(hundredths) / 100 if line.open_weight else None
    status = "possible" if best >= hundredths else "impossible"
    return {"letter": letter, "at_least": at_least, "score": score, "status": status}
