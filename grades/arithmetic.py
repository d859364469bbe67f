"""The arithmetic of grades, in whole numbers.

Scores and weights have four decimals and are counted in ten-thousandths, what is told has two and is counted in
hundredths. Between them averages are exact quotients, because a third cut after any number of digits can pull a tie
below the half; half-up rounding comes once, at the end. (`fractions` does the same at ten times the cost.)
"""

from collections.abc import Sequence
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
"""The lowest grade of each letter, in percent; below the last it is F."""


class Percent(NamedTuple):
    """An exact percentage that is not negative, as a quotient."""

    numerator: int
    denominator: int

    def hundredths(self) -> int:
        """Half-up to two places."""
        return (200 * self.numerator + self.denominator) // (2 * self.denominator)


def ten_thousandths(value: Decimal) -> int:
    """A score or weight as it is counted."""
    return int(value.scaleb(4))


def mean(scores: Sequence[int]) -> Percent | None:
    """The plain mean of scores in ten-thousandths; None without scores."""
    return Percent(sum(scores), 10_000 * len(scores)) if scores else None


def weighted(parts: Sequence[tuple[int, Percent]]) -> Percent:
    """The sum of averages, each times its weight."""
    denominator = lcm(*(average.denominator for _, average in parts))
    return Percent(
        sum(weight * average.numerator * (denominator // average.denominator) for weight, average in parts), denominator
    )


def current_grade(parts: Sequence[tuple[int, Percent | None]]) -> int | None:
    """The weighted mean over `(weight, average)` pairs, renormalized over those with an average, in hundredths.

    None when no category has scores or their weights sum to 0 (spec, Grade category).
    """
    scored = [(weight, average) for weight, average in parts if average is not None]
    total = sum(weight for weight, _ in scored)
    if not total:
        return None
    earned = weighted(scored)
    return Percent(earned.numerator, earned.denominator * total).hundredths()


def letter(hundredths: int) -> str:
    """The letter of a rounded grade."""
    return next((name for least, name in LETTERS if hundredths >= 100 * least), "F")
