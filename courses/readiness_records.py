"""Records of readiness: of an item, of the agenda's next exams, of a deck."""

from datetime import date
from typing import Any, ClassVar, NotRequired, TypedDict
from uuid import UUID

from rest_framework import serializers

from courses.plan_records import StudyPlanRecord, StudyPlanRow
from courses.serializers import ItemRecord, ItemRow
from studyservice.operations.serializers import Record


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


class ItemReadinessRow(ReadinessRow):
    """An `ItemReadinessRecord`."""

    item_id: UUID
    title: str
    course_name: str


class ItemReadinessRecord(ReadinessRecord):
    """Predicted recall of a course's cards on the day of an exam or a quiz."""

    example: ClassVar[dict[str, Any]] = {
        "item_id": ItemRecord.example["id"],
        "title": ItemRecord.example["title"],
        "course_name": ItemRecord.example["course_name"],
        **ReadinessRecord.example,
    }

    item_id = serializers.UUIDField(help_text="The exam or quiz.")
    title = serializers.CharField(help_text="Its title.")
    course_name = serializers.CharField(help_text="The name of its course.")


class ItemDetailRow(ItemRow):
    """An `ItemDetailRecord`."""

    readiness: ReadinessRow | None
    study_plan: NotRequired[StudyPlanRow | None]


class ItemDetailRecord(ItemRecord):
    """A dated course item, with the readiness for it."""

    example: ClassVar[dict[str, Any]] = ItemRecord.example | {"readiness": ReadinessRecord.example}

    computed: ClassVar[tuple[str, ...]] = (*ItemRecord.computed, "readiness", "study_plan")

    study_plan = StudyPlanRecord(
        required=False,
        allow_null=True,
        help_text="Only with minutes_a_day: what to study each day, and what will be known, if you answer as the model "
        "expects; null where the course has no cards to study.",
    )
    readiness = ReadinessRecord(
        allow_null=True,
        help_text="Of an exam or a quiz due today or later: what the member will know on that day of all cards in the "
        "course's decks, if nothing is studied until then; else null.",
    )
