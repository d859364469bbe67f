"""Requests and answers of get_item and get_agenda."""

from datetime import date
from typing import Any, ClassVar, NotRequired, TypedDict
from uuid import UUID

from rest_framework import serializers

from courses.serializers import ItemRecord, ItemRow
from planning.now.filling import NowRow, StepRow
from planning.now.reasons import ReasonRow
from planning.serializers import MilestoneRecord, MilestoneRow
from studyservice.operations.fields import OpenChoiceField
from studyservice.operations.query_fields import QueryIntegerField
from studyservice.operations.serializers import Query, Record
from vocab.exam_records import ReadinessRecord, ReadinessRow, StudyPlanRecord, StudyPlanRow, minutes_field

__all__ = ["NowRow", "ReasonRow", "StepRow"]  # the rows of records

LEAST_MINUTES, MOST_MINUTES = 5, 480

REASONS = ("repeat_now", "overdue", "due_in", "worth", "exam_in", "expected_recall", "due", "new", "weak")


class ItemQuery(Query):
    """Parameters of get_item."""

    minutes_a_day = minutes_field(
        "Of an exam or quiz due in 1 to 120 days: minutes a day for flashcards. The answer then has study_plan."
    )
    target = QueryIntegerField(
        min_value=50,
        max_value=99,
        required=False,
        help_text="Percent of the cards to know on the day of the exam, 95 unless sent; needs minutes_a_day.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Reject a target without a plan."""
        if "target" in attrs and "minutes_a_day" not in attrs:
            raise serializers.ValidationError({"target": ["Needs minutes_a_day, for which a plan is made."]})
        return attrs


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


class ReasonRecord(Record):
    """Why a step is proposed."""

    example: ClassVar[dict[str, Any]] = {"code": "due_in", "value": 2, "text": "Due in 2 days"}

    code = OpenChoiceField(
        component="ReasonCode",
        choices=REASONS,
        help_text="Which reason it is: repeat_now, due and new are about cards, overdue and due_in about a date, "
        "exam_in about the next exam or quiz of the course, weak about a topic.",
    )
    value = serializers.FloatField(
        help_text="Of repeat_now, due and new how many cards of the deck there are in all; of overdue, due_in and "
        "exam_in days; of worth percent of the grade, of expected_recall of the cards, of weak of the attempts."
    )
    text = serializers.CharField(help_text="The same in words.")


class StepRecord(Record):
    """A step, and its duration."""

    example: ClassVar[dict[str, Any]] = {
        "position": 1,
        "kind": "item",
        "title": "Problem set 5",
        "course_name": "Cell Biology",
        "minutes": 25,
        "item_id": ItemRecord.example["id"],
        "milestone_id": None,
        "deck_id": None,
        "cards": None,
        "because": [ReasonRecord.example, {"code": "worth", "value": 15, "text": "15 % of the grade"}],
    }

    position = serializers.IntegerField(help_text="Its place, from 1.")
    kind = OpenChoiceField(
        component="StepKind",
        choices=("cards", "milestone", "item"),
        help_text="cards of a deck or a topic, the first open milestone of an item, or the item itself.",
    )
    title = serializers.CharField(help_text="The title of the milestone or item, the deck's name, or the topic.")
    course_name = serializers.CharField(allow_null=True, help_text="The course's name.")
    minutes = serializers.IntegerField(help_text="Whole minutes: of work a slice of 25, of cards 5 to 20.")
    item_id = serializers.UUIDField(allow_null=True, help_text="The item, also of a milestone.")
    milestone_id = serializers.UUIDField(allow_null=True, help_text="The milestone.")
    deck_id = serializers.UUIDField(allow_null=True, help_text="The deck; null of a topic whose deck is gone.")
    cards = serializers.IntegerField(allow_null=True, help_text="How many cards of the deck fit; null of a topic.")
    because = ReasonRecord(many=True, help_text="Why it is here, each code at most once.")


class NowRecord(Record):
    """What to do in the available minutes."""

    example: ClassVar[dict[str, Any]] = {"minutes": 30, "left_over": 5, "steps": [StepRecord.example]}

    minutes = serializers.IntegerField(help_text="The minutes asked about.")
    left_over = serializers.IntegerField(help_text="Minutes that no step takes.")
    steps = StepRecord(many=True, help_text="What to do, in this order, at most 7 steps.")


class AgendaQuery(Query):
    """Parameters of get_agenda."""

    days = QueryIntegerField(min_value=1, max_value=120, default=14, help_text="How many days ahead to look.")
    minutes = QueryIntegerField(
        min_value=LEAST_MINUTES,
        max_value=MOST_MINUTES,
        required=False,
        help_text="Minutes that the member has now. The answer then has now: steps in order, each with its reasons, "
        "which do not depend on days.",
    )


class AgendaRow(TypedDict):
    """An `AgendaRecord`."""

    today: date
    weekday: str
    until: date
    items: list[ItemRow]
    milestones: list[MilestoneRow]
    readiness: list[ItemReadinessRow]
    missed: list[ItemRow]
    now: NotRequired[NowRow]


class AgendaRecord(Record):
    """What is due."""

    example: ClassVar[dict[str, Any]] = {
        "today": "2030-11-21",
        "weekday": "Thursday",
        "until": "2030-12-05",
        "items": [ItemRecord.example],
        "milestones": [MilestoneRecord.example],
        "readiness": [ItemReadinessRecord.example],
        "missed": [
            ItemRecord.example
            | {"title": "Problem set 4", "kind": "assignment", "due_on": "2030-11-18", "days_until": -3}
            | {"status": "missed"}
        ],
    }

    computed: ClassVar[tuple[str, ...]] = ("now",)

    today = serializers.DateField(help_text="Today in the member's time zone.")
    weekday = serializers.CharField(help_text="The weekday of today, such as Monday.")
    until = serializers.DateField(help_text="The last day looked at.")
    items = ItemRecord(many=True, help_text="Items due from today to until, soonest first.")
    milestones = MilestoneRecord(
        many=True,
        help_text="Unfinished milestones due by until, overdue ones included, and undated ones of items in range.",
    )
    readiness = ItemReadinessRecord(
        many=True,
        help_text="For the first three exams and quizzes whose course has cards: what the member will recall of them "
        "on that day, if nothing is studied until then.",
    )
    missed = ItemRecord(
        many=True,
        help_text="Items of status missed that were due in the last 30 days, the newest 50, oldest first. One that was "
        "entered after its date is past, and never missed.",
    )
    now = NowRecord(
        required=False,
        help_text="Only with minutes: what to do in them, by a fixed order of rules about dates, worth and flashcards.",
    )
