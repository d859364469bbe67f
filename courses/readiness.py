"""How ready the member is for exams and quizzes: asked here, where items are, and answered by who has the cards."""

from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import NamedTuple, Protocol, cast
from uuid import UUID

from django.db.models import BooleanField, Case, Exists, Q, Value, When

from accounts.models import Member
from courses.item_rows import ITEMS, LISTED, SOONEST_FIRST, ReadItem, as_answered
from courses.items import get_item
from courses.models import ItemStatus
from courses.plan_records import TARGET, StudyPlanRow
from courses.readiness_records import ItemDetailRow, ReadinessRow
from courses.serializers import ItemRow
from courses.statuses import EXAMINED, MISSED_FOR, OF_STATUS
from courses.study_plans import STUDY_PLANS, exam_day
from studyservice.database.statements import Param, Select
from studyservice.hooks import Hook

MOST_AT_ONCE = 3
"""Items whose readiness is told by one call."""

MOST_MISSED = 50
"""Missed items in an agenda."""


class Readiness(Protocol):
    """Who knows what the member will recall of the cards of a course."""

    def has_cards(self) -> Exists:
        """Whether there are cards in the decks of an item's course; for a statement over items."""

    def for_items(self, member: Member, days: Mapping[UUID, date]) -> dict[UUID, ReadinessRow]:
        """The readiness for at most `MOST_AT_ONCE` of the member's items, each on its day; one query."""


READINESS = Hook[Readiness]("READINESS")


class DueColumns(ReadItem):
    """An item as a statement reads it, and whether it is an exam or a quiz whose course has cards."""

    has_cards: bool


def get_item_detail(
    member: Member, item_id: UUID, *, minutes_a_day: int | None = None, target: int = TARGET
) -> ItemDetailRow:
    """The item, with the readiness if it is an exam or a quiz that is not past; one query, then two. With
    `minutes_a_day` also the plan for it; another query.

    Raises:
        NotFound: there is no such item of the member's.
        ValidationFailed: there are no plans for such an item.
    """
    item = cast("ItemDetailRow", get_item(member, item_id))
    item["readiness"] = None
    day = item["due_on"]
    if item["kind"] in EXAMINED and day is not None and day >= member.today():
        item["readiness"] = READINESS.get().for_items(member, {item_id: day})[item_id]
    if minutes_a_day is not None:
        item["study_plan"] = plan_of(member, item, minutes_a_day, target)
    return item


def plan_of(member: Member, item: ItemDetailRow, minutes_a_day: int, target: int = TARGET) -> StudyPlanRow | None:
    """The plan for an item with its readiness; None without cards. One query.

    Raises:
        ValidationFailed: there are no plans for such an item.
    """
    return STUDY_PLANS.get()(
        member,
        item_id=item["id"],
        course_id=item["course_id"],
        exam_on=exam_day("minutes_a_day", item["kind"], item["due_on"], member.today()),
        minutes_a_day=minutes_a_day,
        target=target,
        without=None if item["readiness"] is None else item["readiness"]["expected_recall"],
    )


class Due(NamedTuple):
    """What is due.

    Attributes:
        items: those due from today to the last day, soonest first.
        missed: the newest `MOST_MISSED` that were missed in the days before, oldest first.
        days: of the first exams and quizzes among `items` whose course has cards, `MOST_AT_ONCE` at most.
    """

    items: list[ItemRow]
    missed: list[ItemRow]
    days: dict[UUID, date]


def due_items(member: Member, today: date, until: date) -> Due:
    """What is due from `today` to `until`, both included; one query."""
    return due_among(
        _due().all(member_id=member.id, today=today, missed_from=today - MISSED_FOR, until=until), today, until
    )


def due_among(found: list[DueColumns], today: date, until: date) -> Due:
    """What is due of the items `found`, which are told soonest first; each becomes as it is answered."""
    with_cards = {item["id"] for item in found if item.pop("has_cards")}  # type: ignore[misc]  # read as one
    items = as_answered(cast("list[ReadItem]", found), today)
    dated = [(day, item) for item in items if (day := item["due_on"]) is not None]
    due = [(day, item) for day, item in dated if today <= day <= until]
    missed = [item for day, item in dated if item["status"] == ItemStatus.MISSED and day >= today - MISSED_FOR]
    examined = [(item["id"], day) for day, item in due if item["id"] in with_cards]
    return Due([item for _, item in due], missed[-MOST_MISSED:], dict(examined[:MOST_AT_ONCE]))


def has_cards() -> Case:
    """Whether an item is an exam or a quiz whose course has cards; called when the hook is registered."""
    examined = When(kind__in=sorted(EXAMINED), then=READINESS.get().has_cards())
    return Case(examined, default=Value(value=False), output_field=BooleanField())


@cache
def _due() -> Select[DueColumns]:
    """Built at the first use, when the hook is registered."""
    in_range = ITEMS.filter(due_on__gte=Param("missed_from"), due_on__lte=Param("until"))
    due = in_range.filter(Q(due_on__gte=Param("today")) | OF_STATUS[ItemStatus.MISSED]).order_by(*SOONEST_FIRST)
    return Select[DueColumns](due.annotate(has_cards=has_cards()), {**LISTED, "has_cards": "has_cards"})
