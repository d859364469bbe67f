"""Records of "what now"."""

from typing import Any, ClassVar

from rest_framework import serializers

from courses.serializers import ItemRecord
from planning.now.filling import NowRow, StepRow
from planning.now.reasons import ReasonRow
from studyservice.operations.fields import OpenChoiceField
from studyservice.operations.serializers import Record

__all__ = ["NowRecord", "NowRow", "ReasonRecord", "ReasonRow", "StepRecord", "StepRow"]  # each record beside its row

LEAST_MINUTES, MOST_MINUTES = 5, 480

REASONS = ("repeat_now", "overdue", "due_in", "worth", "exam_in", "expected_recall", "due", "new", "weak")


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
