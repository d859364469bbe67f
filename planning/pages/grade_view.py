"""The grade of a course as shown on its page."""

from typing import NamedTuple

from grades.serializers import AssumedRow, CategoryRow, GradeBreakdownRow, NeededRow
from studyservice.charts import Chart, percent_range


class ShownGrade(NamedTuple):
    """A grade.

    Attributes:
        weights: the sum of the weights of all categories.
        chart: the range that is still possible, with a line at the current grade; None without scores.
        needed: the score needed for each letter, without letters that open work cannot affect.
        is_open: whether open work can still change the grade.
        uncategorized: number of items that no category counts.
    """

    current: float | None
    letter: str | None
    worst: float | None
    best: float | None
    categories: list[CategoryRow]
    weights: float
    chart: Chart | None
    needed: list[NeededRow]
    assumed: AssumedRow | None
    is_open: bool
    uncategorized: int


def grade_shown(grades: GradeBreakdownRow) -> ShownGrade:
    """The grade from its breakdown."""
    outlook = grades["outlook"]
    worst, best = outlook["worst"], outlook["best"]
    chart = None
    if worst is not None and best is not None and grades["current_grade"] is not None:
        chart = percent_range([(worst, best)], mark=grades["current_grade"])
    return ShownGrade(
        current=grades["current_grade"],
        letter=grades["letter_grade"],
        worst=worst,
        best=best,
        categories=grades["categories"],
        weights=sum(category["weight"] for category in grades["categories"]),
        chart=chart,
        needed=[one for one in outlook["needed"] if one["score"] is not None],
        assumed=outlook["assumed"],
        is_open=bool(outlook["remaining_weight"]),
        uncategorized=outlook["uncategorized"],
    )
