"""Percentages in answers."""

from decimal import ROUND_HALF_UP, Decimal


def percent(part: int, whole: int) -> float:
    """`part` of `whole` in percent, rounded half up to two places."""
    return float((Decimal(100 * part) / whole).quantize(Decimal("0.01"), ROUND_HALF_UP))
