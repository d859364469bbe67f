"""A new version of a course's syllabus: new, moved and gone items, and applying the approved changes."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast
from uuid import UUID

from accounts.rows.access import Access, change
from courses.approval import Applied, Approve, Approved, ReviewRow, State
from courses.courses import change_course
from courses.item_batches import add_items
from courses.items import change_items, delete_items, items_of
from courses.serializers import CourseFields, ItemFields, ItemRow
from courses.syllabus_rows import general_cautions, version_rows
from courses.uploads.proposals import proposal_of, remembered_course
from studyservice.operations.errors import Conflict

_ATTEMPTS = 3
"""Number of attempts at one call, each of which another write can invalidate."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version compared with the current course.

    Attributes:
        there: the existing items of the course.
        rows: changes of them, and new items.
        cautions: general warnings.
    """

    there: list[ItemRow]
    rows: list[ReviewRow]
    cautions: list[str]

    @property
    def same(self) -> int:
        """The number of unchanged items."""
        return len(self.there) - sum(row.item_id is not None for row in self.rows)


def version_of(access: Access, course_id: UUID, text: str | None, model_answer: str = "") -> Version:
    """Parse a version and compare it. This takes up to two seconds of CPU, so it must run outside of a transaction.

    With the stored answer of the model, the rows are the model's.
    """
    there = items_of(access, course_id)
    proposal = proposal_of(access, text, remembered_course(access, course_id), model_answer)
    return Version(there, version_rows(proposal, there), general_cautions(proposal))


def apply_syllabus(
    access: Access,
    course_id: UUID,
    approve: Approve,
    *,
    text: str | None,
    syllabus_id: UUID | None = None,
    model_answer: str = "",
) -> Applied:
    """Store the version for the course and apply the approved rows: all or nothing.

    Args:
        text: of the version.
        syllabus_id: its upload, which becomes a file of the course.
        model_answer: the stored answer of the model, if the rows are the model's.

    Raises:
        NotFound: the member has no such course.
        ValidationFailed: the upload does not exist or has expired.
        Conflict: there would be too many items or files.
    """
    for _ in range(_ATTEMPTS):
        version = version_of(access, course_id, text, model_answer)
        with change(access, "apply_syllabus"):
            if items_of(access, course_id) == version.there:
                return _apply(access, course_id, approve(version.rows), _changes(text, syllabus_id))
    raise Conflict("The course is being changed at this moment. Send the table again.")


def _changes(text: str | None, syllabus_id: UUID | None) -> CourseFields:
    changes: CourseFields = {}
    if text is not None:
        changes["syllabus_text"] = text
    if syllabus_id is not None:
        changes["syllabus_id"] = syllabus_id
    return changes


def _apply(access: Access, course_id: UUID, approved: Sequence[Approved], changes: CourseFields) -> Applied:
    change_course(access, course_id, changes)
    of_state: defaultdict[State, list[Approved]] = defaultdict(list)
    for one in approved:
        of_state[one.row.state].append(one)
    moved = [(one.row.item_id, cast("ItemFields", one.item)) for one in of_state[State.MOVED] if one.row.item_id]
    deleted = delete_items(access, course_id, [one.row.item_id for one in of_state[State.GONE] if one.row.item_id])
    made = add_items(access, course_id, [one.item for one in of_state[State.NEW]])
    return Applied(len(made), change_items(access, course_id, moved), deleted)
