"""Predicted recall for exams and quizzes. Courses define the hook, and the app with the cards implements it."""

from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import NamedTuple, Protocol, cast
from uuid import UUID

from django.db.models import BooleanField, Case, Exists, Q, Value, When

from accounts.rows.access import Access
from accounts.rows.reading import MemberSelect
from courses.item_rows import ITEMS, LISTED, SOONEST_FIRST, ReadItem, as_answered
from courses.items import get_item
from courses.models import ItemStatus
from courses.plan_records import TARGET, StudyPlanRow
from courses.readiness_records import ItemDetailRow, ReadinessRow
from courses.serializers import ItemRow
from courses.statuses import EXAMINED, MISSED_FOR, OF_STATUS
from courses.study_plans import STUDY_PLANS, exam_day
from studyservice.database.statements import Param
from studyservice.hooks import Hook

MOST_AT_ONCE = 3
"""Maximum number of items with readiness in one call."""

MOST_MISSED = 50
"""Maximum number of missed items in an agenda."""


class Readiness(Protocol):
    """Computes the predicted recall of a course's cards."""

    def has_cards(self) -> Exists:
        """Condition for a statement over items: the decks of the item's course have cards."""

    def for_items(self, access: Access, days: Mapping[UUID, date]) -> dict[UUID, ReadinessRow]:
        """The readiness for at most `MOST_AT_ONCE` of the member's items, each on its day. One query."""


READINESS = Hook[Readiness]("READINESS")


class DueColumns(ReadItem):
    """The columns of an item, plus whether it is an exam or a quiz whose course has cards."""

    has_cards: bool


def get_item_detail(
    access: Access, item_id: UUID, *, minutes_a_day: int | None = None, target: int = TARGET
) -> ItemDetailRow:
    """The item, with readiness if it is a current exam or quiz: two queries, otherwise one. `minutes_a_day` adds the
    plan
    and another query.

    Raises:
        NotFound: the member has no such item.
        ValidationFailed: such an item has no plan.
    """
    item = cast("ItemDetailRow", get_item(access, item_id))
    item["readiness"] = None
    day = item["due_on"]
    if item["kind"] in EXAMINED and day is not None and day >= access.today():
        item["readiness"] = READINESS.get().for_items(access, {item_id: day})[item_id]
    if minutes_a_day is not None:
        item["study_plan"] = plan_of(access, item, minutes_a_day, target)
    return item


def plan_of(access: Access, item: ItemDetailRow, minutes_a_day: int, target: int = TARGET) -> StudyPlanRow | None:
    """The plan for an item with its readiness; None without cards. One query.

    Raises:
        ValidationFailed: such an item has no plan.
    """
    return STUDY_PLANS.get()(
        access,
        item_id=item["id"],
        course_id=item["course_id"],
        exam_on=exam_day("minutes_a_day", item["kind"], item["due_on"], access.today()),
        minutes_a_day=minutes_a_day,
        target=target,
        without=None if item["readiness"] is None else item["readiness"]["expected_recall"],
    )


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
    found = _due().all(access, today=today, missed_from=today - MISSED_FOR, until=until)
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


def has_cards() -> Case:
    """Condition for an exam or a quiz whose course has cards. Called when the hook is registered."""
    examined = When(kind__in=sorted(EXAMINED), then=READINESS.get().has_cards())
    return Case(examined, default=Value(value=False), output_field=BooleanField())


@cache
def _due() -> MemberSelect[DueColumns]:
    """Built on first use, after the hook is registered."""
    in_range = ITEMS.filter(due_on__gte=Param("missed_from"), due_on__lte=Param("until"))
    due = in_range.filter(Q(due_on__gte=Param("today")) | OF_STATUS[ItemStatus.MISSED]).order_by(*SOONEST_FIRST)
    return MemberSelect[DueColumns](due.annotate(has_cards=has_cards()), {**LISTED, "has_cards": "has_cards"})
