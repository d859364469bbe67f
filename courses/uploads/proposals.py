"""What the text of an upload proposes, compared with the items of a course, as it is answered."""

from dataclasses import asdict
from datetime import date
from typing import TypedDict, cast
from uuid import UUID

from accounts.models import Member
from courses.models import Course, Item
from courses.syllabi.comparison import Stored
from courses.syllabi.proposal import propose
from courses.syllabi.reader import Syllabus
from courses.uploads.serializers import ProposalRow, ProposedCategoryRow, ProposedCourseRow, ProposedItemRow
from studyservice.database.statements import Param, Select
from studyservice.operations.errors import ValidationFailed


class Comparison(TypedDict):
    """The course that a proposal is compared with."""

    id: UUID
    term: str


class _StoredRow(TypedDict):
    id: UUID
    title: str
    due_on: date | None
    kind: str


_COURSE = Select[Comparison](
    Course.objects.filter(member_id=Param("member_id"), id=Param("course_id")).order_by(),
    {name: name for name in Comparison.__annotations__},
)
_ITEMS = Select[_StoredRow](
    Item.objects.filter(member_id=Param("member_id"), course_id=Param("course_id")).order_by(
        "due_on", "created_at", "id"
    ),
    {name: name for name in _StoredRow.__annotations__},
)


def compared_course(member: Member, course_id: UUID | None) -> Comparison | None:
    """The course to compare with, that somebody names; None if nobody does.

    Raises:
        ValidationFailed: it is no course of the member's.
    """
    found = remembered_course(member, course_id)
    if course_id is not None and found is None:
        raise ValidationFailed.of("course_id", "There is no such course. list_courses gives the ids.")
    return found


def remembered_course(member: Member, course_id: UUID | None) -> Comparison | None:
    """The same of one that was named earlier, and may be gone."""
    return None if course_id is None else _COURSE.first(member_id=member.id, course_id=course_id)


def proposal_of(member: Member, text: str | None, course: Comparison | None) -> ProposalRow:
    """The proposal; an empty one where there is no text.

    A text of 500,000 characters takes two seconds of CPU, so it is no part of a transaction.
    """
    if text is None:
        return {
            "course": dict.fromkeys(ProposedCourseRow.__annotations__),  # type: ignore[typeddict-item]  # all null
            "items": [],
            "grade_categories": [],
            "warnings": [],
        }
    stored = (
        [] if course is None else [Stored(**row) for row in _ITEMS.all(member_id=member.id, course_id=course["id"])]
    )
    syllabus = Syllabus.of(text, today=member.today(), term=None if course is None else course["term"])
    found = propose(syllabus, stored)
    return {
        "course": cast("ProposedCourseRow", asdict(found.course)),
        "items": [cast("ProposedItemRow", asdict(item)) for item in found.items],
        "grade_categories": [cast("ProposedCategoryRow", asdict(one)) for one in found.grade_categories],
        "warnings": [{"type": one.type, "message": one.message, "index": one.index} for one in found.warnings],
    }
