"""Upcoming items and milestones of the courses that have not ended, and the items of a month."""

from datetime import date
from functools import cache
from typing import Annotated, Any, NamedTuple, TypedDict
from uuid import UUID

from django.db.models import F, Q

from courses.item_rows import ITEMS_OF_OPEN_COURSES, LISTED, SOONEST_FIRST, ReadItem, as_answered
from courses.serializers import ItemRow
from planning.milestones import MILESTONES_OF_OPEN_COURSES
from planning.serializers import MilestoneRow
from studyservice.database.rows import At
from studyservice.database.statements import Param
from studyservice.rows.access import Access, MemberSelect


class PlacedMilestone(MilestoneRow):
    """A milestone with the course of its item."""

    course_id: Annotated[UUID, At("item__course_id")]


class MonthItem(TypedDict):
    """An item of a month, with the short name of its course."""

    id: UUID
    title: str
    kind: str
    due_on: date
    due_time: str | None
    course_id: UUID
    course_name: Annotated[str, At("course__name")]
    course_code: Annotated[str | None, At("course__code")]
    done: bool
    graded: bool


_FROM = Q(due_on__gte=Param("start"))
_ITEMS = ITEMS_OF_OPEN_COURSES.filter(_FROM | Q(due_on=None, done=False, graded=False)).order_by(*SOONEST_FIRST)
_UNDATED_STEP = Q(due_on=None) & (Q(item__due_on=None) | Q(item__due_on__gte=Param("start")))
_STEPS = MILESTONES_OF_OPEN_COURSES.filter(_FROM | _UNDATED_STEP, done=False).order_by(
    F("due_on").asc(nulls_last=True), "position", "id"
)
_MONTH = MemberSelect(
    ITEMS_OF_OPEN_COURSES.filter(due_on__gte=Param("first"), due_on__lte=Param("last")).order_by(*SOONEST_FIRST),
    MonthItem,
)


class Filters(NamedTuple):
    """Limits of the list. Milestones have no kind."""

    course_id: UUID | None
    kind: str | None

    def given(self) -> dict[str, Any]:
        """The filters that are set."""
        return {name: value for name, value in self._asdict().items() if value is not None}


@cache
def _items(filters: frozenset[str]) -> MemberSelect[ReadItem]:
    """The statement for these filters."""
    return MemberSelect(_ITEMS.filter(**{name: Param(name) for name in sorted(filters)}), LISTED, limited=True)


@cache
def _steps(filters: frozenset[str]) -> MemberSelect[PlacedMilestone]:
    """The statement for these filters of the item."""
    of_item = {f"item__{name}": Param(name) for name in filters}
    return MemberSelect(_STEPS.filter(**of_item), PlacedMilestone, limited=True)


def upcoming(access: Access, start: date, filters: Filters, *, limit: int) -> list[ItemRow | PlacedMilestone]:
    """The first `limit` items and open milestones from `start` on, soonest first.

    Those without a date are last: open items, and milestones of items that are not over. Two queries, or one with a
    kind.
    """
    today, given = access.today(), filters.given()
    names = frozenset(given)
    items = as_answered(_items(names).all(access, start=start, limit=limit, today=today, **given), today)
    steps = [] if filters.kind else _steps(names).all(access, start=start, limit=limit, **given)
    rows: list[ItemRow | PlacedMilestone] = [*items, *steps]
    rows.sort(key=_place)
    return rows[:limit]


def _place(row: ItemRow | PlacedMilestone) -> tuple[date, bool, bool]:
    """The key by which items and milestones, each in their order, are merged: a day's items come first."""
    return row["due_on"] or date.max, row["due_on"] is None, "item_id" in row


def items_of_month(access: Access, first: date, last: date) -> list[MonthItem]:
    """The items due from `first` to `last`, soonest first. One query."""
    return _MONTH.all(access, first=first, last=last)
