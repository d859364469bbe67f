"""Requests and answers of the operations on syllabus files."""

from datetime import date, datetime
from typing import Any, ClassVar, NotRequired, TypedDict
from uuid import UUID

from rest_framework import serializers

from courses.entry_serializers import WarningRecord, WarningRow
from courses.model_reading.readings import READERS, RULES, STATES, ModelReadingRow
from courses.models import MAX_SYLLABUS_CHARACTERS, Course, Item, ItemKind, SyllabusFile
from courses.parameters import SyllabusPartQuery
from courses.serializers import COURSE_TEXTS, CourseBody
from courses.syllabi.evidence import Evidence
from studyservice.operations.fields import ChoiceField, IdField, OpenChoiceField, StringField
from studyservice.operations.query_fields import QueryBooleanField
from studyservice.operations.serializers import Body, Record

_COMPARED = "A course of the member's to compare the proposal with; nothing is attached to it."


class SyllabusBody(Body):
    """The text of a syllabus, instead of a file."""

    example: ClassVar[dict[str, Any]] = {
        "text": "BIO 210 Cell Biology, Fall 2030\n\nTue, Dec 3: midterm exam",
        "reader": RULES,
    }

    text = StringField(max_length=MAX_SYLLABUS_CHARACTERS, help_text="The whole text, up to 500,000 characters.")
    course_id = IdField(required=False, allow_null=True, help_text=_COMPARED)
    reader = ChoiceField(
        choices=READERS,
        default=RULES,
        help_text="rules, or model to send the text to the operator's language model as well, in the background.",
    )


class SyllabusColumns(TypedDict):
    """The columns of a `SyllabusRecord`."""

    id: UUID
    course_id: UUID | None
    filename: str
    media_type: str
    size: int
    pages: int | None
    characters: int
    text_status: str
    created_at: datetime
    expires_at: datetime | None


class SyllabusRow(SyllabusColumns):
    """A `SyllabusRecord`."""

    model: ModelReadingRow | None


class ModelReadingRecord(Record):
    """The reading of a file by a language model."""

    example: ClassVar[dict[str, Any]] = {"state": "ready", "error": None}

    state = serializers.ChoiceField(
        choices=STATES, help_text="reading: wait and get it again; ready: its proposal is the model's; failed."
    )
    error = serializers.CharField(allow_null=True, help_text="Why it failed; null where it did not.")


class SyllabusRecord(Record):
    """A file of a syllabus."""

    example: ClassVar[dict[str, Any]] = {
        "id": "b7c1e0d2-4f5a-4c3b-9e8d-7a6b5c4d3e05",
        "course_id": None,
        "filename": "BIO 210 syllabus.pdf",
        "media_type": "application/pdf",
        "size": 148213,
        "pages": 6,
        "characters": 14820,
        "text_status": "read",
        "created_at": "2030-11-21T08:30:00.000000Z",
        "expires_at": "2030-11-22T08:30:00.000000Z",
        "model": None,
    }

    computed: ClassVar[tuple[str, ...]] = ("model",)

    model = ModelReadingRecord(
        allow_null=True, help_text="Its reading by a language model; null where none was asked for."
    )

    class Meta:
        model = SyllabusFile
        fields = (
            *("id", "course_id", "filename", "media_type", "size", "pages", "characters"),
            *("text_status", "created_at", "expires_at"),
        )


class ProposedCourseRow(TypedDict):
    """A `ProposedCourseRecord`."""

    name: str | None
    code: str | None
    term: str | None
    meets: str | None
    institution: str | None
    subject: str | None


class ProposedCourseRecord(Record):
    """The course as its syllabus calls it; null where that does not say."""

    example: ClassVar[dict[str, Any]] = CourseBody.example | {"term": "Fall 2030"}

    class Meta:
        model = Course
        fields = COURSE_TEXTS
        extra_kwargs: ClassVar[dict[str, Any]] = {"name": {"allow_null": True}, "term": {"allow_null": True}}


class ProposedItemRow(TypedDict):
    """A `ProposedItemRecord`."""

    title: str
    kind: str
    due_on: date | None
    line: int | None
    quote: str | None
    confidence: float | None
    doubt: str | None
    match: str
    item_id: UUID | None
    evidence: str | None


class ProposedItemRecord(Record):
    """An item that the text may mean; for the member to approve."""

    example: ClassVar[dict[str, Any]] = {
        "title": "Midterm exam",
        "kind": "exam",
        "due_on": "2030-12-03",
        "line": 42,
        "quote": "Tue, Dec 3: midterm exam",
        "confidence": 0.9,
        "doubt": None,
        "match": "moved",
        "item_id": "8f2b7c1d-0d3e-4c55-8a51-6a2b9b1f7e02",
        "evidence": None,
    }

    kind = OpenChoiceField(
        "ItemKind", choices=ItemKind.values, help_text="What sort of item it is; new kinds may be added."
    )
    due_on = serializers.DateField(allow_null=True, help_text="Due date; null where the text leaves it open.")
    line = serializers.IntegerField(
        allow_null=True, help_text="Its line of the text, from 1; null for one that is gone."
    )
    quote = serializers.CharField(allow_null=True, help_text="That line; null for one that is gone.")
    confidence = serializers.FloatField(
        allow_null=True, help_text="From 0 to 1, how sure the reading is; from 0.8 on it may be taken as it is."
    )
    doubt = serializers.CharField(
        allow_null=True,
        help_text='Why the confidence is below 0.8, such as "no deadline word" or "two dates"; null where it is not.',
    )
    match = serializers.ChoiceField(
        choices=["new", "same", "moved", "gone"],
        help_text="Beside the items of the course: new; same; moved, with the new date; gone, an item of the course "
        "that the text has no more.",
    )
    item_id = serializers.UUIDField(allow_null=True, help_text="The item of the course; null for a new one.")
    evidence = serializers.ChoiceField(
        choices=[Evidence.CONFIRMED.value, Evidence.INFERRED.value, Evidence.CONTRADICTED.value],
        allow_null=True,
        help_text="Of a row of the model. confirmed: its date stands there; inferred: its week or weekday does, or "
        "nothing; contradicted: another date or weekday does. Null in a row of the rules.",
    )

    class Meta:
        model = Item
        fields = ("title",)


class ProposedCategoryRow(TypedDict):
    """A `ProposedCategoryRecord`."""

    name: str
    weight: float
    line: int
    evidence: str | None
    doubt: str | None


class ProposedCategoryRecord(Record):
    """A category of the grade that the text names."""

    example: ClassVar[dict[str, Any]] = {
        "name": "Quizzes",
        "weight": 20,
        "line": 17,
        "evidence": None,
        "doubt": None,
    }

    name = serializers.CharField(help_text="The category's name.")
    weight = serializers.FloatField(help_text="Its weight, in percent.")
    line = serializers.IntegerField(
        help_text="Its line of the text, from 1; 0 for one of the model that the text does not name."
    )
    evidence = serializers.ChoiceField(
        choices=[Evidence.CONFIRMED.value, Evidence.NOT_FOUND.value],
        allow_null=True,
        help_text="Of a row of the model. confirmed: its lines have its weight; not_found: they do not. Null in a row "
        "of the rules.",
    )
    doubt = serializers.CharField(allow_null=True, help_text="Why it is not_found; null where it is not.")


class ProposalRow(TypedDict):
    """A `ProposalRecord`."""

    course: ProposedCourseRow
    items: list[ProposedItemRow]
    grade_categories: list[ProposedCategoryRow]
    warnings: list[WarningRow]
    reader: str


class ProposalRecord(Record):
    """The proposal of a syllabus text. Nothing of it is stored."""

    example: ClassVar[dict[str, Any]] = {
        "course": ProposedCourseRecord.example,
        "items": [ProposedItemRecord.example],
        "grade_categories": [ProposedCategoryRecord.example],
        "warnings": [WarningRecord.example],
        "reader": RULES,
    }

    course = ProposedCourseRecord(help_text="The course.")
    items = ProposedItemRecord(many=True, help_text="Its items, at most 300, and those of the course that are gone.")
    grade_categories = ProposedCategoryRecord(many=True, help_text="The categories of its grade, at most 50.")
    warnings = WarningRecord(many=True, help_text="What the member should look at again.")
    reader = serializers.ChoiceField(
        choices=READERS, help_text="Who read it: the service's rules, or the operator's language model."
    )


class SyllabusDetailRow(SyllabusRow):
    """A `SyllabusDetailRecord`."""

    proposal: ProposalRow
    text: NotRequired[str | None]


class SyllabusDetailRecord(SyllabusRecord):
    """A syllabus file with its proposal and, on request, its text."""

    example: ClassVar[dict[str, Any]] = SyllabusRecord.example | {"proposal": ProposalRecord.example}

    computed: ClassVar[tuple[str, ...]] = (*SyllabusRecord.computed, "proposal", "text")

    proposal = ProposalRecord(help_text="What it proposes, read anew for each answer.")
    text = serializers.CharField(
        allow_null=True, required=False, help_text="Only with include_text=true: its text, or the part asked for."
    )


class SyllabusQuery(SyllabusPartQuery):
    """Parameters of get_syllabus."""

    includes_by = "include_text"

    include_text = QueryBooleanField(default=False, help_text="Whether to answer the text too.")
    course_id = IdField(required=False, help_text="A course to compare the proposal with, instead of its own.")
    reader = ChoiceField(
        choices=READERS,
        required=False,
        help_text="rules for what they found. Otherwise it is the model's proposal once that is ready.",
    )
