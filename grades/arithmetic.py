"""The arithmetic of grades.

Scores and weights are decimals of four places. Averages are kept as exact fractions, because a third cut after any
number of digits can pull a tie below the half; half-up to two places comes once, at the end.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

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
"""The lowest grade of each letter; below the last it is F."""


def mean(scores: Sequence[Decimal]) -> Fraction | None:
    """The plain mean in percent, exact; None without scores."""
    return Fraction(sum(scores, Decimal())) / len(scores) if scores else None


def current_grade(parts: Sequence[tuple[Decimal, Fraction | None]]) -> Decimal | None:
    """The weighted mean over `(weight, average)` pairs, renormalized over those with an average.

    In percent, rounded; None when no category has scores or their weights sum to 0 (spec, Grade category).
    """
    scored = [(int(weight.scaleb(4)), average) for weight, average in parts if average is not None]
    total = sum(weight for weight, _ in scored)
    if not total:
        return None
    return rounded(sum((weight * average for weight, average in scored), Fraction()) / total)


def rounded(percent: Fraction) -> Decimal:
    """Half-up to two places; `percent` is not negative."""
    hundredths = (200 * percent.numerator + percent.denominator) // (2 * percent.denominator)
    return Decimal(hundredths).scaleb(-2)


def letter(grade: Decimal) -> str:
    """The letter of a rounded grade in percent."""
    return next((name for least, name in LETTERS if grade >= least), "F")
