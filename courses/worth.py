"""How much of a course's grade an item counts for, as its statement computes it."""

from typing import Any, cast

from django.db.models import BigIntegerField, Expression, F, Field, Model, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Greatest, NullIf, Round

from courses.categories import GRADE_CATEGORY
from courses.models import Item
from studyservice.database.statements import aggregated

_WHOLE = BigIntegerField()
_ONE, _TWO = Value(1, _WHOLE), Value(2, _WHOLE)
_AS_READ: "Field[Any, Any]" = Field()
"""Of an integer that the driver returns as it is; Django would convert it in each row."""


def _rows(model: type[Model], **filters: object) -> QuerySet[Any]:
    """Rows of the member of the row outside."""
    return QuerySet(model).filter(member_id=OuterRef("member_id"), **filters)


def _worth() -> Subquery:
    """`100 * w / W / max(1, n - d)` in hundredths of a percent, rounded half-up; null without a category or if W is 0.

    w is the weight of the item's category and W that of the course, in ten-thousandths. n is the number of pieces of
    the category: its items or its scores, whichever are more; d of them are dropped. In whole numbers, half-up of q is
    `(floor(2 * q) + 1) / 2`.
    """
    score = cast("type[Model]", GRADE_CATEGORY._meta.get_field("scores").related_model)
    weight = Cast(Round(F("weight") * 10_000), _WHOLE)
    weights = Cast(aggregated(_rows(GRADE_CATEGORY, course_id=OuterRef("course_id")), "SUM", weight), _WHOLE)
    pieces: Expression = Greatest(
        aggregated(_rows(Item, category_id=OuterRef("id")), "COUNT", "id"),
        aggregated(_rows(score, category_id=OuterRef("id")), "COUNT", "id"),
    )
    counting = Greatest(Cast(pieces, _WHOLE) - Cast(F("drop_lowest"), _WHOLE), _ONE)
    twice = weight * Value(20_000, _WHOLE) / NullIf(weights * counting, Value(0), output_field=_WHOLE)
    found = _rows(GRADE_CATEGORY, id=OuterRef("category_id")).order_by().annotate(worth=(twice + _ONE) / _TWO)
    return Subquery(found.values("worth"), output_field=_AS_READ)


WORTH = _worth()
"""Null of an item without a category, of which the database looks at nothing else."""
