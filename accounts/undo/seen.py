"""Changes as a limited credential sees them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.core.exceptions import FullResultSet
from django.db.models import BooleanField, Func, Q

from accounts.changes.contents import Contents, Json
from accounts.changes.recording import GRADE_TYPES
from accounts.credentials.limits import GradesHidden, Limits, PartHidden
from accounts.rows.seen import SEEN_AS, GradesSeen, InCourses
from studyservice.database.statements import Param

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
