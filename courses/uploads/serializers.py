"""Requests and answers of the operations on syllabus files."""

from datetime import date, datetime
from typing import Annotated, Any, ClassVar, NotRequired, TypedDict
from uuid import UUID

from courses.entry_serializers import WarningRow
from courses.model_reading.readings import READERS, RULES, ModelReadingRow
from courses.models import MAX_SYLLABUS_CHARACTERS, Course, Item, ItemKind, SyllabusFile
from courses.parameters import SyllabusPartQuery
from courses.serializers import PlainCourseBody
from courses.syllabi.evidence import Evidence
from studyservice.database.rows import FILLED_IN
from studyservice.operations.answers import answer, example_of, one_of, open_choice
from studyservice.operations.fields import ChoiceField, IdField, StringField
from studyservice.operations.query_fields import QueryBooleanField
from studyservice.operations.serializers import Body

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


@answer(
    SyllabusFile,
    id="b7c1e0d2-4f5a-4c3b-9e8d-7a6b5c4d3e05",
    course_id=None,
    filename="BIO 210 syllabus.pdf",
    media_type="application/pdf",
    size=148213,
    pages=6,
    characters=14820,
    text_status="read",
    created_at="2030-11-21T08:30:00.000000Z",
    expires_at="2030-11-22T08:30:00.000000Z",
    model=None,
)
class SyllabusRow(TypedDict):
    """A file of a syllabus."""

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
    model: Annotated[
        ModelReadingRow | None, FILLED_IN, "Its reading by a language model; null where none was asked for."
    ]


@answer(Course, **(PlainCourseBody.example | {"term": "Fall 2030"}))
class ProposedCourseRow(TypedDict):
    """The course as its syllabus calls it; null where that does not say."""

    name: str | None
    code: str | None
    term: str | None
    meets: str | None
    institution: str | None
    subject: str | None


@answer(
    Item,
    title="Midterm exam",
    kind="exam",
    due_on="2030-12-03",
    due_time=None,
    line=42,
    quote="Tue, Dec 3: midterm exam",
    confidence=0.9,
    doubt=None,
    match="moved",
    item_id="8f2b7c1d-0d3e-4c55-8a51-6a2b9b1f7e02",
    evidence=None,
    category="Exams",
)
class ProposedItemRow(TypedDict):
    """An item that the text may mean; for the member to approve."""

    title: str
    kind: Annotated[str, open_choice("ItemKind", ItemKind.values), "What sort of item it is; new kinds may be added."]
    due_on: Annotated[date | None, "Due date; null where the text leaves it open."]
    due_time: Annotated[str | None, "Its time, HH:MM; null where its line or cell has none."]
    line: Annotated[int | None, "Its line of the text, from 1; null for one that is gone."]
    quote: Annotated[str | None, "That line; null for one that is gone."]
    confidence: Annotated[float | None, "From 0 to 1, how sure the reading is; from 0.8 on it may be taken as it is."]
    doubt: Annotated[
        str | None, 'Why the confidence is below 0.8, such as "no deadline word" or "two dates"; null where it is not.'
    ]
    match: Annotated[
        str,
        one_of(["new", "same", "moved", "gone"]),
        "Beside the items of the course: new; same; moved, with the new date; gone, an item of the course "
        "that the text has no more.",
    ]
    item_id: Annotated[
        UUID | None,
        "The item of the course; null for a new one, or one that is the same as in the course's text and was deleted.",
    ]
    evidence: Annotated[
        str | None,
        one_of([Evidence.CONFIRMED.value, Evidence.INFERRED.value, Evidence.CONTRADICTED.value]),
        "Of a row of the model. confirmed: its date stands there; inferred: its week or weekday does, or "
        "nothing; contradicted: another date or weekday does. Null in a row of the rules.",
    ]
    category: Annotated[str | None, "A name of grade_categories; null where none fits, or for one that is gone."]


@answer(name="Exams", weight=80, line=17, evidence=None, doubt=None, drop_lowest=0)
class ProposedCategoryRow(TypedDict):
    """A category of the grade that the text names."""

    name: Annotated[str, "The category's name."]
    weight: Annotated[float, "Its weight, in percent."]
    line: Annotated[int, "Its line of the text, from 1; 0 for one of the model that the text does not name."]
    evidence: Annotated[
        str | None,
        one_of([Evidence.CONFIRMED.value, Evidence.NOT_FOUND.value]),
        "Of a row of the model. confirmed: its lines have its weight; not_found: they do not. Null in a row "
        "of the rules.",
    ]
    doubt: Annotated[str | None, "Why it is not_found; null where it is not."]
    drop_lowest: Annotated[int, "How many of its lowest scores do not count, as far as the text says so."]


@answer(
    course=example_of(ProposedCourseRow),
    items=[example_of(ProposedItemRow)],
    grade_categories=[example_of(ProposedCategoryRow)],
    warnings=[example_of(WarningRow)],
    reader=RULES,
)
class ProposalRow(TypedDict):
    """The proposal of a syllabus text. Nothing of it is stored."""

    course: Annotated[ProposedCourseRow, "The course."]
    items: Annotated[list[ProposedItemRow], "Its items, at most 300, and those of the course that are gone."]
    grade_categories: Annotated[list[ProposedCategoryRow], "The categories of its grade, at most 50."]
    warnings: Annotated[list[WarningRow], "What the member should look at again."]
    reader: Annotated[str, one_of(READERS), "Who read it: the service's rules, or the operator's language model."]


@answer(SyllabusFile, **example_of(SyllabusRow), proposal=example_of(ProposalRow))
class SyllabusDetailRow(SyllabusRow):
    """A syllabus file with its proposal and, on request, its text."""

    proposal: Annotated[ProposalRow, "What it proposes, read anew for each answer."]
    text: NotRequired[Annotated[str | None, "Only with include_text=true: its text, or the part asked for."]]


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
