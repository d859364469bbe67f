"""How a readiness is answered, by whatever tells one: of an item, of the agenda's next exams, of a deck."""

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
    expected_recall: float | None
    unseen: int
    below_target: int


class ReadinessRecord(Record):
    """What the member will know of some cards on a day, if nothing is studied until then."""

    example: ClassVar[dict[str, Any]] = {"on": "2030-12-03", "expected_recall": 71.25, "unseen": 3, "below_target": 5}

    on = serializers.DateField(help_text="The day; noon of it in the member's time zone counts.")
    expected_recall = serializers.FloatField(
        allow_null=True,
        help_text="Percent of the cards that will be recalled if nothing is studied until then, unseen ones as 0; null "
        "without cards.",
    )
    unseen = serializers.IntegerField(help_text="How many cards were never reviewed.")
    below_target = serializers.IntegerField(
        help_text="How many reviewed cards will be less likely recalled than the member's desired retention."
    )


class ItemReadinessRow(ReadinessRow):
    """An `ItemReadinessRecord`."""

    item_id: UUID


class ItemReadinessRecord(ReadinessRecord):
    """What the member will know of a course's cards on the day of an exam or a quiz."""

    example: ClassVar[dict[str, Any]] = {"item_id": ItemRecord.example["id"], **ReadinessRecord.example}

    item_id = serializers.UUIDField(help_text="The exam or quiz.")


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
