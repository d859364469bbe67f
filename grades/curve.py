"""The arithmetic of grades, in whole numbers: the grade as a function of the scores still to come.

Scores and weights have four decimals and are counted in ten-thousandths. Returned values have two decimals and are
counted in hundredths. Averages in between are exact quotients, because a third cut after any number of digits can pull
a tie below the half. Values are rounded half up once, at the end. (`fractions` does the same at ten times the cost.)

The grade of a course is a function of x, the score of every open piece. In a category with n pieces, the r lowest do
not count. With m scores in ascending order and k open pieces of x: the first r - k scores are dropped for any x, those
after the first r always count, and each of those in between counts as itself or as x, whichever is higher. If k exceeds
r, k - r further pieces of x count. So the average rises with x in straight lines, which get steeper after each of the
scores in between.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Sequence
from decimal import Decimal
from math import lcm
from typing import NamedTuple

LETTERS = (
    (97, "A+"),
    (93, "A"),
    (90, "A-"),
    (87, "B+"),
    (83, "B"),
    (80, "B-"),
    (77, "C+"),
    (73, "C"),
    (70, "C-"),
    (67, "D+"),
    (63, "D"),
    (60, "D-"),
)
"""The lowest grade of each letter, in percent. Lower grades are F."""


def ten_thousandths(value: Decimal) -> int:
    """A score or weight in ten-thousandths."""
    return int(value.scaleb(4))


def half_up(numerator: int, denominator: int) -> int:
    """A quotient, which is not negative, rounded half up."""
    return (2 * numerator + denominator) // (2 * denominator)


def number_dropped(drop_lowest: int, pieces: int) -> int:
    """The number of dropped pieces of a category. The last piece always counts."""
    return max(0, min(drop_lowest, pieces - 1))


def lowest(scores: Sequence[int], number: int) -> set[int]:
    """The indexes of the lowest scores. Of equal scores, the older ones are first."""
    return set(sorted(range(len(scores)), key=scores.__getitem__)[:number]) if number else set()


def letter(hundredths: int) -> str:
    """The letter of a rounded grade."""
    return next((name for least, name in LETTERS if hundredths >= 100 * least), "F")


class Part(NamedTuple):
    """A category that counts. A completely open category has one open piece and no scores.

    Attributes:
        weight: in ten-thousandths.
        scores: in ten-thousandths of a percent.
        open_pieces: number of pieces without a score.
    """

    weight: int
    scores: Sequence[int]
    drop_lowest: int
    open_pieces: int


class Curve:
    """The straight lines: the start of each, the sum of weighted averages there, and the slope."""

    def __init__(self, parts: Collection[Part], weight: int) -> None:
        dropped = [number_dropped(part.drop_lowest, len(part.scores) + part.open_pieces) for part in parts]
        kept = [len(part.scores) + part.open_pieces - number for part, number in zip(parts, dropped, strict=True)]
        common = lcm(*kept)
        value = slope = 0
        bends: defaultdict[int, int] = defaultdict(int)
        for part, number, counting in zip(parts, dropped, kept, strict=True):
            scores, open_pieces = sorted(part.scores), part.open_pieces
            factor = part.weight * (common // counting)
            never = max(0, number - open_pieces)
            value += factor * sum(scores[never:])
            slope += factor * max(0, open_pieces - number)
            for score in scores[never:number]:
                bends[score] += factor
        self._scale = common * weight
        self._starts, self._values, self._slopes = [0], [value], [slope]
        for start in sorted(bends):
            value += slope * (start - self._starts[-1])
            slope += bends[start]
            self._starts.append(start)
            self._values.append(value)
            self._slopes.append(slope)

    def at(self, x: int) -> int:
        """The rounded grade, in hundredths, for an x in ten-thousandths of a percent."""
        line = bisect_right(self._starts, x) - 1
        value = self._values[line] + self._slopes[line] * (x - self._starts[line])
        return half_up(value, 100 * self._scale)

    def least(self, hundredths: int) -> int | None:
        """The least x, in hundredths, whose rounded grade reaches this many hundredths. The grade at 0 must be lower.

        None if no open piece has weight. Grades are rounded half up, so half a hundredth less is enough.
        """
        wanted = self._scale * (100 * hundredths - 50)
        line = bisect_left(self._values, wanted) - 1
        slope = self._slopes[line]
        if not slope:
            return None
        return -(-(self._starts[line] * slope + wanted - self._values[line]) // (100 * slope))


def curve(parts: Collection[Part]) -> Curve | None:
    """The curve of the categories that count; None if their weights sum to 0."""
    weight = sum(part.weight for part in parts)
    return Curve(parts, weight) if weight else None


def remaining_weight(parts: Collection[Part]) -> int:
    """The open share of the weights, in ten-thousandths, rounded."""
    pieces = [len(part.scores) + part.open_pieces for part in parts]
    common = lcm(*pieces)
    open_parts = (
        part.weight * part.open_pieces * (common // number) for part, number in zip(parts, pieces, strict=True)
    )
    return half_up(sum(open_parts), common)
