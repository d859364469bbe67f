"""The outlook: the grades still possible with the open pieces, and the least score in them for each letter."""

from collections.abc import Collection
from decimal import Decimal

from grades.curve import LETTERS, Curve, Part, curve, letter, remaining_weight, ten_thousandths
from grades.serializers import AssumedRow, NeededRow, OutlookRow

_BEST = 1_000_000
"""The best score assumed for an open piece, in ten-thousandths. It excludes extra credit."""


def outlook(
    parts: Collection[Part], target: Decimal | None, assume: Decimal | None, *, uncategorized: int
) -> OutlookRow:
    """The `OutlookRow` of a course.

    Args:
        parts: the categories that count.
        target: a grade in percent to add to the letters.
        assume: a score in percent on every open piece.
        uncategorized: number of items that no category counts.
    """
    grades = curve(parts)
    best = worst = None
    needed: list[NeededRow] = []
    if grades is not None:
        best, worst = grades.at(_BEST), grades.at(0)
        needed = [_needed(grades, least * 100, best, worst, name, float(least)) for least, name in LETTERS]
        if target is not None:
            hundredths = -(-ten_thousandths(target) // 100)
            needed.append(_needed(grades, hundredths, best, worst, None, float(target)))
    return {
        "remaining_weight": remaining_weight(parts) / 10_000,
        "best": None if best is None else best / 100,
        "worst": None if worst is None else worst / 100,
        "needed": needed,
        "assumed": None if assume is None else _assumed(grades, assume),
        "uncategorized": uncategorized,
    }


def _assumed(grades: Curve | None, assume: Decimal) -> AssumedRow:
    grade = None if grades is None else grades.at(ten_thousandths(assume))
    return {
        "score": float(assume),
        "grade": None if grade is None else grade / 100,
        "letter": None if grade is None else letter(grade),
    }


def _needed(  # noqa: PLR0917  # one row of a table
    grades: Curve, hundredths: int, best: int, worst: int, name: str | None, at_least: float
) -> NeededRow:
    if worst >= hundredths:
        return {"letter": name, "at_least": at_least, "score": 0, "status": "already_reached"}
    score = grades.least(hundredths)
    status = "possible" if best >= hundredths else "impossible"
    return {
        "letter": name,
        "at_least": at_least,
        "score": None if score is None else score / 100,
        "status": status,
    }
