"""School calendars as returned in answers."""

from collections.abc import Iterable
from typing import cast
from uuid import UUID

from planning.calendar.assigning import Courses, LabelRow, assigned, label_rows, load_courses
from planning.calendar.importing import compared_row
from planning.calendar.matching import match
from planning.models import ReadingOutcome, SchoolCalendar, State
from planning.school_calendars.serializers import HeldRow, LastErrorRow, SchoolCalendarDetailRow, SchoolCalendarRow
from planning.school_calendars.taking import NO_COUNTS, source_of
from studyservice.operations.errors import NotFound
from studyservice.registry.data import Maximum
from studyservice.rows.access import Access
from studyservice.rows.rows import Row

CALENDARS = Maximum(
    most=5, what="school calendars", full="You have reached the limit of {most} school calendars. Delete one first."
)


class NoSuchSchoolCalendar(NotFound):
    """The member has no such calendar."""

    default_message = "There is no such school calendar. list_school_calendars gives the ids."


_LISTED = tuple(
    column.attname
    for column in SchoolCalendar._meta.concrete_fields
    if column.attname not in {"reading", "sealed_address"}
)


def stored_calendar(access: Access, calendar_id: UUID) -> Row:
    """The complete calendar.

    Raises:
        NotFound: the member has no such calendar.
    """
    return SchoolCalendar.rows.of(access).get(NoSuchSchoolCalendar, id=calendar_id)


def require_calendar(access: Access, calendar_id: UUID) -> None:
    """Raise NotFound if the member has no such calendar."""
    SchoolCalendar.rows.of(access).get(NoSuchSchoolCalendar, "id", id=calendar_id)


OF_COURSES = ("labels", "choices", "course_id", "last_read_at")
"""The columns that `is_over` needs."""


def is_over(calendar: Row, courses: Courses) -> bool:
    """Return whether the calendar has courses, and all of them have ended. Then it is not read.

    A course that a label matched before it ended is one of them. One that was created since the last reading may be,
    so the calendar is read once more.
    """
    read_at = calendar["last_read_at"]
    if read_at is not None and any(one.created_at > read_at and not one.archived for one in courses.named):
        return False
    labels = {one["label"] for one in calendar["labels"]}
    before = [one._replace(archived=False) for one in courses.named]
    found = {one.id for one in courses.named if one.id == calendar["course_id"]}
    for named in (courses.named, before):
        of_labels = assigned(labels, named, calendar["choices"], calendar["course_id"])
        found |= {course_id for course_id in of_labels.values() if course_id is not None}
    return bool(found) and found <= courses.ended


def calendars_over(access: Access) -> set[UUID]:
    """The calendars that are not read because all their courses have ended. Two queries."""
    courses = load_courses(access)
    calendars = SchoolCalendar.rows.of(access).all(*OF_COURSES)
    return {calendar["id"] for calendar in calendars if is_over(calendar, courses)}


def list_school_calendars(access: Access) -> list[SchoolCalendarRow]:
    """The member's calendars. Two queries."""
    calendars = SchoolCalendar.rows.of(access).all(*_LISTED)
    calendars.sort(key=lambda calendar: (calendar["created_at"], calendar["id"]))
    courses = load_courses(access)
    return [_row(calendar, courses) for calendar in calendars]


def get_school_calendar(access: Access, calendar_id: UUID) -> SchoolCalendarDetailRow:
    """The calendar with its waiting reading. Three queries, or two without one.

    Raises:
        NotFound: the member has no such calendar.
    """
    calendar = stored_calendar(access, calendar_id)
    return detail(access, calendar, load_courses(access, with_items=calendar["answer"] == ReadingOutcome.HELD))


def detail(access: Access, calendar: Row, courses: Courses) -> SchoolCalendarDetailRow:
    """The same for a calendar in memory. One query if a reading is held.

    Args:
        courses: with their items if a reading is held.
    """
    held = _held(access, calendar, courses) if calendar["answer"] == ReadingOutcome.HELD else None
    return {**_row(calendar, courses), "held": held}


def _held(access: Access, calendar: Row, courses: Courses) -> list[HeldRow]:
    source = source_of(calendar, courses)
    found = match(access, source, courses)
    return [{"course_id": course_id, **compared_row(one, source.reading)} for course_id, one in found.items()]


def _row(calendar: Row, courses: Courses) -> SchoolCalendarRow:
    labels = label_rows(calendar["labels"], courses.named, calendar["choices"], calendar["course_id"])
    there = {one.id for one in courses.named}
    computed = {
        "course_id": calendar["course_id"] if calendar["course_id"] in there else None,
        "state": state_of(calendar, labels),
        "labels": labels,
        "last_error": _last_error(calendar),
        "counts": calendar["counts"] or NO_COUNTS,
    }
    return cast(
        "SchoolCalendarRow", {name: calendar.get(name) for name in SchoolCalendarRow.__annotations__} | computed
    )


def _last_error(calendar: Row) -> LastErrorRow | None:
    if not calendar["error_type"] or calendar["error_at"] is None:
        return None
    return {"type": calendar["error_type"], "message": calendar["error_message"], "at": calendar["error_at"]}


def state_of(calendar: Row, labels: Iterable[LabelRow]) -> State:
    """The first state that applies, starting with those that prevent reading."""
    if calendar["stopped"]:
        return State.STOPPED
    if calendar["error_type"]:
        return State.FAILING
    if calendar["answer"] == ReadingOutcome.HELD:
        return State.HELD
    if any(label["course_id"] is None and not label["ignored"] for label in labels):
        return State.UNASSIGNED
    return State.OK
