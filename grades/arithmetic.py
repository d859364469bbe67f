"""The arithmetic of grades, in whole numbers.

Scores and weights have four decimals and are counted in ten-thousandths. Returned values have two decimals and are
counted in hundredths. Averages in between are exact quotients, because a third cut after any number of digits can pull
a tie below the half. Values are rounded half up once, at the end. (`fractions` does the same at ten times the cost.)
"""

from collections.abc import Sequence
from decimal import Decimal

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
