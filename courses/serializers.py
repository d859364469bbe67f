"""Requests and answers of the course and item operations."""

from datetime import date, datetime
from typing import Annotated, Any, ClassVar, NotRequired, Required, TypedDict
from uuid import UUID

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from courses.models import MAX_NOTE, Course, Item, ItemKind, ItemStatus
from studyservice.database.rows import FILLED_IN, At
from studyservice.operations.answers import answer, example_of, open_choice
from studyservice.operations.fields import IdField, ListField, NeededIdField
from studyservice.operations.serializers import Body

MAX_ENTRIES = 100
"""Maximum number of items in one call."""

COURSE_TEXTS = ("name", "code", "term", "meets", "institution", "subject")
"""Descriptive columns of a course, in the order of every form and answer."""


class CourseDetails(TypedDict, total=False):
    """The optional fields of a `PlainCourseBody`."""

    code: str | None
    term: str
    meets: str | None
    institution: str | None
    subject: str | None
    syllabus_text: str | None
    syllabus_id: UUID | None


class CourseFields(CourseDetails, total=False):
    """Changes of a course: the fields of a `CourseBody`."""

    name: str
    archived: bool


class PlainCourseBody(Body):
    """What a new course is made of."""

    example: ClassVar[dict[str, Any]] = {
        "name": "Cell Biology",
        "code": "BIO 210",
        "term": "Fall semester",
        "meets": "Mon, Wed 10:00–11:20",
        "institution": "Riverside College",
        "subject": "Biology",
    }

    syllabus_id = IdField(
        required=False,
        allow_null=True,
        help_text="A file that the member uploaded on this site (no tool makes one), to attach to the course. Its text "
        "becomes the syllabus unless syllabus_text is sent.",
    )

    class Meta:
        model = Course
        fields: ClassVar[tuple[str, ...]] = (*COURSE_TEXTS, "syllabus_text")
        extra_kwargs: ClassVar[dict[str, Any]] = {"code": {"help_text": "Course number, such as BIO 101."}}


class CourseBody(PlainCourseBody):
    """The writable fields of a course."""

    example: ClassVar[dict[str, Any]] = {"archived": True}

    class Meta:
        model = Course
        fields = (*PlainCourseBody.Meta.fields, "archived")
        extra_kwargs: ClassVar[dict[str, Any]] = PlainCourseBody.Meta.extra_kwargs | {
            "archived": {"default": serializers.empty, "required": False}
        }


@answer(
    Course,
    **PlainCourseBody.example,
    id="3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01",
    has_syllabus=True,
    archived=False,
    created_at="2030-09-01T08:30:00.000000Z",
    updated_at="2030-09-01T08:30:00.000000Z",
)
class CourseRow(TypedDict):
    """A course."""

    id: UUID
    name: str
    code: str | None
    term: str
    meets: str | None
    institution: str | None
    subject: str | None
    has_syllabus: Annotated[bool, "Whether a syllabus text is stored."]
    archived: bool
    created_at: datetime
    updated_at: datetime


class ItemFields(TypedDict, total=False):
    """Changes of an item: the fields of an `ItemBody`."""

    title: str
    kind: str
    due_on: date | None
    due_time: str | None
    category_id: UUID | None
    note: str | None
    done: bool


class ItemEntryFields(ItemFields):
    """The fields of an `ItemEntryBody`."""

    item_id: Required[UUID]


class NewItem(TypedDict):
    """The fields of a `PlainItemBody`."""

    title: str
    kind: str
    due_on: date | None
    due_time: NotRequired[str | None]
    category_id: NotRequired[UUID | None]
    note: NotRequired[str | None]


NEEDS_DATE = "Needs a date. Send due_on too, or leave due_time out."


class PlainItemBody(Body):
    """What a new item is made of."""

    example: ClassVar[dict[str, Any]] = {
        "title": "Midterm exam",
        "kind": "exam",
        "due_on": "2030-12-03",
        "due_time": "17:00",
        "category_id": "1d6e2f8a-9b4c-4d7e-a3f5-2c8b7d6e4f04",
        "note": "Chapters 1 to 7; bring a calculator.",
    }

    class Meta:
        model = Item
        fields: ClassVar[tuple[str, ...]] = ("title", "kind", "due_on", "due_time", "category_id", "note")
        extra_kwargs: ClassVar[dict[str, Any]] = {
            "category_id": {"help_text": "A grade category of the course, from get_grades; null for none."},
            "note": {"help_text": f"What else to know about it, up to {MAX_NOTE:,} characters; null for none."},
        }

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require a date with a time."""
        if attrs["due_time"] is not None and attrs["due_on"] is None:
            raise serializers.ValidationError({"due_time": [NEEDS_DATE]})
        return attrs


class ItemBody(PlainItemBody):
    """The writable fields of an item."""

    example: ClassVar[dict[str, Any]] = {"done": True}

    class Meta:
        model = Item
        fields = (*PlainItemBody.Meta.fields, "done")
        extra_kwargs: ClassVar[dict[str, Any]] = PlainItemBody.Meta.extra_kwargs | {
            "done": {
                "default": serializers.empty,
                "required": False,
                "help_text": "Whether the member has done it or handed it in; only when the member says so.",
            }
        }

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Accept a time without a date: the stored item may have one (`courses.items.update_item`)."""
        return attrs


class ItemEntryBody(ItemBody):
    """Changes of one of several items."""

    example: ClassVar[dict[str, Any]] = {"item_id": "4a6c8e0f-2b4d-4f6a-8c0e-1d3f5b7a9c08", "due_on": "2030-12-10"}

    item_id = NeededIdField(help_text="The item to change.")

    class Meta(ItemBody.Meta):
        fields = ("item_id", *ItemBody.Meta.fields)
        extra_kwargs: ClassVar[dict[str, Any]] = {
            name: ItemBody.Meta.extra_kwargs.get(name, {}) | {"default": serializers.empty, "required": False}
            for name in ItemBody.Meta.fields
        }


@extend_schema_serializer(component_name="ItemBody")
class ItemChangesBody(ItemBody):
    """Changes of an item, and of further ones."""

    example: ClassVar[dict[str, Any]] = ItemBody.example | {"more": [ItemEntryBody.example]}

    more = ListField(
        child=ItemEntryBody(),
        required=False,
        allow_null=True,
        max_length=MAX_ENTRIES - 1,
        help_text=f"Changes of further items, at most {MAX_ENTRIES - 1}, in any course; all are made, or none.",
    )


@answer(
    Item,
    id="8f2b7c1d-0d3e-4c55-8a51-6a2b9b1f7e02",
    course_id="3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01",
    course_name="Cell Biology",
    **PlainItemBody.example,
    done=False,
    done_at=None,
    status="open",
    worth=12.5,
    days_until=12,
    created_at="2030-09-01T08:30:00.000000Z",
    updated_at="2030-09-01T08:30:00.000000Z",
)
class ItemRow(TypedDict):
    """A dated course item."""

    id: UUID
    course_id: UUID
    course_name: Annotated[str, At("course__name"), "The course's name."]
    title: str
    kind: Annotated[str, open_choice("ItemKind", ItemKind.values), "What sort of item it is; new kinds may be added."]
    due_on: date | None
    due_time: str | None
    category_id: UUID | None
    note: Annotated[
        str | None, "What else to know about it; in lists only its first 200 characters, whole in get_item."
    ]
    done: bool
    done_at: datetime | None
    status: Annotated[
        str,
        FILLED_IN,
        open_choice("ItemStatus", [one.value for one in ItemStatus]),
        "The first that fits: graded, a score names it; done; open, undated or not yet due; past, an exam or "
        "quiz that was, or entered after its date; missed, overdue. New ones may be added.",
    ]
    worth: Annotated[
        float | None,
        "Percent of the course's grade that it counts for, of what is entered so far: the share of its "
        "category's weight, divided by the category's items, or by its scores and open items, whichever are more. It "
        "may change without updated_at when a day passes. Null without a category.",
    ]
    days_until: Annotated[int | None, FILLED_IN, "Days from the member's today to the due date; negative when past."]
    created_at: datetime
    updated_at: datetime


@answer(Item, **example_of(ItemRow), items=[example_of(ItemRow)])
class ChangedItemRow(ItemRow):
    """The item, or the first of several."""

    items: NotRequired[Annotated[list[ItemRow], "Only with more: all, in the order sent."]]


@answer(Course, **example_of(CourseRow), next_items=[example_of(ItemRow)])
class CourseDetailRow(CourseRow):
    """A course with its next dated items and, when asked for, its syllabus text."""

    next_items: Annotated[list[ItemRow], "Up to five dated items, from today on, soonest first."]
    syllabus_text: NotRequired[Annotated[str | None, "Only with include_syllabus=true; may be long."]]
    syllabus_length: NotRequired[
        Annotated[int, "Only with include_syllabus=true: characters of the whole text, 0 without one."]
    ]
