"""School calendars as returned in answers."""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import QuerySet

from accounts.members.limits import Limit
from accounts.rows.access import Access
from planning.calendar.importing import import_row
from planning.school_calendars.assigning import LabelRow, label_rows
from planning.school_calendars.loading import Courses, load_courses
from planning.school_calendars.models import Answer, SchoolCalendar
from planning.school_calendars.serializers import HeldRow, LastErrorRow, SchoolCalendarDetailRow, SchoolCalendarRow
from planning.school_calendars.states import State
from planning.school_calendars.taking import NO_COUNTS, held_matches, reading_of
from studyservice.database.ahead import update_later
from studyservice.operations.errors import NotFound

CALENDARS = Limit(
    most=5, what="school calendars", full="You have reached the limit of {most} school calendars. Delete one first."
)


class NoSuchSchoolCalendar(NotFound):
    """The member has no such calendar."""

    default_message = "There is no such school calendar. list_school_calendars gives the ids."


def mine(access: Access) -> QuerySet[SchoolCalendar]:
    """The member's calendars, the oldest first."""
    return SchoolCalendar.objects.filter(member_id=access.member.id).order_by("created_at", "id")


def keep(calendar: SchoolCalendar) -> None:
    """Store every column of the calendar, in a statement that names the member."""
    columns = [one.attname for one in SchoolCalendar._meta.concrete_fields if one.attname not in {"id", "member_id"}]
    stored = SchoolCalendar.objects.filter(member_id=calendar.member_id, id=calendar.id)
    update_later(stored, **{name: getattr(calendar, name) for name in columns})


def stored_calendar(access: Access, calendar_id: UUID) -> SchoolCalendar:
    """The complete calendar.

    Raises:
        NotFound: the member has no such calendar.
    """
    calendar = mine(access).filter(id=calendar_id).first()
    if calendar is None:
        raise NoSuchSchoolCalendar
    return calendar


def require_calendar(access: Access, calendar_id: UUID) -> None:
    """Raise NotFound if the member has no such calendar."""
    if not mine(access).filter(id=calendar_id).exists():
        raise NoSuchSchoolCalendar


def list_school_calendars(access: Access) -> list[SchoolCalendarRow]:
    """The member's calendars. Two queries."""
    calendars = list(mine(access).defer("reading", "sealed_address"))
    courses = load_courses(access)
    return [_row(calendar, courses) for calendar in calendars]


def get_school_calendar(access: Access, calendar_id: UUID) -> SchoolCalendarDetailRow:
    """The calendar with its waiting reading. Three queries, or two without one.

    Raises:
        NotFound: the member has no such calendar.
    """
    calendar = stored_calendar(access, calendar_id)
    return detail(access, calendar, load_courses(access, with_items=calendar.answer == Answer.HELD))


def detail(access: Access, calendar: SchoolCalendar, courses: Courses) -> SchoolCalendarDetailRow:
    """The same for a calendar in memory. One query if a reading is held.

    Args:
        courses: with their items if a reading is held.
    """
    held = _held(access, calendar, courses) if calendar.answer == Answer.HELD else None
    return {**_row(calendar, courses), "held": held}


def _held(access: Access, calendar: SchoolCalendar, courses: Courses) -> list[HeldRow]:
    reading = reading_of(calendar)
    rows: list[HeldRow] = []
    for course_id, one in held_matches(access, calendar, courses).items():
        row = import_row(one.comparison, reading, [], dry_run=True)
        rows.append(
            {
                "course_id": course_id,
                "new": row["new"],
                "changed": row["changed"],
                "kept": row["kept"],
                "gone": row["gone"],
                "unchanged": row["unchanged"],
                "skipped": row["skipped"],
            }
        )
    return rows


def _row(calendar: SchoolCalendar, courses: Courses) -> SchoolCalendarRow:
    labels = label_rows(calendar.labels, courses.named, calendar.choices, calendar.course_id)
    there = {one.id for one in courses.named}
    return {
        "id": calendar.id,
        "name": calendar.name,
        "host": calendar.host,
        "address_end": calendar.address_end,
        "course_id": calendar.course_id if calendar.course_id in there else None,
        "paused": calendar.paused,
        "state": state_of(calendar, labels),
        "labels": labels,
        "last_read_at": calendar.last_read_at,
        "last_changed_at": calendar.last_changed_at,
        "last_error": _last_error(calendar),
        "next_read_at": calendar.next_read_at,
        "counts": calendar.counts or NO_COUNTS,
        "created_at": calendar.created_at,
    }


def _last_error(calendar: SchoolCalendar) -> LastErrorRow | None:
    if not calendar.error_type or calendar.error_at is None:
        return None
    return {"type": calendar.error_type, "message": calendar.error_message, "at": calendar.error_at}


def state_of(calendar: SchoolCalendar, labels: Iterable[LabelRow]) -> State:
    """The first state that applies, starting with those that prevent reading."""
    if calendar.stopped:
        return State.STOPPED
    if calendar.error_type:
        return State.FAILING
    if calendar.answer == Answer.HELD:
        return State.HELD
    if any(label["course_id"] is None and not label["ignored"] for label in labels):
        return State.UNASSIGNED
    return State.OK
