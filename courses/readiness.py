"""How ready the member is for exams and quizzes: asked here, where items are, and answered by who has the cards."""

from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Protocol, cast
from uuid import UUID

from django.db.models import BooleanField, Case, Exists, Value, When

from accounts.models import Member
from courses.items import DUE, get_item, with_days_until
from courses.models import ItemKind
from courses.readiness_records import ItemDetailRow, ItemReadinessRow, ReadinessRow
from courses.serializers import ItemColumns, ItemRecord, ItemRow
from studyservice.database.statements import Select
from studyservice.hooks import Hook

EXAMINED = frozenset({ItemKind.EXAM.value, ItemKind.QUIZ.value})
"""The kinds of items that one is ready for, or not."""

MOST_AT_ONCE = 3
"""Items whose readiness is told by one call."""


class Readiness(Protocol):
    """Who knows what the member will recall of the cards of a course."""

    def has_cards(self) -> Exists:
        """Whether there are cards in the decks of an item's course; for a statement over items."""

    def for_items(self, member: Member, days: Mapping[UUID, date]) -> dict[UUID, ReadinessRow]:
        """The readiness for at most `MOST_AT_ONCE` of the member's items, each on its day; one query."""


READINESS = Hook[Readiness]("READINESS")


class _DueColumns(ItemColumns):
    has_cards: bool


def get_item_detail(member: Member, item_id: UUID) -> ItemDetailRow:
    """The item, with the readiness if it is an exam or a quiz that is not past; one query, then two.

    Raises:
        NotFound: there is no such item of the member's.
    """
    item = cast("ItemDetailRow", get_item(member, item_id))
    item["readiness"] = None
    day = item["due_on"]
    if item["kind"] in EXAMINED and day is not None and day >= member.today():
        item["readiness"] = READINESS.get().for_items(member, {item_id: day})[item_id]
    return item


def due_with_readiness(member: Member, today: date, until: date) -> tuple[list[ItemRow], list[ItemReadinessRow]]:
    """The items due from `today` to `until`, both included, soonest first; and the readiness for the first exams and
    quizzes among them whose course has cards, `MOST_AT_ONCE` at most. One query, two if there are such.
    """
    due = _due().all(member_id=member.id, today=today, until=until)
    days: dict[UUID, date] = {}
    for item in due:
        day = item["due_on"]
        if item.pop("has_cards") and day is not None and len(days) < MOST_AT_ONCE:  # type: ignore[misc]  # read as one
            days[item["id"]] = day
    items = with_days_until(cast("list[ItemColumns]", due), today)
    if not days:
        return items, []
    found = READINESS.get().for_items(member, days)
    return items, [{"item_id": item_id, **found[item_id]} for item_id in days]


@cache
def _due() -> Select[_DueColumns]:
    """Built at the first use, when the hook is registered."""
    examined = When(kind__in=sorted(EXAMINED), then=READINESS.get().has_cards())
    has_cards = Case(examined, default=Value(value=False), output_field=BooleanField())
    return Select[_DueColumns](DUE.annotate(has_cards=has_cards), ItemRecord.columns() | {"has_cards": "has_cards"})
