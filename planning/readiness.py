"""The member's next items, with the predicted recall of their courses' cards."""

from datetime import date
from typing import NamedTuple, cast
from uuid import UUID

from django.db.models import BooleanField, Case, Q, Value, When

from courses.item_rows import (
    EXAMINED,
    ITEMS_OF_OPEN_COURSES,
    LISTED,
    MISSED_FOR,
    OF_STATUS,
    SOONEST_FIRST,
    ReadItem,
    as_answered,
)
from courses.items import get_item
from courses.models import ItemStatus
from courses.serializers import ItemRow
from planning.agenda_serializers import ItemDetailRow
from studyservice.database.rows import columns_of_row
from studyservice.database.statements import Param
from studyservice.rows.access import Access, MemberSelect
from vocab.exam_records import TARGET
from vocab.plans import plan_for
from vocab.readiness import HAS_CARDS, MOST_AT_ONCE, item_readiness

MOST_MISSED = 50
"""Maximum number of missed items in an agenda."""

EXAM_WITH_CARDS = Case(
    When(kind__in=sorted(EXAMINED), then=HAS_CARDS), default=Value(value=False), output_field=BooleanField()
)
"""Condition for an exam or a quiz whose course has cards."""


class DueColumns(ReadItem):
    """The columns of an item, plus `EXAM_WITH_CARDS`."""

    has_cards: bool


_IN_RANGE = ITEMS_OF_OPEN_COURSES.filter(due_on__gte=Param("missed_from"), due_on__lte=Param("until"))
_DUE = MemberSelect[DueColumns](
    _IN_RANGE.filter(Q(due_on__gte=Param("today")) | OF_STATUS[ItemStatus.MISSED])
    .order_by(*SOONEST_FIRST)
    .annotate(has_cards=EXAM_WITH_CARDS),
    columns_of_row(DueColumns) | LISTED,
)


def get_item_detail(
    access: Access, item_id: UUID, *, minutes_a_day: int | None = None, target: int = TARGET
) -> ItemDetailRow:
    """The item, with readiness if it is a current exam or quiz: two queries, otherwise one. `minutes_a_day` adds the
    plan and another query.

    Raises:
        NotFound: the member has no such item.
        ValidationFailed: such an item has no plan.
    """
    item = cast("ItemDetailRow", get_item(access, item_id))
    item["readiness"] = None
    day = item["due_on"]
    if item["kind"] in EXAMINED and day is not None and day >= access.today():
        item["readiness"] = item_readiness(access, {item_id: day})[item_id]
    if minutes_a_day is not None:
        item["study_plan"] = plan_for(access, item, minutes_a_day, target, item["readiness"])
    return item


class Due(NamedTuple):
    """Due items.

    Attributes:
        items: due from today to the last day, soonest first.
        missed: the newest `MOST_MISSED` items missed in the days before, oldest first.
        days: the days of the first exams and quizzes among `items` whose course has cards, at most `MOST_AT_ONCE`.
    """

    items: list[ItemRow]
    missed: list[ItemRow]
    days: dict[UUID, date]


def due_items(access: Access, today: date, until: date) -> Due:
    """Items due from `today` to `until`, inclusive. One query."""
    found = _DUE.all(access, today=today, missed_from=today - MISSED_FOR, until=until)
    return due_among(found, today, until)


def due_among(found: list[DueColumns], today: date, until: date) -> Due:
    """The due ones among the items `found`, soonest first. Each is converted to its answer."""
    with_cards = {item["id"] for item in found if item.pop("has_cards")}  # type: ignore[misc]  # the row has its fields
    items = as_answered(cast("list[ReadItem]", found), today)
    dated = [(day, item) for item in items if (day := item["due_on"]) is not None]
    due = [(day, item) for day, item in dated if today <= day <= until]
    missed = [item for day, item in dated if item["status"] == ItemStatus.MISSED and day >= today - MISSED_FOR]
    examined = [(item["id"], day) for day, item in due if item["id"] in with_cards]
    return Due([item for _, item in due], missed[-MOST_MISSED:], dict(examined[:MOST_AT_ONCE]))
