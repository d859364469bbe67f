"""An item's share of its course's grade, and the mean of a course, computed in the statement that reads items."""

from fractions import Fraction
from functools import lru_cache
from typing import Any, cast

from django.db.models import (
    BigIntegerField,
    Expression,
    F,
    Field,
    OuterRef,
    QuerySet,
    Subquery,
    TextField,
    Value,
)
from django.db.models.functions import Cast, Concat, Greatest, NullIf, Round

from courses.categories import GRADE_CATEGORY
from courses.models import Item, ItemStatus
from courses.statuses import OF_STATUS
from studyservice.database.functions import Joined
from studyservice.database.statements import aggregated

_WHOLE = BigIntegerField()
_ONE, _TWO = Value(1, _WHOLE), Value(2, _WHOLE)
_AS_READ: "Field[Any, Any]" = Field()
"""An integer that the driver returns unchanged. Django would convert it for each row."""


def _shares(**filters: object) -> QuerySet[Any]:
    """Categories with the integers `part` and `whole`: each of their items counts for `part / whole` of the course's
    grade, which is w / W / max(1, n - d). `count` is the number of these items.

    w is the weight of the item's category and W that of the course, in ten-thousandths. n is the number of pieces of
    the category: of its items, or of its scores and open items, whichever are more. d of them are dropped. `whole` is
    null if W is 0.

    A score names an item of its own category, so n is the scores, the open items, and of the other items without a
    score those that no score without an item can be of.
    """
    scores = GRADE_CATEGORY._meta.get_field("scores").related_model.rows.whole
    weight = Cast(Round(F("weight") * 10_000), _WHOLE)
    of_course = GRADE_CATEGORY.rows.whole.filter(course_id=OuterRef("course_id"))
    items = Item.rows.whole.filter(category_id=OuterRef("id"))
    count = aggregated(items, "COUNT", "category_id")
    pieces: Expression = Greatest(
        count,
        aggregated(scores.filter(category_id=OuterRef("id")), "COUNT", "category_id")
        + aggregated(items.filter(OF_STATUS[ItemStatus.OPEN]), "COUNT", "category_id"),
    )
    counting = Greatest(Cast(pieces, _WHOLE) - Cast(F("drop_lowest"), _WHOLE), _ONE)
    weights = Cast(aggregated(of_course, "SUM", weight), _WHOLE)
    whole = NullIf(weights * counting, Value(0), output_field=_WHOLE)
    categories = GRADE_CATEGORY.rows.declared.filter(**filters).order_by()
    return cast("QuerySet[Any]", categories.annotate(count=count, part=weight, whole=whole))


_SHARES = _shares(id=OuterRef("category_id"))

PART = Subquery(_SHARES.values("part"), output_field=_AS_READ)
WHOLE_OF_PART = Subquery(_SHARES.values("whole"), output_field=_AS_READ)

_TWICE = F("part") * Value(20_000, _WHOLE) / F("whole")
WORTH = Subquery(_SHARES.annotate(worth=(_TWICE + _ONE) / _TWO).values("worth"), output_field=_AS_READ)
"""`part / whole` in hundredths of a percent, rounded half up: for q, `(floor(2 * q) + 1) / 2` in integers.

Null for an item without a category, without reading further tables, and if `whole` is null.
"""


_NUMBERS = Concat("count", Value(":"), "part", Value(":"), "whole", output_field=TextField())
SHARES_OF_COURSE = Subquery(
    _shares(course_id=OuterRef("course_id"))
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
    """`part / whole` in percent, computed once for all items of a category; then the value of `WORTH`."""
    if part is None or whole is None:
        return None, None
    return Fraction(100 * part, whole), (20_000 * part // whole + 1) // 2
