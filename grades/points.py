"""Scores that are given as points out of a total."""

from decimal import ROUND_HALF_UP, Decimal

from rest_framework import serializers

AS_POINTS: dict[str, None] = dict.fromkeys(("points", "out_of"))
"""The columns of a score that was given as points, null in others."""

MOST_PERCENT = 150
"""The highest score, with extra credit."""


def percent_of(points: Decimal | None, out_of: Decimal | None, score: Decimal | None) -> Decimal:
    """The percent of points, half-up to four decimals.

    Args:
        score: the percent that was sent with them, if any.

    Raises:
        ValidationError: it is a different one, or there are no such points.
    """
    if points is None:
        raise serializers.ValidationError({"points": ["Must be sent with out_of."]})
    if out_of is None:
        raise serializers.ValidationError({"out_of": ["Must be sent with points."]})
    if not out_of:
        raise serializers.ValidationError({"out_of": ["Must be over 0."]})
    percent = (100 * points / out_of).quantize(Decimal("0.0001"), ROUND_HALF_UP)
    if percent > MOST_PERCENT:
        raise serializers.ValidationError({"points": [f"Must be at most {MOST_PERCENT} percent of out_of."]})
    if score not in {None, percent}:
        raise serializers.ValidationError(
            {"score": [f"The points are {percent.normalize():f} percent. Send one of the two."]}
        )
    return percent
