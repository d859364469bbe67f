"""Requests and answers of the operations on milestones."""

from datetime import date
from typing import Any, ClassVar, NotRequired, TypedDict
from uuid import UUID

from rest_framework import serializers

from planning.models import Milestone
from studyservice.operations.fields import IntegerField, ListField
from studyservice.operations.serializers import Body, Record

MAX_MILESTONES = 20
"""Milestones of an item (spec, Limits)."""


class MilestoneEntryFields(TypedDict):
    """The fields of a `MilestoneEntryBody`."""

    title: str
    due_on: NotRequired[date | None]


class MilestoneEntryBody(Body):
    """A milestone to create."""

    example: ClassVar[dict[str, Any]] = {"title": "Answer last year's exam", "due_on": "2030-11-28"}

    class Meta:
        model = Milestone
        fields: ClassVar[tuple[str, ...]] = ("title", "due_on")


def _place_field(most: int, described: str) -> IntegerField:
    return IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=most,
        help_text=f"Its place in the item's plan, from 1 to {described}.",
    )


class MilestoneBody(MilestoneEntryBody):
    """A milestone to create, and further ones of the same item."""

    example: ClassVar[dict[str, Any]] = MilestoneEntryBody.example | {
        "place": 1,
        "more": [{"title": "Ask about open points", "due_on": "2030-12-01"}],
    }

    place = _place_field(MAX_MILESTONES + 1, "one more than there are; without it the end")
    more = ListField(
        child=MilestoneEntryBody(),
        required=False,
        allow_null=True,
        max_length=MAX_MILESTONES - 1,
        help_text=f"Further milestones to follow it, at most {MAX_MILESTONES - 1}; all are created, or none.",
    )


class MilestoneValues(MilestoneEntryBody):
    """The writable columns of a milestone."""

    class Meta:
        model = Milestone
        fields = (*MilestoneEntryBody.Meta.fields, "done")
        extra_kwargs: ClassVar[dict[str, Any]] = {
            "done": {
                "default": serializers.empty,
                "required": False,
                "help_text": "Whether it is done; an assistant sends it only when the member says so.",
            }
        }


class MilestoneFields(TypedDict, total=False):
    """The fields of a `MilestoneValues`."""

    title: str
    due_on: date | None
    done: bool


class MilestoneChanges(MilestoneValues):
    """Changes of a milestone."""

    example: ClassVar[dict[str, Any]] = {"done": True}

    place = _place_field(MAX_MILESTONES, "as many as there are")


class MilestoneColumns(TypedDict):
    """A `MilestoneRecord` as it is read."""

    id: UUID
    item_id: UUID
    title: str
    due_on: date | None
    done: bool
    position: int
    item_title: str
    course_name: str | None


class MilestoneRow(MilestoneColumns):
    """A `MilestoneRecord`."""

    overdue: bool


class MilestoneRecord(Record):
    """A step of the study plan."""

    example: ClassVar[dict[str, Any]] = {
        "id": "c0a8e4b6-52a7-4f1b-b2d4-7f3b8d9a5c03",
        "item_id": "8f2b7c1d-0d3e-4c55-8a51-6a2b9b1f7e02",
        "title": "Answer last year's exam",
        "due_on": "2030-11-28",
        "done": False,
        "position": 2,
        "item_title": "Midterm exam",
        "course_name": "Cell Biology",
        "overdue": False,
    }

    computed: ClassVar[tuple[str, ...]] = ("overdue",)

    item_title = serializers.CharField(source="item.title", help_text="The item's title.")
    course_name = serializers.CharField(source="item.course.name", allow_null=True, help_text="The course's name.")
    overdue = serializers.BooleanField(help_text="Whether it is not done and was due before the member's today.")

    class Meta:
        model = Milestone
        fields = ("id", "item_id", *MilestoneValues.Meta.fields, "position")


class CreatedMilestoneRow(MilestoneRow):
    """A `CreatedMilestoneRecord`."""

    milestones: NotRequired[list[MilestoneRow]]


class CreatedMilestoneRecord(MilestoneRecord):
    """The milestone, or the first of several."""

    example: ClassVar[dict[str, Any]] = MilestoneRecord.example | {"milestones": [MilestoneRecord.example]}

    computed: ClassVar[tuple[str, ...]] = (*MilestoneRecord.computed, "milestones")

    milestones = MilestoneRecord(many=True, required=False, help_text="Only with more: all, in the order sent.")
