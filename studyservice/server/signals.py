"""Signals and hooks for metrics; unused without `METRICS_ADDRESS`."""

from collections.abc import Callable, Mapping
from datetime import datetime
from enum import StrEnum

from django.dispatch import Signal

from studyservice.hooks import Hook

mail_ended = Signal()
"""Sent with `outcome`, one of `MAIL_OUTCOMES`, for each e-mail."""

MAIL_OUTCOMES = ("sent", "failed", "dropped")


class Reading(StrEnum):
    """The outcome of a reading of a school calendar."""

    TAKEN = "taken"
    UNCHANGED = "unchanged"
    HELD = "held"
    FAILED = "failed"
    STOPPED = "stopped"


calendar_read = Signal()
"""Sent with `outcome`, a `Reading`, for each reading of a school calendar."""

syllabus_read = Signal()
"""Sent with `outcome`, one of `MODEL_OUTCOMES`, and `seconds` for each reading of a syllabus by a language model."""

MODEL_OUTCOMES = ("ready", "failed")

OVERDUE_CALENDARS = Hook[Callable[[], int]]("OVERDUE_CALENDARS")
"""Returns how many school calendars have been due for too long, in one query."""

PURGE = "purgeexpired"
BACKUP = "backup"
"""Names of `LAST_RUNS`. `deploy/backup.sh` records the second; other kinds of backups are not recorded."""

LAST_RUNS = Hook[Callable[[], Mapping[str, datetime | None]]]("LAST_RUNS")
"""Returns the end of the last run of each scheduled command and backup, None if there was none, in one query."""

DROPPED_MORNINGS = Hook[Callable[[], int]]("DROPPED_MORNINGS")
"""Returns how many members' last morning e-mail was dropped, because the mail server put it off, in one query."""

MAIL_QUEUE_AGE = Hook[Callable[[], float]]("MAIL_QUEUE_AGE")
"""Returns the seconds that the oldest queued e-mail has waited, 0 if there is none, in one query."""
