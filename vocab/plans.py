"""Plans for exams: their cards and their records. `vocab.exam_plan` computes them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from math import ceil
from threading import Lock
from typing import Any
from uuid import UUID
from weakref import WeakValueDictionary
from zoneinfo import ZoneInfo

from django.db.models import (
    Case,
    DateTimeField,
    FilteredRelation,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.utils import timezone

from courses.item_rows import EXAMINED
from courses.models import Item
from courses.serializers import ItemRow
from practice.stats import percent
from studyservice.database.rows import columns_of_row
from studyservice.database.statements import Param, aggregated
from studyservice.operations.errors import ValidationFailed
from studyservice.rows.access import Access, MemberSelect
from vocab.exam_plan.days import Day, PlanCard, Settings
from vocab.exam_plan.memory import LEARNING, Memory, instant
from vocab.exam_plan.plan import exam_plan, queue
from vocab.exam_records import PlanDayRow, ReadinessRow, StudyPlanRow
from vocab.models import Card, CardState, Review
from vocab.scheduling import MemoryState, local_time
from vocab.serializers import CardRow, card_row

_FOR_ITEM = "for_item"

MEASURED_FROM = 50
"""Number of reviews before their mean duration is used. From then on, older ones lose weight."""

_ASSUMED = Decimal("12.00")
"""Assumed seconds per review until then."""

NEAREST, FURTHEST = 1, 120
"""Possible days from today to an exam with a plan."""


class _Studied(MemoryState):
    """The columns of a card for a plan."""

    reps: int
    reviews_today: int
    before_today: datetime | None


class PlannedCard(CardRow):
    """An item with a card of its course; without cards, one row in which the card's columns are null."""

    kind: str
    due_on: date | None
    course_id: UUID
    step: int | None
    note: UUID | None
    reviews_today: int
    before_today: datetime | None


def _with_todays(rows: QuerySet[Any], path: str = "") -> QuerySet[Any]:
    """The cards at `path`, with the number of today's reviews and the last review before today."""
    log = Review.rows.whole.filter(card_id=OuterRef(f"{path}id"), reviewed_at__gte=Param("midnight"))
    first = log.order_by("reviewed_at", "id").values("last_reviewed_at")[:1]
    has_some = {f"{path}last_reviewed_at__gte": Param("midnight")}  # otherwise the log is not read
    found: QuerySet[Any] = rows.annotate(
        reviews_today=Case(
            When(**has_some, then=aggregated(log, "COUNT", "reviewed_at")),
            default=Value(0),
            output_field=IntegerField(),
        ),
        before_today=Case(When(**has_some, then=Subquery(first)), output_field=DateTimeField()),
    )
    return found


_OF_COURSE = MemberSelect(
    _with_todays(
        Card.rows.declared.filter(
            deck__member_id=Param("member_id"), deck__course_id=Param("course_id"), suspended=False
        )
    ).order_by("deck__created_at", "deck_id", "position", "id"),
    _Studied,
)
_MINE = Param("member_id")
_OF_ITEM = MemberSelect[PlannedCard](
    _with_todays(
        Item.rows.declared.filter(id=Param("item_id")).annotate(
            its_course=FilteredRelation("course", condition=Q(course__member_id=_MINE)),
            its_decks=FilteredRelation("its_course__decks", condition=Q(its_course__decks__member_id=_MINE)),
            its_cards=FilteredRelation(
                "its_decks__cards", condition=Q(its_decks__cards__member_id=_MINE, its_decks__cards__suspended=False)
            ),
        ),
        "its_cards__",
    ).order_by("its_decks__created_at", "its_decks__id", "its_cards__position", "its_cards__id"),
    columns_of_row(PlannedCard) | {name: f"its_cards__{name}" for name in (*CardRow.__annotations__, "step", "note")},
)
"""One statement reads the item and its cards, so that the plan needs no further query."""


def told_seconds(access: Access) -> tuple[Decimal, bool]:
    """The seconds per review, to two places, and whether they were measured."""
    if access.member.seconds_reviews < MEASURED_FROM:
        return _ASSUMED, False
    return Decimal(access.member.seconds).quantize(Decimal("0.01"), ROUND_HALF_UP), True


def has_plan(kind: str, due_on: date | None, today: date) -> bool:
    """Return whether such an item can have a plan."""
    return kind in EXAMINED and due_on is not None and NEAREST <= (due_on - today).days <= FURTHEST


def exam_day(field: str, kind: str, due_on: date | None, today: date) -> date:
    """The day of an item that can have a plan.

    Raises:
        ValidationFailed: the item cannot; names `field`.
    """
    if kind not in EXAMINED:
        raise ValidationFailed.of(field, "Plans are made for exams and quizzes, and this item is another kind.")
    if due_on is None or not has_plan(kind, due_on, today):
        raise ValidationFailed.of(field, f"Plans are made for exams and quizzes due in {NEAREST} to {FURTHEST} days.")
    return due_on


_turns: WeakValueDictionary[UUID, Lock] = WeakValueDictionary()
_all_turns = Lock()


@contextmanager
def plan_turn(member_id: UUID) -> Iterator[None]:
    """Wait until no other plan of the member is being made in this process, so that a member uses only one thread.

    A lock is discarded when nobody holds it or waits for it.
    """
    with _all_turns:
        turn = _turns.setdefault(member_id, Lock())
    with turn:
        yield


def plan_for(
    access: Access, item: ItemRow, minutes_a_day: int, target: int, readiness: ReadinessRow | None
) -> StudyPlanRow | None:
    """The plan for an exam or quiz; None without cards. One query.

    Args:
        target: percent of the cards to know.
        readiness: of the item.

    Raises:
        ValidationFailed: such an item has no plan.
    """
    today = access.today()
    exam_on = exam_day("minutes_a_day", item["kind"], item["due_on"], today)
    settings = _settings(access, exam_on, minutes_a_day, today)
    with plan_turn(access.member.id):
        cards = _plan_cards(_OF_COURSE.all(access, course_id=item["course_id"], midnight=local_time(access, today, 0)))
        if not cards:
            return None
        plan = exam_plan(cards, settings)
    predicted = percent(plan.predicted)
    return {
        "item_id": item["id"],
        "exam_on": exam_on,
        "today": settings.today,
        "planned_from": "sample" if plan.sampled else "all",
        "cards": len(cards),
        "seconds_a_card": float(settings.seconds),
        "seconds_from": "measured" if told_seconds(access)[1] else "assumed",
        "last_look_from": exam_on - timedelta(days=settings.window(len(cards))),
        "target": target,
        "without": None if readiness is None else readiness["expected_recall"],
        "predicted": predicted,
        "at_most": percent(plan.at_most),
        "reaches_target": predicted >= target,
        "days": [_plan_day(settings, number, day) for number, day in enumerate(plan.days)],
    }


def cards_for(access: Access, item_id: UUID, minutes_a_day: int, limit: int | None) -> tuple[UUID, list[CardRow]]:
    """The course of an exam, and today's cards of its plan in order (`planned_cards`). One query."""
    course_id, cards = planned_cards(access, item_id, minutes_a_day)
    return course_id, [card_row(card) for card in cards[:limit]]


def planned_cards(access: Access, item_id: UUID, minutes_a_day: int) -> tuple[UUID, list[PlannedCard]]:
    """The course of an exam, and today's cards of its plan in order. One query.

    Due learning and relearning cards come first, then reviews due today, last looks, and new cards.

    Raises:
        ValidationFailed: the member has no such item, or it cannot have a plan; names `for_item`.
    """
    now = timezone.now()
    today = access.member.date_at(now)
    with plan_turn(access.member.id):
        rows = _OF_ITEM.all(access, item_id=item_id, midnight=local_time(access, today, 0))
        if not rows:
            raise ValidationFailed.of(_FOR_ITEM, "Not one of your items. list_items lists the ids.")
        exam_on = exam_day(_FOR_ITEM, rows[0]["kind"], rows[0]["due_on"], today)
        found = rows if any(row["id"] for row in rows) else []
        places = queue(_plan_cards(found), _settings(access, exam_on, minutes_a_day, today), instant(now))
    return rows[0]["course_id"], [found[place] for place in places]


def _settings(access: Access, exam_on: date, minutes_a_day: int, today: date) -> Settings:
    return Settings(
        today=today,
        exam_on=exam_on,
        zone=ZoneInfo(access.member.time_zone),
        retention=access.member.desired_retention,
        minutes=minutes_a_day,
        seconds=told_seconds(access)[0],
    )


def _plan_cards(rows: Sequence[_Studied]) -> list[PlanCard]:
    return [
        PlanCard(
            Memory(
                state=LEARNING if row["state"] == CardState.NEW else row["state"],
                step=row["step"] or 0,
                stability=row["stability"],
                difficulty=row["difficulty"] or 0.0,
                last=None if row["last_reviewed_at"] is None else instant(row["last_reviewed_at"]),
                due=instant(row["due_at"]),
            ),
            reps=row["reps"],
            today=row["reviews_today"],
            before=None if row["before_today"] is None else instant(row["before_today"]),
        )
        for row in rows
    ]


def _plan_day(settings: Settings, number: int, day: Day) -> PlanDayRow:
    minutes = ceil(day.cards() * settings.seconds / 60)
    return {
        "on": settings.today + timedelta(days=number),
        "new": day.new,
        "due": day.due,
        "last_look": day.last_look,
        "minutes": minutes,
        "over": max(0, minutes - settings.minutes),
    }
