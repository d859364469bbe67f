"""Signals and hooks for metrics; unused without `METRICS_ADDRESS`."""

from collections.abc import Callable
from datetime import datetime

from django.dispatch import Signal

from studyservice.hooks import Hook

mail_ended = Signal()
"""Sent with `outcome`, one of `MAIL_OUTCOMES`, for each e-mail."""

MAIL_OUTCOMES = ("sent", "failed", "dropped")

LastPurge = Callable[[], datetime | None]
"""Return the end of the last `purgeexpired`, in one query."""

LAST_PURGE = Hook[LastPurge]("LAST_PURGE")
