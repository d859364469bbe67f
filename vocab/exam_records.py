"""Records of readiness on a day, and of the plan for an exam."""

from datetime import date
from typing import Any, ClassVar, TypedDict
from uuid import UUID

from rest_framework import serializers

from courses.serializers import ItemRecord
from studyservice.operations.query_fields import QueryIntegerField
from studyservice.operations.serializers import Record

LEAST_MINUTES, MOST_MINUTES = 5, 600
USUAL_MINUTES = 20
"""Default minutes a day on pages."""

TARGET = 95
"""Default goal of a plan: percent of cards to recall."""


def minutes_field(help_text: str) -> QueryIntegerField:
    """The parameter `minutes_a_day`."""
    return QueryIntegerField(min_value=LEAST_MINUTES, max_value=MOST_MINUTES, required=False, help_text=help_text)


class ReadinessRow(TypedDict):
    """A `ReadinessRecord`."""

    on: date
    cards: int
    desired_retention: float
    expected_recall: float | None
    seen_recall: float | None
    unseen: int
    below_target: int


class ReadinessRecord(Record):
    """Predicted recall of some cards on a day, if nothing is studied until then."""

    example: ClassVar[dict[str, Any]] = {
        "on": "2030-12-03",
        "cards": 24,
        "desired_retention": 90,
        "expected_recall": 71.25,
        "seen_recall": 81.43,
        "unseen": 3,
        "below_target": 5,
    }

    on = serializers.DateField(help_text="The day; noon of it in the member's time zone counts.")
    cards = serializers.IntegerField(help_text="How many cards it is about.")
    desired_retention = serializers.FloatField(help_text="The member's desired retention, in percent.")
    expected_recall = serializers.FloatField(
        allow_null=True,
        help_text="Percent of the cards that will be recalled if nothing is studied until then. Unseen cards count as "
        "0, so adding cards lowers it. Null without cards.",
    )
    seen_recall = serializers.FloatField(
        allow_null=True, help_text="The same of the seen cards only; null if none was ever reviewed."
    )
    unseen = serializers.IntegerField(help_text="How many cards were never reviewed.")
    below_target = serializers.IntegerField(
        help_text="How many reviewed cards will be less likely recalled than the member's desired retention."
    )


class PlanDayRow(TypedDict):
    """A `PlanDayRecord`."""

    on: date
    new: int
    due: int
    last_look: int
    minutes: int
    over: int


class PlanDayRecord(Record):
    """A day of a plan; of today what is left."""

    example: ClassVar[dict[str, Any]] = {
        "on": "2030-11-21",
        "new": 2,
        "due": 9,
        "last_look": 0,
        "minutes": 3,
        "over": 0,
    }

    on = serializers.DateField(help_text="The day.")
    new = serializers.IntegerField(help_text="New cards to begin.")
    due = serializers.IntegerField(help_text="Cards that are due, if every answer before is good.")
    last_look = serializers.IntegerField(help_text="Cards to see once more before the exam.")
    minutes = serializers.IntegerField(
        help_text="Whole minutes that these take, rounded up; a new card counts three times. Minutes that were spent "
        "today are not deducted."
    )
    over = serializers.IntegerField(help_text="How many of them go beyond minutes_a_day.")


class StudyPlanRow(TypedDict):
    """A `StudyPlanRecord`."""

    item_id: UUID
    exam_on: date
    today: date
    planned_from: str
    cards: int
    seconds_a_card: float
    seconds_from: str
    last_look_from: date
    target: int
    without: float | None
    predicted: float
    at_most: float
    reaches_target: bool
    days: list[PlanDayRow]


class StudyPlanRecord(Record):
    """What to study each day until an exam, and what the member will then recall, if they answer as predicted."""

    example: ClassVar[dict[str, Any]] = {
        "item_id": ItemRecord.example["id"],
        "exam_on": "2030-12-03",
        "today": "2030-11-21",
        "planned_from": "all",
        "cards": 24,
        "seconds_a_card": 12.0,
        "seconds_from": "assumed",
        "last_look_from": "2030-12-02",
        "target": 95,
        "without": 71.25,
        "predicted": 98.4,
        "at_most": 98.4,
        "reaches_target": True,
        "days": [PlanDayRecord.example],
    }

    item_id = serializers.UUIDField(help_text="The exam or quiz.")
    exam_on = serializers.DateField(help_text="Its day.")
    today = serializers.DateField(help_text="The member's today, the first of days.")
    planned_from = serializers.ChoiceField(
        choices=["all", "sample"],
        help_text="Whether all cards were calculated, or of more than 500 a sample. Today is exact in both.",
    )
    cards = serializers.IntegerField(help_text="Cards of the course's decks, without suspended ones.")
    seconds_a_card = serializers.FloatField(help_text="Seconds that a review of a card takes.")
    seconds_from = serializers.ChoiceField(
        choices=["measured", "assumed"], help_text="measured from 50 reviews with duration_ms on."
    )
    last_look_from = serializers.DateField(
        help_text="From this day on every card is seen once more, and nothing else is reviewed; it may be past."
    )
    target = serializers.IntegerField(help_text="The target that was asked for, in percent.")
    without = serializers.FloatField(
        allow_null=True,
        help_text="Percent known at noon of the exam if nothing is studied: expected_recall of readiness.",
    )
    predicted = serializers.FloatField(
        help_text="Percent known at noon of the exam with this plan, if you answer as the model expects."
    )
    at_most = serializers.FloatField(help_text="The same with every last look on the day before the exam.")
    reaches_target = serializers.BooleanField(help_text="Whether predicted is at least target.")
    days = PlanDayRecord(many=True, help_text="Every day from today to the day before the exam.")
