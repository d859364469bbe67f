"""Changes as a limited credential sees them."""

from collections.abc import Mapping
from uuid import UUID

from accounts.changes.contents import Contents, Json
from accounts.changes.models import Change
from accounts.changes.touched import GRADE_TYPES
from accounts.credentials.hidden import GradesHidden, PartHidden
from accounts.credentials.limiting import current_limits

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


def is_wholly_seen(course_id: UUID | None, courses: str) -> bool:
    """Return whether everything that a change touched is within the limits of the current call."""
    allowed = current_limits().courses
    if allowed is None:
        return True
    touched = {*courses.split(), *([course_id.hex] if course_id else ())}
    return bool(touched) and touched <= {one.replace("-", "") for one in allowed}


def is_of_whole_account(operation: str) -> bool:
    """Return whether the limits of the current call forbid it to undo what the operation did to the whole account."""
    return operation in _OF_CALENDARS and current_limits().keep_back


def require_wholly_seen(change: Change) -> None:
    """Refuse to undo a change that the current call sees only in part.

    Raises:
        PartHidden: part of it is outside the limits, or it is about the whole account.
        GradesHidden: it is about hidden grades.
    """
    if is_of_whole_account(change.operation):
        raise PartHidden
    if not is_wholly_seen(change.course_id, change.courses):
        raise PartHidden(_PARTLY_SEEN)
    if not current_limits().grades and (change.grades or change.object_type in GRADE_TYPES):
        raise GradesHidden


def seen_fields(contents: Contents, type_: str, *, is_whole: bool) -> tuple[_Told, _Told]:
    """Return the visible fields before and after.

    Grades are left out if hidden. If part of the change is outside the limits, the other course and the counts of
    dependents are left out too.
    """
    limits = current_limits()
    if not limits.keep_back:
        return contents.told(type_)
    more, counts = (contents.more, contents.counts) if is_whole else ([], {})
    if not limits.grades:
        more = [part for part in more if part.type not in GRADE_TYPES]
        counts = {one: numbers for one, numbers in counts.items() if one not in GRADE_TYPES}
    before, after = Contents(contents.before, contents.after, more, counts).told(type_)
    return _seen(before, is_whole=is_whole), _seen(after, is_whole=is_whole)


def _seen(fields: _Told, *, is_whole: bool) -> _Told:
    if fields is None:
        return None
    limits = current_limits()
    hidden = frozenset() if limits.grades else _OF_GRADES
    seen = {name: value for name, value in fields.items() if name not in hidden}
    if limits.courses is not None and "course_id" in seen:
        seen["course_id"] = seen["course_id"] if seen["course_id"] in limits.courses else None
    if not is_whole:
        seen = {name: value for name, value in seen.items() if not name.endswith("s") or not isinstance(value, int)}
    return seen
