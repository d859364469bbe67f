"""Requests and answers of the operations on milestones."""

from datetime import date
from typing import Annotated, Any, ClassVar, NotRequired, TypedDict
from uuid import UUID

from rest_framework import serializers

from planning.models import Milestone
from studyservice.database.rows import FILLED_IN, At
from studyservice.operations.answers import answer, example_of
from studyservice.operations.fields import IntegerField, ListField
from studyservice.operations.serializers import Body

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


@answer(
    Milestone,
    id="c0a8e4b6-52a7-4f1b-b2d4-7f3b8d9a5c03",
    item_id="8f2b7c1d-0d3e-4c55-8a51-6a2b9b1f7e02",
    title="Answer last year's exam",
    due_on="2030-11-28",
    done=False,
    position=2,
    item_title="Midterm exam",
    course_name="Cell Biology",
    overdue=False,
)
class MilestoneRow(TypedDict):
    """A step of the study plan."""

    id: UUID
    item_id: UUID
    title: str
    due_on: date | None
    done: bool
    position: int
    item_title: Annotated[str, At("item__title"), "The item's title."]
    course_name: Annotated[str | None, At("item__course__name"), "The course's name."]
    overdue: Annotated[bool, FILLED_IN, "Whether it is not done and was due before the member's today."]


@answer(Milestone, **example_of(MilestoneRow), milestones=[example_of(MilestoneRow)])
class CreatedMilestoneRow(MilestoneRow):
    """The milestone, or the first of several."""

    milestones: NotRequired[Annotated[list[MilestoneRow], "Only with more: all, in the order sent."]]
