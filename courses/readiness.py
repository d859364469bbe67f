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
from courses.plan_records import TARGET
from courses.readiness_records import ItemDetailRow, ItemReadinessRow, ReadinessRow
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


class _DueColumns(ReadItem):
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
        item["study_plan"] = STUDY_PLANS.get()(
            member,
            item_id=item_id,
            course_id=item["course_id"],
            exam_on=exam_day("minutes_a_day", item["kind"], day, member.today()),
            minutes_a_day=minutes_a_day,
            target=target,
            without=None if item["readiness"] is None else item["readiness"]["expected_recall"],
        )
    return item


class Due(NamedTuple):
    """What is due.

    Attributes:
        items: those due from the first day to the last, soonest first.
        readiness: of the first exams and quizzes among them whose course has cards, `MOST_AT_ONCE` at most.
        missed: the newest `MOST_MISSED` that were missed in the days before, oldest first.
    """

    items: list[ItemRow]
    readiness: list[ItemReadinessRow]
    missed: list[ItemRow]


def due_with_readiness(member: Member, today: date, until: date) -> Due:
    """What is due from `today` to `until`, both included. One query, two if there are exams or quizzes with cards."""
    found = _due().all(member_id=member.id, today=today, missed_from=today - MISSED_FOR, until=until)
    days: dict[UUID, date] = {}
    for item in found:
        day = item["due_on"]
        if item.pop("has_cards") and day is not None and len(days) < MOST_AT_ONCE:  # type: ignore[misc]  # read as one
            days[item["id"]] = day
    items = as_answered(cast("list[ReadItem]", found), today)
    late = sum(item["status"] == ItemStatus.MISSED for item in items)
    missed, due = items[:late], items[late:]
    recalled = READINESS.get().for_items(member, days) if days else {}
    told: list[ItemReadinessRow] = [
        {"item_id": item["id"], "title": item["title"], "course_name": item["course_name"], **recalled[item["id"]]}
        for item in due
        if item["id"] in days
    ]
    return Due(due, told, missed[-MOST_MISSED:])


@cache
def _due() -> Select[_DueColumns]:
    """Built at the first use, when the hook is registered."""
    examined = When(kind__in=sorted(EXAMINED), then=READINESS.get().has_cards())
    has_cards = Case(examined, default=Value(value=False), output_field=BooleanField())
    missed = OF_STATUS[ItemStatus.MISSED]
    in_range = ITEMS.filter(due_on__gte=Param("missed_from"), due_on__lte=Param("until"))
    due = in_range.filter(Q(due_on__gte=Param("today")) | missed).order_by(*SOONEST_FIRST)
    return Select[_DueColumns](due.annotate(has_cards=has_cards), {**LISTED, "has_cards": "has_cards"})
