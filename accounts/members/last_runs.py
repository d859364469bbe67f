"""The last run of each scheduled command, for monitoring."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils import timezone

from studyservice.database.constraints import characters
from studyservice.server.signals import BACKUP, OVERDUE_CALENDARS, PURGE

REMIND = "remind"
DELIVER_MAIL = "delivermail"
READ_CALENDARS = "readcalendars"
SEND_MORNINGS = "sendmornings"

LATE_AFTER = {
    DELIVER_MAIL: timedelta(minutes=30),
    SEND_MORNINGS: timedelta(hours=1),
    REMIND: timedelta(days=2),
    PURGE: timedelta(days=2),
    BACKUP: timedelta(days=2),
}
"""How long after its last run a command is overdue. The first runs every five minutes, the second every
quarter of an hour, the others every day.
"""


class LastRun(models.Model):
    """The last run of a command."""

    name = models.CharField(max_length=40, primary_key=True)
    finished_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [characters("name", 1, 40)]

    def __str__(self) -> str:
        return f"{self.name}: {self.finished_at}"


@dataclass(frozen=True, slots=True)
class Schedule:
    """A command that runs on a schedule.

    Attributes:
        last: when it last ended; None if it never did.
        late: whether the next run is overdue.
    """

    name: str
    last: datetime | None
    late: bool


def note_run(name: str) -> None:
    """Record that the command ended now."""
    LastRun.objects.update_or_create(name=name, defaults={"finished_at": timezone.now()})


def last_runs() -> dict[str, datetime | None]:
    """Return when each command and the backup last ended; None if never. `readcalendars` only if calendars are on."""
    ran = dict(LastRun.objects.values_list("name", "finished_at"))
    return {name: ran.get(name) for name in (*LATE_AFTER, *([READ_CALENDARS] if settings.SCHOOL_CALENDARS else []))}


def schedules() -> list[Schedule]:
    """Return every schedule, in two queries.

    A backup never recorded here is not late, since others may make it. `readcalendars` is late if calendars have been
    due for too long.
    """
    now = timezone.now()
    found = []
    for name, last in last_runs().items():
        if name == READ_CALENDARS:
            late = OVERDUE_CALENDARS.get()() > 0
        else:
            late = now - last > LATE_AFTER[name] if last else name != BACKUP
        found.append(Schedule(name, last, late))
    return found
