"""Storing the outcome of a reading and applying its changes, under the member's lock and in one transaction."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.mail import notify
from planning.calendar.assigning import Courses, assigned, load_courses, summaries
from planning.calendar.comparison import Comparison
from planning.calendar.files import CalendarFile, packed, unpacked
from planning.calendar.importing import all_of, take_each
from planning.calendar.matching import Source, match
from planning.models import ReadingOutcome, SchoolCalendar
from planning.school_calendars.addresses import resealed
from planning.school_calendars.fetching import Failed, Read, is_same_file
from planning.school_calendars.schedule import FAILS_FOR, next_after, set_due
from planning.school_calendars.serializers import CountsRow
from studyservice.changes.calls import Actor, acting, current_call
from studyservice.models import ActorKind
from studyservice.operations.errors import Conflict
from studyservice.rows.access import Access, change
from studyservice.rows.rows import Row
from studyservice.server.signals import Reading, calendar_read

TAKES = "read_school_calendar"
"""The operation of a reading's change in the log."""


NO_COUNTS: CountsRow = {"new": 0, "changed": 0, "kept": 0, "gone": 0, "unchanged": 0}


def settle(access: Access, calendar: Row, courses: Courses) -> None:
    """Apply the reading, or hold it for the member, inside a change. Sets the columns of `calendar`.

    A held reading keeps waiting as long as there is something to confirm. A rejected reading is skipped.

    Raises:
        Conflict: there would be too many items; nothing was applied.
    """
    if calendar["answer"] == ReadingOutcome.REFUSED:
        return
    source = source_of(calendar, courses)
    found = match(access, source, courses)
    if _is_to_be_held(access, calendar, courses, found):
        calendar["answer"] = ReadingOutcome.HELD
        return
    _take_all(access, calendar, courses, source, found)


def take_held(access: Access, calendar: Row, courses: Courses) -> None:
    """Apply the held reading, inside a change.

    Raises:
        Conflict: there would be too many items; nothing was applied.
    """
    source = source_of(calendar, courses)
    _take_all(access, calendar, courses, source, match(access, source, courses))


def take_labels(access: Access, calendar: Row, courses: Courses, labels: Iterable[str]) -> None:
    """Apply the events of labels for which the member just chose courses, inside a change.

    The rest of a held reading keeps waiting, if there is any.

    Raises:
        Conflict: there would be too many items; nothing was applied.
    """
    everything = source_of(calendar, courses)
    events, chosen = everything.reading.events, {*labels}
    # Other labels are still in the file, so they are treated as unassigned here.
    of_labels = {label: course_id if label in chosen else None for label, course_id in everything.courses.items()}
    of_labels |= dict.fromkeys({event.label for event in events} - everything.courses.keys() - chosen)
    source = _source(calendar, everything.reading, of_labels, everything.left)
    found = match(access, source, courses)
    in_file = {event.key for event in events}
    for one in found.values():  # events missing from the file are reported by the complete reading
        one.newly_gone = [event for event in one.newly_gone if event.key in in_file]
    _take(access, calendar, courses, source, found)
    if calendar["answer"] == ReadingOutcome.TAKEN:
        calendar["accepted"] = True
    elif calendar["answer"] == ReadingOutcome.HELD:
        rest = match(access, everything, courses)
        if not any(one.changes_something() for one in rest.values()):
            calendar["answer"], calendar["accepted"] = ReadingOutcome.TAKEN, True


def source_of(calendar: Row, courses: Courses) -> Source:
    """The newest reading of a calendar, with the course of each label."""
    empty = CalendarFile("", [], frozenset(), [], frozenset(), frozenset(), {})
    reading = empty if calendar["reading"] is None else unpacked(calendar["reading"])
    labels = {one["label"] for one in calendar["labels"]}
    of_labels = assigned(labels, courses.named, calendar["choices"], calendar["course_id"])
    return _source(calendar, reading, of_labels, courses.ended)


def _source(
    calendar: Row, reading: CalendarFile, of_labels: Mapping[str, UUID | None], ended: frozenset[UUID]
) -> Source:
    taken = {label: None if course_id in ended else course_id for label, course_id in of_labels.items()}
    targets = sorted({course_id for course_id in taken.values() if course_id is not None})
    return Source(reading, taken, targets, calendar["id"], ended)


def _is_to_be_held(access: Access, calendar: Row, courses: Courses, found: Mapping[UUID, Comparison]) -> bool:
    changing = [one for one in found.values() if one.changes_something()]
    if not changing:
        return False
    if not calendar["accepted"]:
        return True
    if calendar["answer"] == ReadingOutcome.NONE:
        return False  # the first one, accepted when the address was added
    today = access.today()
    return any(one.is_odd(courses.item_counts.get(one.course_id, 0), today) for one in changing)


def _take_all(
    access: Access, calendar: Row, courses: Courses, source: Source, found: Mapping[UUID, Comparison]
) -> None:
    calendar["counts"] = {**_take(access, calendar, courses, source, found)}
    calendar["answer"] = ReadingOutcome.TAKEN
    if any(one.changes_something() for one in found.values()):
        calendar["accepted"] = True


def _take(
    access: Access, calendar: Row, courses: Courses, source: Source, found: Mapping[UUID, Comparison]
) -> CountsRow:
    plans = [(one, all_of(one)) for one in found.values() if one.writes_something()]
    call = current_call()
    actor = Actor(ActorKind.CALENDAR, calendar["id"], calendar["host"])
    with acting(actor, operation=None if call is None else call.operation) as taking:
        done = take_each(access, source, courses, TAKES, plans)
    if call is not None:
        call.change_ids += taking.change_ids
    if any(applied.made or applied.changed or found[course_id].moved_out for course_id, applied in done.items()):
        calendar["last_changed_at"] = timezone.now()
    return {
        "new": sum(len(one.new) for one in found.values()),
        "changed": sum(len(one.changed) for one in found.values()),
        "kept": sum(len(one.kept) for one in found.values()),
        "gone": sum(len(one.gone) for one in found.values()),
        "unchanged": sum(one.unchanged for one in found.values()),
    }


def note_read(calendar: Row, now: datetime) -> None:
    """Record a successful reading."""
    calendar["last_read_at"], calendar["stopped"] = now, False
    calendar["error_type"] = calendar["error_message"] = ""
    calendar["error_at"] = calendar["failing_since"] = None
    calendar["failures"] = 0


LIMIT_REACHED = "limit_reached"


def store(access: Access, calendar_id: UUID, outcome: Read | Failed) -> Reading | None:
    """Store the outcome and return it, or None if the calendar was deleted.

    Raises:
        NotFound: the member was deleted.
    """
    with change(access, TAKES):
        stored = SchoolCalendar.rows.of(access).find(id=calendar_id)
        if stored is None:
            return None
        found = store_in(access, stored, outcome)
    calendar_read.send(store, outcome=found)
    return found


def store_in(access: Access, stored: Row, outcome: Read | Failed) -> Reading:
    """The same for a calendar that was read inside an open change."""
    calendar = {**stored}
    if isinstance(outcome, Failed):
        _note_failure(access, calendar, outcome)
        found = Reading.STOPPED if calendar["stopped"] else Reading.FAILED
    else:
        found = _store_reading(access, calendar, outcome)
    calendar["next_read_at"] = next_after(calendar)
    calendar["sealed_address"] = resealed(calendar["sealed_address"])
    SchoolCalendar.rows.of(access).update(stored, calendar)
    set_due(calendar)
    return found


def _store_reading(access: Access, calendar: Row, read: Read) -> Reading:
    if read.reading is not None:
        if calendar["answer"] == ReadingOutcome.REFUSED and not is_same_file(calendar["fingerprint"], read.fingerprint):
            calendar["answer"] = ReadingOutcome.TAKEN
        calendar["reading"], calendar["fingerprint"] = packed(read.reading), read.fingerprint
        calendar["labels"] = summaries(read.reading.events)
    calendar["etag"], calendar["last_modified"] = read.validators.etag, read.validators.last_modified
    before = calendar["answer"], calendar["accepted"], calendar["last_changed_at"]
    try:
        with transaction.atomic():
            settle(access, calendar, load_courses(access, with_items=True))
    except Conflict as error:
        calendar["answer"], calendar["accepted"], calendar["last_changed_at"] = before
        _note_failure(access, calendar, Failed(LIMIT_REACHED, error.message))
        return Reading.FAILED
    note_read(calendar, timezone.now())
    if calendar["answer"] == ReadingOutcome.HELD:
        return Reading.HELD
    return Reading.UNCHANGED if calendar["last_changed_at"] == before[2] else Reading.TAKEN


def _note_failure(access: Access, calendar: Row, failed: Failed) -> None:
    now = timezone.now()
    calendar["error_type"], calendar["error_message"], calendar["error_at"] = failed.type, failed.message[:300], now
    calendar["failing_since"] = calendar["failing_since"] or now
    calendar["failures"] += 1
    if not calendar["stopped"] and (failed.lasts or now - calendar["failing_since"] >= FAILS_FOR):
        calendar["stopped"] = True
        transaction.on_commit(partial(_tell_stopped, access.member.email, calendar["host"], failed.message))


def _tell_stopped(email: str, host: str, why: str) -> None:
    notify(
        email,
        f"Your school calendar at {host} is no longer read",
        f"We stopped reading your school calendar at {host}. {why} If it has a new address, delete the calendar at "
        f"{settings.BASE_URL}/calendars and add the new one. Otherwise you can start it again there.",
    )
