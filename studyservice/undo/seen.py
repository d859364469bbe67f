"""Changes as a credential sees them, and which of them can be undone."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.core.exceptions import FullResultSet
from django.db.models import BooleanField, Func, Q

from studyservice.changes.contents import UNDOABLE_FOR, ChangeRow, Contents, Json, as_words, model_of
from studyservice.changes.recording import GRADE_TYPES
from studyservice.database.statements import Param
from studyservice.rows.limits import GradesHidden, Limits, PartHidden
from studyservice.rows.seen import SEEN_AS, GradesSeen, InCourses
from studyservice.undo.version_0_6 import unknown_field

_PARTLY_SEEN = (
    "This change also touches courses that this credential does not see. The member can undo it on the page /activity."
)
_OF_CALENDARS = frozenset(
    {"add_school_calendar", "update_school_calendar", "delete_school_calendar", "read_school_calendar"}
)
"""Operations in the log whose undo a limited credential may not call, like the operations on school calendars."""

_OF_GRADES = frozenset({"category_id", "categories", "grade_categories", "grade_scores"})
"""Fields and counts that reveal grades."""

_Told = Mapping[str, Json] | None

DONE = "This change was already undone."
_INSTEAD = "Change it back by hand, or ask your assistant to."
TOO_OLD = f"Changes can be undone for {UNDOABLE_FOR.days} days. {_INSTEAD}"
NOTHING_CHANGED = "This change has nothing to undo."
IS_UNDO = "An undo cannot be undone. Make the change again instead."
FILES = "Deleted files cannot be restored. Upload them again."
IMPORT = "An import cannot be undone. Delete its courses and decks instead."
SCHOOL_CALENDAR = "Deleting a calendar cannot be undone. Add it again."
NOT_KEPT = f"This can no longer be undone. {_INSTEAD}"

_NEVER = {"undo_change": IS_UNDO, "import_data": IMPORT, "delete_school_calendar": SCHOOL_CALENDAR}
"""Operations that cannot be undone, whatever they changed."""


class _NamesCourse(Func):
    """Whether the column `courses` has the token of an allowed course. True in forms that see all courses."""

    output_field = BooleanField()

    def as_sql(self, compiler: Any, connection: Any, *args: Any, **kwargs: Any) -> Any:
        if SEEN_AS.get().courses == "all":
            raise FullResultSet
        sql, params = compiler.compile(*self.get_source_expressions())
        if connection.vendor == "sqlite":
            named = f"EXISTS (SELECT 1 FROM json_each(%s) j WHERE INSTR({sql}, j.value) > 0)"  # noqa: S608 # nosec
            return named, (Param("tokens"), *params)
        return f"STRING_TO_ARRAY({sql}, ' ') && %s::text[]", (*params, Param("tokens"))


def seen_changes() -> Q:
    """Return the condition on changes that touched an allowed course, and no hidden grades."""
    touched = Q(InCourses("course_id")) | Q(_NamesCourse("courses"))
    # Only a course's own changes reveal its name.
    named = ~Q(object_type="course") | Q(InCourses("course_id"))
    about_grades = Q(grades=True) | Q(object_type__in=sorted(GRADE_TYPES)) | Q(operation="set_grade_categories")
    return touched & named & (Q(GradesSeen()) | ~about_grades)


def is_wholly_seen(limits: Limits, course_id: UUID | None, courses: str) -> bool:
    """Return whether everything that a change touched is within the limits."""
    if limits.courses is None:
        return True
    touched = {*courses.split(), *([course_id.hex] if course_id else ())}
    return bool(touched) and touched <= {one.replace("-", "") for one in limits.courses}


def is_of_whole_account(limits: Limits, operation: str) -> bool:
    """Return whether the limits forbid undoing what the operation did to the whole account."""
    return operation in _OF_CALENDARS and limits.keep_back


def require_wholly_seen(limits: Limits, change: Mapping[str, Any]) -> None:
    """Refuse to undo a change that is seen only in part.

    Args:
        change: its row of the log.

    Raises:
        PartHidden: part of it is outside the limits, or it is about the whole account.
        GradesHidden: it is about hidden grades.
    """
    if is_of_whole_account(limits, change["operation"]):
        raise PartHidden
    if not is_wholly_seen(limits, change["course_id"], change["courses"]):
        raise PartHidden(_PARTLY_SEEN)
    if not limits.grades and (change["grades"] or change["object_type"] in GRADE_TYPES):
        raise GradesHidden


def seen_fields(limits: Limits, contents: Contents, type_: str, *, is_whole: bool) -> tuple[_Told, _Told]:
    """Return the visible fields before and after.

    Grades are left out if hidden. If part of the change is outside the limits, the other course and the counts of
    dependents are left out too.
    """
    if not limits.keep_back:
        return contents.told(type_)
    counts = contents.counts if is_whole else {}
    if not limits.grades:
        counts = {one: numbers for one, numbers in counts.items() if one not in GRADE_TYPES}
    before, after = replace(contents, counts=counts).told(type_)
    return _seen(limits, before, is_whole=is_whole), _seen(limits, after, is_whole=is_whole)


def _seen(limits: Limits, fields: _Told, *, is_whole: bool) -> _Told:
    if fields is None:
        return None
    hidden = frozenset() if limits.grades else _OF_GRADES
    seen = {name: value for name, value in fields.items() if name not in hidden}
    if limits.courses is not None and "course_id" in seen:
        seen["course_id"] = seen["course_id"] if seen["course_id"] in limits.courses else None
    if not is_whole:
        seen = {name: value for name, value in seen.items() if not name.endswith("s") or not isinstance(value, int)}
    return seen


def why_not(change: Mapping[str, Any], contents: Contents, now: datetime) -> str | None:
    """Return why a change can never be undone, whatever happened since; None if it may be.

    Args:
        change: columns of its row in the log.
        now: the true time.
    """
    if change["undone_at"] is not None:
        return DONE
    if change["operation"] in _NEVER:
        return _NEVER[change["operation"]]
    if not change["undoable"] and not contents.has_stream:
        return _not_kept(change["object_type"], contents)
    if change["created_at"] <= now - UNDOABLE_FOR:
        return TOO_OLD
    for type_ in (change["object_type"], *(other for other, *_ in contents.more)):
        if model_of(type_) is None:
            return f"A change of a {as_words(type_)} cannot be undone. {_INSTEAD}"
    name = None if contents.has_stream else unknown_field(contents, change["object_type"])
    return None if name is None else f"A change of {name} cannot be undone. {_INSTEAD}"


def told_why_not(change: ChangeRow, now: datetime) -> str:
    """Return the same for a change in an answer. Empty if it may be undone."""
    if change["undoable"]:
        return ""
    if change["undone_at"] is not None:
        return DONE
    if change["operation"] in _NEVER:
        return _NEVER[change["operation"]]
    if change["before"] is None and change["after"] is None:
        return NOTHING_CHANGED
    if change["object"]["type"] == "syllabus_file":
        return FILES
    return TOO_OLD if change["created_at"] <= now - UNDOABLE_FOR else NOT_KEPT


def _not_kept(object_type: str, contents: Contents) -> str:
    if contents.before is None and contents.after is None:
        return NOTHING_CHANGED
    return FILES if object_type == "syllabus_file" else NOT_KEPT
