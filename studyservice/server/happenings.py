"""What apps tell those who count, or are asked by them; nobody listens or asks without `METRICS_ADDRESS`."""

from collections.abc import Callable
from datetime import datetime

from django.dispatch import Signal

from studyservice.hooks import Hook

mail_ended = Signal()
"""Sent with `outcome`, one of `MAIL_OUTCOMES`, for each e-mail."""

MAIL_OUTCOMES = ("sent", "failed", "dropped")

LastPurge = Callable[[], datetime | None]
"""Gives when `purgeexpired` last came to its end, in one query."""

LAST_PURGE = Hook[LastPurge]("LAST_PURGE")
