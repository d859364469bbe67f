"""When a school calendar is read next, and which calendars are due."""

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.models import Member
from planning.models import DueCalendar, SchoolCalendar
from studyservice.changes.recording import Write
from studyservice.registry.data import Touched
from studyservice.rows.access import Access
from studyservice.rows.rows import Row

EVERY = timedelta(hours=6)
AFTER_FAILURES = (timedelta(hours=1), timedelta(hours=6), timedelta(hours=24))
"""Waits after the first failure, the second, and each further one."""

FAILS_FOR = timedelta(days=14)
"""After this time the calendar is stopped."""

CLAIM = timedelta(minutes=30)
"""How long a process may work on claimed calendars before another one may claim them."""

_BATCH = 500
_SPREAD = 10
"""The interval varies by a tenth, so that a school's calendars are not read all at once."""


def interval(calendar_id: UUID) -> timedelta:
    """The time from one reading to the next, constant for each calendar."""
    place = calendar_id.int % 10_007 / 10_006 * 2 - 1
    return EVERY * (1 + place / _SPREAD)


def next_after(calendar: Row) -> datetime | None:
    """The time of the next reading; None while it is paused or stopped."""
    if calendar["paused"] or calendar["stopped"]:
        return None
    error_at: datetime | None = calendar["error_at"]
    if calendar["failures"] and error_at is not None:
        return error_at + AFTER_FAILURES[min(calendar["failures"], len(AFTER_FAILURES)) - 1]
    last_read_at: datetime | None = calendar["last_read_at"]
    return timezone.now() if last_read_at is None else last_read_at + interval(calendar["id"])


def set_due(calendar: Row) -> None:
    """Schedule the calendar for its `next_read_at`, or remove it from the schedule. Call in the transaction that stores
    it.
    """
    if calendar["next_read_at"] is None:
        forget_due(calendar["member_id"], calendar["id"])
        return
    due = DueCalendar(
        id=calendar["id"], member_id=calendar["member_id"], host=calendar["host"], next_read_at=calendar["next_read_at"]
    )
    DueCalendar.objects.bulk_create(
        [due], update_conflicts=True, unique_fields=["id"], update_fields=["host", "next_read_at", "claimed_until"]
    )


def forget_due(member_id: UUID, calendar_id: UUID) -> None:
    """Remove the calendar from the schedule."""
    DueCalendar.objects.filter(id=calendar_id, member_id=member_id).delete()


def reschedule(member: Member, write: Write, touched: Touched) -> None:
    """Update when calendars are read, after an undo started or paused them."""
    calendars = SchoolCalendar.rows.of(Access(member, write=write))
    for row in touched.get(SchoolCalendar, ()):
        calendar = calendars.find(id=row["id"])
        if calendar is not None and calendar["paused"] is not row["paused"]:
            set_due(calendar | calendars.update(calendar, {"next_read_at": next_after(calendar)}))


def postpone(member_id: UUID, calendar_id: UUID) -> None:
    """Try a calendar that is not read now again after the usual interval."""
    mine = DueCalendar.objects.filter(id=calendar_id, member_id=member_id)
    mine.update(next_read_at=timezone.now() + interval(calendar_id), claimed_until=None)


def due_hosts(now: datetime) -> list[str]:
    """Hosts with due calendars that no process has claimed, longest waiting first."""
    rows = _unclaimed(now).order_by("next_read_at").values_list("host", flat=True)
    return list(dict.fromkeys(rows.iterator(chunk_size=2000)))


def claim(host: str, now: datetime) -> list[tuple[UUID, UUID]]:
    """Claim all due calendars of a host, unless another process reads from it. Return members with their calendars.

    Of two concurrent processes, one succeeds: the other skips locked rows, and sees the claim afterwards.
    """
    with transaction.atomic():
        of_host = DueCalendar.objects.filter(host=host)
        if of_host.filter(claimed_until__gt=now).exists():
            return []
        skips = connection.features.has_select_for_update_skip_locked
        rows = _unclaimed(now).filter(host=host).select_for_update(skip_locked=skips).order_by("id")
        found = list(rows.values_list("member_id", "id"))
        for start in range(0, len(found), _BATCH):
            ids = [calendar_id for _, calendar_id in found[start : start + _BATCH]]
            of_host.filter(id__in=ids).update(claimed_until=now + CLAIM)
        return found


def overdue() -> int:
    """The number of calendars that have been due for longer than two runs; 0 if they are turned off."""
    if not settings.SCHOOL_CALENDARS:
        return 0
    return DueCalendar.objects.filter(next_read_at__lte=timezone.now() - CLAIM).count()


def release(claimed: list[tuple[UUID, UUID]]) -> None:
    """Leave unread calendars to another run."""
    for member_id, calendar_id in claimed:
        DueCalendar.objects.filter(id=calendar_id, member_id=member_id).update(claimed_until=None)


def _unclaimed(now: datetime) -> QuerySet[DueCalendar]:
    free = Q(claimed_until=None) | Q(claimed_until__lte=now)
    return DueCalendar.objects.filter(free, next_read_at__lte=now)
