"""An item's share of its course's grade, and the mean of a course, computed in the statement that reads items."""

from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import Any, cast

from django.db.models import (
    BigIntegerField,
    Expression,
    F,
    Field,
    Model,
    OuterRef,
    QuerySet,
    Subquery,
    TextField,
    Value,
)
from django.db.models.functions import Cast, Concat, Greatest, NullIf, Round

from courses.categories import GRADE_CATEGORY
from courses.models import Item
from courses.statuses import open_on
from studyservice.database.functions import Joined
from studyservice.database.statements import Param, aggregated

_WHOLE = BigIntegerField()
_ONE, _TWO = Value(1, _WHOLE), Value(2, _WHOLE)
_AS_READ: "Field[Any, Any]" = Field()
"""An integer that the driver returns unchanged. Django would convert it for each row."""


def _rows(model: type[Model], **filters: object) -> QuerySet[Any]:
    """Rows of the outer row's member."""
    return QuerySet(model).filter(member_id=OuterRef("member_id"), **filters)


def _shares(today: date | Param, **filters: object) -> QuerySet[Any]:
    """Categories with the integers `part` and `whole`: each of their items counts for `part / whole` of the course's
    grade, which is w / W / max(1, n - d). `count` is the number of these items.

    w is the weight of the item's category and W that of the course, in ten-thousandths. n is the number of pieces of
    the category: of its items, or of its scores and open items, whichever are more. d of them are dropped. `whole` is
    null if W is 0.

    A score names an item of its own category, so n is the scores, the open items, and of the other items without a
    score those that no score without an item can be of.
    """
    score = cast("type[Model]", GRADE_CATEGORY._meta.get_field("scores").related_model)
    weight = Cast(Round(F("weight") * 10_000), _WHOLE)
    weights = Cast(aggregated(_rows(GRADE_CATEGORY, course_id=OuterRef("course_id")), "SUM", weight), _WHOLE)
    items = _rows(Item, category_id=OuterRef("id"))
    count = aggregated(items, "COUNT", "category_id")
    pieces: Expression = Greatest(
        count,
        aggregated(_rows(score, category_id=OuterRef("id")), "COUNT", "category_id")
        + aggregated(items.filter(open_on(today)), "COUNT", "category_id"),
    )
    counting = Greatest(Cast(pieces, _WHOLE) - Cast(F("drop_lowest"), _WHOLE), _ONE)
    whole = NullIf(weights * counting, Value(0), output_field=_WHOLE)
    categories = _rows(GRADE_CATEGORY, **filters).order_by()
    return cast("QuerySet[Any]", categories.annotate(count=count, part=weight, whole=whole))


_SHARES = _shares(Param("today"), id=OuterRef("category_id"))

PART = Subquery(_SHARES.values("part"), output_field=_AS_READ)
WHOLE_OF_PART = Subquery(_SHARES.values("whole"), output_field=_AS_READ)


def worth_on(today: date | Param) -> Subquery:
    """`part / whole` in hundredths of a percent, rounded half up: for q, `(floor(2 * q) + 1) / 2` in integers.

    Null for an item without a category, without reading further tables, and if `whole` is null.
    """
    twice = F("part") * Value(20_000, _WHOLE) / F("whole")
    shares = _shares(today, id=OuterRef("category_id"))
    return Subquery(shares.annotate(worth=(twice + _ONE) / _TWO).values("worth"), output_field=_AS_READ)


_NUMBERS = Concat("count", Value(":"), "part", Value(":"), "whole", output_field=TextField())
SHARES_OF_COURSE = Subquery(
    _shares(Param("today"), course_id=OuterRef("course_id"))
    .filter(count__gt=0, whole__isnull=False)
    .annotate(shares=Joined(_NUMBERS))
    .values("shares"),
    output_field=TextField(),
)
"""The categories of an item's course that have items, for `mean_worth`."""


def mean_worth(shares: str | None) -> Fraction | None:
    """The mean worth of a course's items that have one, in percent, from `SHARES_OF_COURSE`."""
    if not shares:
        return None
    numbers = [[int(number) for number in one.split(":")] for one in shares.split(",")]
    worths = (Fraction(100 * count * part, whole) for count, part, whole in numbers)
    return sum(worths, Fraction()) / sum(count for count, _, _ in numbers)


@lru_cache(maxsize=1_000)
def exact_worth(part: int | None, whole: int | None) -> tuple[Fraction | None, int | None]:
    """`part / whole` in percent, computed once for all items of a category; then the value of `worth_on`."""
    if part is None or whole is None:
        return None, None
    return Fraction(100 * part, whole), (20_000 * part // whole + 1) // 2
