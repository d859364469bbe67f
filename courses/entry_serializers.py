"""Requests and answers with the items and weights of a syllabus, and their syllabus lines."""

from decimal import Decimal
from typing import Annotated, Any, ClassVar, NotRequired, TypedDict
from uuid import UUID

from rest_framework import serializers

from courses.models import Course, Item
from courses.serializers import (
    MAX_ENTRIES,
    CourseDetails,
    CourseRow,
    ItemRow,
    NewItem,
    PlainCourseBody,
    PlainItemBody,
)
from courses.syllabi.drops import MOST_DROPPED
from courses.syllabi.evidence import Evidence
from studyservice.operations.answers import answer, example_of, one_of, open_choice
from studyservice.operations.fields import (
    ChoiceField,
    IntegerField,
    ListField,
    NumberField,
    StringField,
)
from studyservice.operations.serializers import Body

MAX_CATEGORIES = 12
"""Grade categories per course (spec, Limits)."""

MAX_CATEGORY_NAME = 60

MAX_QUOTE = 300
"""Maximum length of a quote, in characters."""

_QUOTE = "Due Tuesday, December 3: midterm exam, rooms to be announced"


class EntryFields(NewItem):
    """The fields of an `EntryBody`."""

    quote: NotRequired[str | None]


class EntryBody(PlainItemBody):
    """An item, and the line of the syllabus that it comes from."""

    example: ClassVar[dict[str, Any]] = {
        name: value for name, value in PlainItemBody.example.items() if name != "category_id"
    } | {"quote": _QUOTE}

    quote = StringField(
        max_length=MAX_QUOTE,
        blank_is_null=True,
        help_text="Its line of the syllabus, word for word; not stored. The answer's evidence: confirmed (with this "
        "date), inferred (no date, or a recurring one), contradicted (another date), not_found (no such words).",
    )


class CourseItemFields(EntryFields):
    """The fields of a `CourseItemBody`; it has no `category_id`."""

    category: NotRequired[str | None]


class CourseItemBody(EntryBody):
    """An item of a new course, whose categories have no ids yet."""

    example: ClassVar[dict[str, Any]] = EntryBody.example | {"category": "Quizzes"}

    category = StringField(
        max_length=MAX_CATEGORY_NAME,
        blank_is_null=True,
        help_text="The name of one of grade_categories, in upper or lower case; null for none.",
    )

    class Meta(PlainItemBody.Meta):
        fields = tuple(name for name in PlainItemBody.Meta.fields if name != "category_id")

    def to_internal_value(self, data: Any) -> Any:
        """Parse the fields. An id is rejected rather than ignored, because the item would lose its category."""
        entry = super().to_internal_value(data)
        if data.get("category_id") is not None:
            raise serializers.ValidationError({"category_id": ["Not a field here; did you mean category?"]})
        return entry


class CategoryEntryFields(TypedDict):
    """The fields of a `CategoryEntryBody`."""

    name: str
    weight: Decimal
    drop_lowest: NotRequired[int | None]


class CategoryEntryBody(Body):
    """A category of a new course's grade."""

    example: ClassVar[dict[str, Any]] = {"name": "Quizzes", "weight": 20, "drop_lowest": 1}

    name = StringField(max_length=MAX_CATEGORY_NAME, help_text="The category's name, such as Homework.")
    weight = NumberField(
        min_value=0, max_value=100, help_text="Percent of the grade; of points, its share of the total."
    )
    drop_lowest = IntegerField(
        min_value=0,
        max_value=MOST_DROPPED,
        required=False,
        allow_null=True,
        help_text='How many of its lowest scores do not count, like "the lowest quiz is dropped"; 0 in a new category.',
    )


class NewCourseFields(CourseDetails):
    """The fields of a `NewCourseBody`."""

    name: str
    items: NotRequired[list[CourseItemFields] | None]
    grade_categories: NotRequired[list[CategoryEntryFields] | None]


class NewCourseBody(PlainCourseBody):
    """A course, and what its syllabus says is due and counts."""

    example: ClassVar[dict[str, Any]] = PlainCourseBody.example | {
        "items": [CourseItemBody.example],
        "grade_categories": [CategoryEntryBody.example, {"name": "Exams", "weight": 80}],
    }

    items = ListField(
        child=CourseItemBody(),
        required=False,
        allow_null=True,
        max_length=MAX_ENTRIES,
        help_text=f"Its dated items, at most {MAX_ENTRIES}.",
    )
    grade_categories = ListField(
        child=CategoryEntryBody(),
        required=False,
        allow_null=True,
        max_length=MAX_CATEGORIES,
        help_text=f"The categories of its grade, in display order, at most {MAX_CATEGORIES}.",
    )


class NewItemBody(EntryBody):
    """An item, and more of the same course."""

    example: ClassVar[dict[str, Any]] = EntryBody.example | {
        "more": [{"title": "Quiz 1", "kind": "quiz", "due_on": "2030-12-10"}],
        "if_exists": "skip",
    }

    more = ListField(
        child=EntryBody(),
        required=False,
        allow_null=True,
        max_length=MAX_ENTRIES - 1,
        help_text=f"Further items, at most {MAX_ENTRIES - 1}; all are made, or none.",
    )
    if_exists = ChoiceField(
        choices=["create", "skip"],
        default="create",
        help_text="skip answers an item of the same title (case-folded) and date, instead of making another.",
    )


@answer(type="weekday", message='"Midterm exam", 4 December 2030, is a Wednesday; the text says Tuesday.', index=0)
class WarningRow(TypedDict):
    """What the member should look at again."""

    type: Annotated[
        str,
        open_choice(
            "WarningType",
            [
                *("outside_term", "weekday", "two_dates", "weights", "duplicate", "too_many", "too_long"),
                *("unreadable_characters", "model"),
            ],
        ),
        "What it is about; new types may be added.",
    ]
    message: Annotated[str, "A sentence for the member."]
    index: Annotated[int | None, "Place in items, from 0; null if it is about none."]


@answer(Item, **example_of(ItemRow), evidence=Evidence.CONFIRMED.value)
class EnteredItemRow(ItemRow):
    """An item as it is answered once, where it was entered."""

    evidence: NotRequired[
        Annotated[
            str,
            one_of([one.value for one in Evidence]),
            "Only with a quote. confirmed: its date stands there; inferred: no date does, or a relative or "
            "recurring one; contradicted: another date does; not_found: the course's syllabus has no such words.",
        ]
    ]
    existing: NotRequired[Annotated[bool, "Only with if_exists=skip: whether it was there already, and none was made."]]


@answer(id="1d6e2f8a-9b4c-4d7e-a3f5-2c8b7d6e4f04", **CategoryEntryBody.example)
class EnteredCategoryRow(TypedDict):
    """A category of a new course."""

    id: Annotated[UUID, "The category's id."]
    name: Annotated[str, "The category's name."]
    weight: Annotated[float, "Its weight."]
    drop_lowest: Annotated[int, "How many of its lowest scores do not count."]


@answer(
    Course,
    **example_of(CourseRow),
    items=[example_of(EnteredItemRow)],
    grade_categories=[example_of(EnteredCategoryRow)],
    warnings=[],
)
class CreatedCourseRow(CourseRow):
    """A new course. The lists are there if a syllabus, items or categories were sent."""

    items: NotRequired[Annotated[list[EnteredItemRow], "Its items, in the order sent."]]
    grade_categories: NotRequired[Annotated[list[EnteredCategoryRow], "The categories of its grade, in display order."]]
    warnings: NotRequired[Annotated[list[WarningRow], "What the member should look at again."]]


@answer(Item, **example_of(EnteredItemRow), items=[example_of(EnteredItemRow)], warnings=[])
class CreatedItemRow(EnteredItemRow):
    """The item, or the first of several."""

    items: NotRequired[Annotated[list[EnteredItemRow], "Only with more: all, in the order sent."]]
    warnings: NotRequired[
        Annotated[list[WarningRow], "Only with more or a quote: what the member should look at again."]
    ]
