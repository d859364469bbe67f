"""Adding, changing, refreshing, answering and deleting school calendars."""

from typing import TypedDict, Unpack
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from planning.calendar.assigning import IGNORED, Courses, LabelRow, ask_for_courses, label_rows, load_courses
from planning.models import ReadingOutcome, SchoolCalendar
from planning.school_calendars.addresses import Address, parse_address, require_new, sealed
from planning.school_calendars.fetching import Asked, ask, slot
from planning.school_calendars.rows import (
    CALENDARS,
    NoSuchSchoolCalendar,
    detail,
    get_school_calendar,
    is_over,
    stored_calendar,
)
from planning.school_calendars.schedule import forget_due, next_after, set_due
from planning.school_calendars.serializers import SchoolCalendarDetailRow
from planning.school_calendars.taking import store, store_in, take_held, take_labels
from studyservice.changes.contents import Fields
from studyservice.fetching.guarded import Validators
from studyservice.operations.errors import Conflict, ValidationFailed
from studyservice.operations.serializers import DeletedRow, deletion
from studyservice.rates.limiter import Rate, require_rate
from studyservice.rows.access import Access, change
from studyservice.rows.rows import Row
from studyservice.server.signals import calendar_read

OFF = "The operator of this service has turned off school calendars."
NOTHING_HELD = "Nothing of this calendar waits for an answer. get_school_calendar tells what does."
ALL_ENDED = (
    "All courses of this calendar have ended, so it is not read. Reopen one, or give the calendar another course."
)
_NOT_YOURS = "Not one of your courses. list_courses lists the ids."


class SchoolCalendarChanges(TypedDict, total=False):
    """The fields of a `SchoolCalendarUpdateBody`."""

    name: str
    course_id: UUID | None
    paused: bool
    courses: Fields


def require_on() -> None:
    """Raise Conflict if the operator has disabled school calendars."""
    if not settings.SCHOOL_CALENDARS:
        raise Conflict(OFF)


def add_school_calendar(
    access: Access, *, url: str, name: str | None = None, course_id: UUID | None = None, accept: bool = False
) -> SchoolCalendarDetailRow:
    """Add a calendar and read it at once. If reading fails, its first state is failing.

    Nothing is stored before the school has answered, so that no transaction is open meanwhile.

    Raises:
        ValidationFailed: `url` is not a valid address, or the member has it already, or `course_id` is not a course of
            the member.
        Conflict: the member has the maximum number of calendars, or they are disabled.
        RateLimited: too many were added, or are being read.
    """
    require_on()
    address = parse_address(url)
    if course_id is not None and not load_courses(access).name_of(course_id):
        raise ValidationFailed.of("course_id", _NOT_YOURS)
    _require_room(access, address)
    with slot():
        require_rate(Rate.SCHOOL_CALENDARS, str(access.member.id))
        stored = sealed(address.url)
        outcome = ask(access, Asked(stored))
        with change(access, "add_school_calendar"):
            _require_room(access, address)
            [calendar] = SchoolCalendar.rows.of(access).insert(
                {
                    "name": name or address.host[:120],
                    "host": address.host,
                    "address_end": address.end,
                    "sealed_address": stored,
                    "course_id": course_id,
                    "accepted": accept,
                }
            )
            found = store_in(access, calendar, outcome)
    calendar_read.send(add_school_calendar, outcome=found)
    return get_school_calendar(access, calendar["id"])


def _require_room(access: Access, address: Address) -> None:
    """Raise an error unless the member may add this address. One query."""
    stored = SchoolCalendar.rows.of(access.whole).all("sealed_address")
    CALENDARS.require(len(stored))
    require_new(address.url, [calendar["sealed_address"] for calendar in stored])


def refresh_school_calendar(access: Access, calendar_id: UUID) -> SchoolCalendarDetailRow:
    """Read the calendar now, even if it is not due.

    Raises:
        NotFound: the member has no such calendar.
        Conflict: calendars are disabled, or all courses of this one have ended.
        RateLimited: it was refreshed in the last five minutes, or others are being read.
    """
    calendar = stored_calendar(access, calendar_id)
    require_on()
    if is_over(calendar, load_courses(access)):
        raise Conflict(ALL_ENDED)
    with slot():
        require_rate(Rate.CALENDAR_REFRESHES, str(calendar_id))
        store(access, calendar_id, ask(access, asked_of(calendar)))
    return get_school_calendar(access, calendar_id)


def asked_of(calendar: Row) -> Asked:
    """The data for requesting a calendar."""
    validators = Validators(calendar["etag"], calendar["last_modified"])
    return Asked(calendar["sealed_address"], calendar["fingerprint"], validators)


def update_school_calendar(
    access: Access, calendar_id: UUID, **changes: Unpack[SchoolCalendarChanges]
) -> SchoolCalendarDetailRow:
    """Change the given fields. Assigning a course to a label creates its items in the same call.

    Raises:
        NotFound: the member has no such calendar.
        ValidationFailed: `course_id` or one of `courses` is not a course of the member, or not a label of the calendar.
        Conflict: there would be too many items.
    """
    with change(access, "update_school_calendar"):
        asked = ask_for_courses(access, with_items=bool(changes.keys() & {"courses", "course_id"}))
        stored, courses = stored_calendar(access, calendar_id), asked()
        calendar = stored | _checked(stored, courses, changes)
        before = {label["label"]: label["course_id"] for label in _labels(stored, courses)}
        chosen = {*changes.get("courses", {})} | ({""} if "course_id" in changes else set())
        after = {label["label"]: label for label in _labels(calendar, courses)}
        moved = {
            label
            for label in chosen & after.keys()
            if after[label]["course_id"] != before[label] or after[label]["ignored"]
        }
        if moved:
            take_labels(access, calendar, courses, moved)
        if changes.get("paused") is False and calendar["stopped"]:
            calendar["stopped"], calendar["failures"], calendar["failing_since"] = False, 0, None
            calendar["next_read_at"] = timezone.now()
        elif "paused" in changes:
            calendar["next_read_at"] = next_after(calendar)
        SchoolCalendar.rows.of(access).update(stored, calendar)
        set_due(calendar)
    if calendar["answer"] == ReadingOutcome.HELD:
        courses = load_courses(access, with_items=True)
    return detail(access, calendar, courses)


def answer_school_calendar(access: Access, calendar_id: UUID, *, accept: bool) -> SchoolCalendarDetailRow:
    """Apply the waiting reading, or reject it: the same file does not ask again.

    Raises:
        NotFound: the member has no such calendar.
        Conflict: no reading waits, there would be too many items, or calendars are disabled.
    """
    with change(access, "answer_school_calendar"):
        asked = ask_for_courses(access, with_items=accept)
        stored, courses = stored_calendar(access, calendar_id), asked()
        calendar = {**stored}
        require_on()
        if calendar["answer"] != ReadingOutcome.HELD:
            raise Conflict(NOTHING_HELD)
        if accept:
            take_held(access, calendar, courses)
        else:
            calendar["answer"] = ReadingOutcome.REFUSED
        SchoolCalendar.rows.of(access).update(stored, calendar)
    return detail(access, calendar, courses)


def delete_school_calendar(access: Access, calendar_id: UUID) -> DeletedRow:
    """Delete the calendar with its address, which cannot be undone. Its items are kept.

    Raises:
        NotFound: the member has no such calendar.
    """
    with change(access, "delete_school_calendar"):
        if not SchoolCalendar.rows.of(access).delete(calendar_id):
            raise NoSuchSchoolCalendar
        forget_due(access.member.id, calendar_id)
    return deletion(calendar_id)


def _labels(calendar: Row, courses: Courses) -> list[LabelRow]:
    return label_rows(calendar["labels"], courses.named, calendar["choices"], calendar["course_id"])


def _checked(calendar: Row, courses: Courses, changes: SchoolCalendarChanges) -> Row:
    """Return the columns to change. Raises ValidationFailed."""
    choices = {label: str(chosen) for label, chosen in changes.get("courses", {}).items()}
    there = {str(one.id) for one in courses.named}
    labels = {one["label"] for one in calendar["labels"]}
    if unknown := next((label for label in choices if label not in labels), None):
        raise ValidationFailed.of("courses", f"“{unknown}” is no label of this calendar.")
    if "" in choices and "" not in labels:
        raise ValidationFailed.of("courses", "No event of this calendar has an empty label.")
    if any(chosen not in {*there, IGNORED} for chosen in choices.values()):
        raise ValidationFailed.of("courses", f"Each label takes the id of one of your courses, or {IGNORED}.")
    course_id = changes.get("course_id")
    if course_id is not None and str(course_id) not in there:
        raise ValidationFailed.of("course_id", _NOT_YOURS)
    wanted: Row = {name: value for name, value in changes.items() if name != "courses"}
    return wanted | {"choices": {**calendar["choices"], **choices}}
