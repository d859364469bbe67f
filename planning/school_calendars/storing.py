"""Storing the outcome of a reading, under the member's lock and in one transaction with its changes."""

from functools import partial
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.rows.access import Access, change
from accounts.rows.rows import Row
from accounts.text.notices import notify
from planning.calendar.assigning import load_courses, summaries
from planning.calendar.files import packed
from planning.school_calendars.addresses import resealed
from planning.school_calendars.fetching import Failed, Read
from planning.school_calendars.models import Answer, SchoolCalendar
from planning.school_calendars.rows import keep
from planning.school_calendars.schedule import FAILS_FOR, next_after, set_due
from planning.school_calendars.taking import TAKES, note_read, settle
from studyservice.operations.errors import Conflict
from studyservice.server.signals import Reading, calendar_read

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
    keep(access, stored, calendar)
    set_due(calendar)
    return found


def _store_reading(access: Access, calendar: Row, read: Read) -> Reading:
    if read.reading is not None:
        calendar["reading"], calendar["fingerprint"] = packed(read.reading), read.fingerprint
        calendar["labels"] = summaries(read.reading.events)
        if calendar["answer"] == Answer.REFUSED:
            calendar["answer"] = Answer.TAKEN
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
    if calendar["answer"] == Answer.HELD:
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
