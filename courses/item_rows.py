"""Items as read by statements and as returned by operations: status, share of the grade, searched text, and columns."""

from collections.abc import Mapping
from datetime import date, timedelta
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from django.apps import apps
from django.db.models import (
    BigIntegerField,
    Expression,
    F,
    Field,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
)
from django.db.models.functions import Cast, Concat, Greatest, Left, NullIf, Round

from courses.models import Item, ItemKind, ItemStatus
from courses.serializers import ItemRow
from studyservice.database.expressions import Joined, contains, fold_all
from studyservice.database.rows import columns_of_row
from studyservice.database.statements import Param, aggregated
from studyservice.database.times import END_OF_DAY
from studyservice.hooks import HookList

if TYPE_CHECKING:
    from grades.models import GradeCategory, GradeScore

ALSO_SEARCHED: HookList[Q] = HookList("what else q of list_items searches")
"""Further conditions of higher apps, for the folded `q` in their texts."""


def found() -> Q:
    """Condition for items with the folded text `q` in their title, note or course name, or in higher apps."""
    condition = contains("folded", "course__folded", param="q")
    for also in ALSO_SEARCHED:
        condition |= also
    return condition


def folded_course(columns: Mapping[str, Any]) -> dict[str, str]:
    """Compute the searched column of a course."""
    return {"folded": fold_all([columns["name"]])}


def computed_of_item(columns: Mapping[str, Any]) -> dict[str, str]:
    """Compute the searched column of an item, and its time as it is sorted."""
    searched = fold_all([columns["title"], columns.get("note")])
    return {"folded": searched, "time_in_order": columns.get("due_time") or END_OF_DAY}


_GRADED, _DONE, _OPEN, _PAST, _MISSED = ItemStatus.values
"""Plain strings: using the enumeration for each item of a list took longer than everything else."""

EXAMINED = frozenset({ItemKind.EXAM.value, ItemKind.QUIZ.value})
"""Kinds of items that have readiness and that end on their date."""

MISSED_FOR = timedelta(days=30)
"""How long get_agenda lists a missed item."""

_UNENDED = Q(done=False, graded=False)
_OVERDUE = _UNENDED & Q(due_on__lt=Param("today"))
_TOO_LATE = Q(kind__in=sorted(EXAMINED)) | Q(due_on__lt=F("missable_from"))


OF_STATUS = {
    _GRADED: Q(graded=True),
    _DONE: Q(graded=False, done=True),
    _OPEN: _UNENDED & (Q(due_on=None) | Q(due_on__gte=Param("today"))),
    _PAST: _OVERDUE & _TOO_LATE,
    _MISSED: _OVERDUE & ~Q(kind__in=sorted(EXAMINED)) & Q(due_on__gte=F("missable_from")),
}
"""The items in each status, on the day passed to the statement as `today`."""


def status_of(  # noqa: PLR0917  # the columns that determine the status
    kind: str, due_on: date | None, done: bool, graded: bool, missable_from: date, today: date
) -> str:
    """Return the status of an item."""
    if graded:
        return _GRADED
    if done:
        return _DONE
    if due_on is None or due_on >= today:
        return _OPEN
    if kind in EXAMINED or due_on < missable_from:
        return _PAST
    return _MISSED


_INTEGER = BigIntegerField()
GRADE_CATEGORY: "type[GradeCategory]" = apps.get_model("grades.GradeCategory")
"""The model of grade categories. The app `grades` is above this one: an item counts in one of its categories."""

_GRADE_SCORE: "type[GradeScore]" = apps.get_model("grades.GradeScore")

_ONE, _TWO = Value(1, _INTEGER), Value(2, _INTEGER)
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
    scores = _GRADE_SCORE.rows.whole
    weight = Cast(Round(F("weight") * 10_000), _INTEGER)
    of_course = GRADE_CATEGORY.rows.whole.filter(course_id=OuterRef("course_id"))
    items = Item.rows.whole.filter(category_id=OuterRef("id"))
    count = aggregated(items, "COUNT", "category_id")
    pieces: Expression = Greatest(
        count,
        aggregated(scores.filter(category_id=OuterRef("id")), "COUNT", "category_id")
        + aggregated(items.filter(OF_STATUS[ItemStatus.OPEN]), "COUNT", "category_id"),
    )
    counting = Greatest(Cast(pieces, _INTEGER) - Cast(F("drop_lowest"), _INTEGER), _ONE)
    weights = Cast(aggregated(of_course, "SUM", weight), _INTEGER)
    whole = NullIf(weights * counting, Value(0), output_field=_INTEGER)
    categories = GRADE_CATEGORY.rows.declared.filter(**filters).order_by()
    return cast("QuerySet[Any]", categories.annotate(count=count, part=weight, whole=whole))


_SHARES = _shares(id=OuterRef("category_id"))

PART = Subquery(_SHARES.values("part"), output_field=_AS_READ)
WHOLE_OF_PART = Subquery(_SHARES.values("whole"), output_field=_AS_READ)

_TWICE = F("part") * Value(20_000, _INTEGER) / F("whole")
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


NOTE_IN_LISTS = 200
"""Maximum characters of a note in a list of items."""


class ReadItem(ItemRow):
    """An item as a statement reads it, with the columns that determine its status. `worth` is in hundredths."""

    missable_from: date
    graded: bool


SOONEST_FIRST = (F("due_on").asc(nulls_last=True), "time_in_order", "created_at", "id")
"""By date and time, then older first. In a day those without a time are last, and undated items are last of all."""

ITEMS = Item.rows.declared.filter(course__member_id=F("member_id")).annotate(
    worth=WORTH, note_in_lists=Left("note", NOTE_IN_LISTS)
)
"""The items with their courses. Reading their worth takes the member's date, `today`. Columns that a statement does not
read cost nothing.

The course's member is compared with the item's rather than with the parameter: otherwise a query plan might begin with
courses and then sort their items.
"""

ITEMS_OF_OPEN_COURSES = ITEMS.filter(course__archived=False)
"""The items for what looks ahead: those of courses that have not ended."""

LISTED = columns_of_row(ReadItem) | {"note": "note_in_lists"}
"""The columns of a `ReadItem` with the beginning of its note."""


def as_read(item: Mapping[str, Any], course_name: str) -> ReadItem:
    """A new item as a statement would read it. With a category, its worth must be read."""
    computed = {"course_name": course_name, "worth": None}
    return cast("ReadItem", {name: computed[name] if name in computed else item[name] for name in LISTED})


def as_answered(items: list[ReadItem], today: date) -> list[ItemRow]:
    """`items` themselves, each with its status and `days_until`."""
    rows = cast("list[dict[str, Any]]", items)
    for row in rows:
        due_on, worth = row["due_on"], row["worth"]
        row["status"] = status_of(row["kind"], due_on, row["done"], row.pop("graded"), row.pop("missable_from"), today)
        row["days_until"] = None if due_on is None else (due_on - today).days
        if worth is not None:
            row["worth"] = worth / 100
    return cast("list[ItemRow]", rows)
