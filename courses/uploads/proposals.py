"""Proposals from the text of an upload, compared with the items of a course."""

import tempfile
from datetime import date
from typing import Any, TypedDict, cast
from uuid import UUID

from courses.entry_serializers import WarningRow
from courses.model_reading.proposing import proposed, question
from courses.model_reading.readings import RULES
from courses.models import Course, Item
from courses.serializers import COURSE_TEXTS
from courses.syllabi.comparison import Stored
from courses.uploads.rows import charged
from courses.uploads.serializers import ProposalRow
from studyservice.database.statements import Param
from studyservice.operations.errors import ValidationFailed
from studyservice.reading.decoding import REPLACED
from studyservice.reading.process import read_in_child
from studyservice.rows.access import Access, MemberSelect

MOST_READ_HERE = 40_000
"""Maximum number of characters parsed in this process, which takes a sixth of a second of CPU. Most syllabi are
shorter.
"""

_READER = "courses.model_reading.proposing.read"


MOST_ROW_COST = 200
"""Characters that take as long as one row of a model's answer, which is searched in the text."""


class Comparison(TypedDict):
    """The course to compare a proposal with."""

    id: UUID
    term: str
    syllabus_text: str | None


class _StoredRow(TypedDict):
    id: UUID
    title: str
    due_on: date | None
    kind: str
    due_time: str | None


_COURSE = MemberSelect(
    Course.rows.declared.filter(id=Param("course_id")).order_by(),
    Comparison,
)
_ITEMS = MemberSelect(
    Item.rows.declared.filter(course_id=Param("course_id")).order_by("due_on", "created_at", "id"),
    _StoredRow,
)


def compared_course(access: Access, course_id: UUID | None) -> Comparison | None:
    """The given course to compare with, or None.

    Raises:
        ValidationFailed: it is not a course of the member.
    """
    found = remembered_course(access, course_id)
    if course_id is not None and found is None:
        raise ValidationFailed.of("course_id", "There is no such course. list_courses gives the ids.")
    return found


def remembered_course(access: Access, course_id: UUID | None) -> Comparison | None:
    """The same for a course given earlier, which may have been deleted."""
    return None if course_id is None else _COURSE.first(access, course_id=course_id)


def proposal_of(access: Access, text: str | None, course: Comparison | None, model_answer: str = "") -> ProposalRow:
    """The proposal: by the model if its stored answer is given, else by rules. Empty without text, or with a warning
    if it would take too long.

    Must not be called inside a transaction: a long text is parsed in the child process.

    Raises:
        ReadingBusy: the text is long, and other files are being read.
    """
    if text is None:
        return _empty([])
    stored = [] if course is None else [Stored(**row) for row in _ITEMS.all(access, course_id=course["id"])]
    today, term = access.today(), None if course is None else course["term"]
    before = course["syllabus_text"] if course and stored else None
    asked = (text, before, stored, model_answer)
    if len(text) + len(before or "") + MOST_ROW_COST * model_answer.count('["') > MOST_READ_HERE:
        proposal = _by_child(access, question(*asked, today=today, term=term))
    else:
        proposal = _row(proposed(*asked, today=today, term=term))
    if lost := text.count(REPLACED):
        proposal["warnings"].append(_unreadable(lost))
    return proposal


def _by_child(access: Access, asked: bytes) -> ProposalRow:
    with tempfile.TemporaryFile() as file:
        file.write(asked)
        file.flush()
        outcome = read_in_child(_READER, file, charged=charged(access))
    if outcome.complete:
        return _row(outcome.found["proposal"])
    message = "The text takes too long to propose from. Send the part with the dates, or let an assistant read it."
    return _empty([{"type": "too_long", "message": message, "index": None}])


def _unreadable(lost: int) -> WarningRow:
    characters = "1 character" if lost == 1 else f"{lost} characters"
    message = (
        f"{characters} could not be read: {REPLACED} is in the place of each. Check the words and dates around it."
    )
    return {"type": "unreadable_characters", "message": message, "index": None}


def _empty(warnings: list[WarningRow]) -> ProposalRow:
    return _row({"course": {}, "items": [], "grade_categories": [], "warnings": warnings, "reader": RULES})


def _row(found: dict[str, Any]) -> ProposalRow:
    """A `Proposal` as a dictionary. From the child process, dates and ids are text.

    Course fields that the parser does not read are null.
    """
    found["course"] = {name: found["course"].get(name) for name in COURSE_TEXTS}
    for item in found["items"]:
        if isinstance(item["due_on"], str):
            item["due_on"] = date.fromisoformat(item["due_on"])
        if isinstance(item["item_id"], str):
            item["item_id"] = UUID(item["item_id"])
    return cast("ProposalRow", found)
