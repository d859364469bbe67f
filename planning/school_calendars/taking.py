"""Applying a reading at once or after the member's confirmation: one change for each course, all or nothing."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from accounts.changes.calls import Actor, acting, current_call
from accounts.changes.models import ActorKind
from accounts.rows.access import Access, change
from accounts.rows.rows import Row
from courses.items import delete_items
from courses.models import Course
from planning.calendar.files import CalendarFile, unpacked
from planning.calendar.importing import all_of, take
from planning.models import ImportedEvent
from planning.school_calendars.assigning import assigned
from planning.school_calendars.loading import Courses
from planning.school_calendars.matching import CourseMatch, match
from planning.school_calendars.models import Answer
from planning.school_calendars.serializers import CountsRow

TAKES = "read_school_calendar"
"""The operation of a reading's change in the log."""


NO_COUNTS: CountsRow = {"new": 0, "changed": 0, "kept": 0, "gone": 0, "unchanged": 0}


def settle(access: Access, calendar: Row, courses: Courses, *, reading: CalendarFile) -> None:
    """Apply the reading, or hold it for the member, inside a change. Sets the columns of `calendar`.

    A held reading keeps waiting as long as there is something to confirm. A rejected reading is skipped.

    Raises:
        Conflict: there would be too many items; nothing was applied.
    """
    if calendar["answer"] == Answer.REFUSED:
        return
    matches = match(access, calendar["id"], reading, courses, _assigned(calendar, courses))
    if _is_to_be_held(access, calendar, courses, matches):
        calendar["answer"] = Answer.HELD
        return
    _take_all(access, calendar, courses, reading, matches)


def take_held(access: Access, calendar: Row, courses: Courses) -> None:
    """Apply the held reading, inside a change.

    Raises:
        Conflict: there would be too many items; nothing was applied.
    """
    reading = reading_of(calendar)
    _take_all(
        access,
        calendar,
        courses,
        reading,
        match(access, calendar["id"], reading, courses, _assigned(calendar, courses)),
    )


def take_labels(access: Access, calendar: Row, courses: Courses, labels: Iterable[str]) -> None:
    """Apply the events of labels for which the member just chose courses, inside a change.

    The rest of a held reading keeps waiting, if there is any.

    Raises:
        Conflict: there would be too many items; nothing was applied.
    """
    reading = reading_of(calendar)
    everything = _assigned(calendar, courses)
    chosen = {*labels}
    # Other labels are still in the file, so they are treated as unassigned here.
    of_labels = {label: course_id if label in chosen else None for label, course_id in everything.items()}
    ignored = {event.label for event in reading.events} - everything.keys() - chosen
    of_labels |= dict.fromkeys(ignored)
    matches = match(access, calendar["id"], reading, courses, of_labels)
    in_file = {event.key for event in reading.events}
    for one in matches.values():  # events missing from the file are reported by the complete reading
        one.newly_gone = [row for row in one.newly_gone if (row.uid, row.instance) in in_file]
    _take(access, calendar, courses, reading, matches)
    if calendar["answer"] == Answer.TAKEN:
        calendar["accepted"] = True
    elif calendar["answer"] == Answer.HELD:
        rest = match(access, calendar["id"], reading, courses, everything)
        if not any(one.changes_something() for one in rest.values()):
            calendar["answer"], calendar["accepted"] = Answer.TAKEN, True


def held_matches(access: Access, calendar: Row, courses: Courses) -> dict[UUID, CourseMatch]:
    """The changes of the held reading, by course."""
    reading = reading_of(calendar)
    return match(access, calendar["id"], reading, courses, _assigned(calendar, courses))


def reading_of(calendar: Row) -> CalendarFile:
    """The newest reading."""
    if calendar["reading"] is None:
        return CalendarFile("", [], frozenset(), [], frozenset(), frozenset(), {})
    return unpacked(calendar["reading"])


def _assigned(calendar: Row, courses: Courses) -> dict[str, UUID | None]:
    labels = {one["label"] for one in calendar["labels"]}
    return assigned(labels, courses.named, calendar["choices"], calendar["course_id"])


def _is_to_be_held(access: Access, calendar: Row, courses: Courses, matches: Mapping[UUID, CourseMatch]) -> bool:
    changing = {course_id: one for course_id, one in matches.items() if one.changes_something()}
    if not changing:
        return False
    if not calendar["accepted"]:
        return True
    if calendar["answer"] == Answer.NONE:
        return False  # the first one, accepted when the address was added
    today = access.today()
    return any(one.is_odd(courses.item_counts.get(course_id, 0), today) for course_id, one in changing.items())


def _take_all(
    access: Access,
    calendar: Row,
    courses: Courses,
    reading: CalendarFile,
    matches: Mapping[UUID, CourseMatch],
) -> None:
    counts = _take(access, calendar, courses, reading, matches)
    calendar["counts"] = {**counts}
    calendar["answer"] = Answer.TAKEN
    if any(one.changes_something() for one in matches.values()):
        calendar["accepted"] = True


def _take(
    access: Access,
    calendar: Row,
    courses: Courses,
    reading: CalendarFile,
    matches: Mapping[UUID, CourseMatch],
) -> CountsRow:
    counts: CountsRow = {**NO_COUNTS}
    actor = Actor(ActorKind.CALENDAR, calendar["id"], calendar["host"])
    call = current_call()
    # Remove items from their old course first, so that each event is remembered once.
    operation = None if call is None else call.operation
    for one in sorted(matches.values(), key=lambda one: not one.moved_out):
        found = one.comparison
        if one.changes_something() or one.adopted or one.shared or one.back or found.bases:
            of_course = replace(access, write=None)  # a change of its own
            with acting(actor, operation=operation), change(of_course, TAKES) as log:
                log.about(Course, one.course_id, courses.name_of(one.course_id), one.course_id)
                if _take_course(of_course, calendar, reading, one):
                    calendar["last_changed_at"] = timezone.now()
        counts["new"] += len(found.new)
        counts["changed"] += len(found.changed)
        counts["kept"] += len(found.kept)
        counts["gone"] += len(found.gone)
        counts["unchanged"] += found.unchanged
    return counts


def _take_course(access: Access, calendar: Row, reading: CalendarFile, one: CourseMatch) -> bool:
    """Apply the changes of a course. Return whether items were created, changed or moved."""
    remembered = ImportedEvent.rows.of(access)
    if one.moved_out:
        delete_items(access, one.course_id, [row.item_id for row in one.moved_out])
        remembered.delete(*(row.id for row in one.moved_out))
    plan = replace(all_of(one.comparison), shared=one.shared)
    _, applied = take(access, one.course_id, reading, plan, calendar_id=calendar["id"])
    adopted = {"calendar_id": calendar["id"], "is_gone": False}
    wanted = [
        *((row, adopted) for row in one.adopted),
        *((row, {"is_gone": True}) for row in one.newly_gone),
        *((row, {"is_gone": False}) for row in one.back),
    ]
    remembered.update_each(
        ({"id": row.id, "calendar_id": row.calendar_id, "is_gone": row.is_gone}, columns) for row, columns in wanted
    )
    return bool(applied.made or applied.changed or one.moved_out)


def note_read(calendar: Row, now: datetime) -> None:
    """Record a successful reading."""
    calendar["last_read_at"], calendar["stopped"] = now, False
    calendar["error_type"] = calendar["error_message"] = ""
    calendar["error_at"] = calendar["failing_since"] = None
    calendar["failures"] = 0
