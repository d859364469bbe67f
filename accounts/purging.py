"""What `purgeexpired` removes. An app above this one registers what it has when it starts."""

from collections.abc import Callable
from typing import Any

from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from accounts.api_keys import long_ended
from accounts.erasure import finish_erasures
from accounts.models import SignInCode

BATCH = 1000
"""Rows per transaction."""

Purge = Callable[[], int]
"""Removes what has expired, in batches; gives the number of rows."""

_purges: dict[str, Purge] = {}


def register_purge(what: str, purge: Purge) -> None:
    """Let `purgeexpired` call `purge`, in the order of registration, and report its number under `what`."""
    _purges[what] = purge


def purge_all() -> dict[str, int]:
    """Remove everything that has expired; gives the numbers by name."""
    return {what: purge() for what, purge in _purges.items()}


def purge(expired: QuerySet[Any]) -> int:
    """Delete the rows of `expired`, `BATCH` at a time; gives their number."""
    removed = 0
    while batch := list(expired.values_list("pk", flat=True)[:BATCH]):
        removed += expired.filter(pk__in=batch).delete()[0]
    return removed


def _sessions() -> int:
    return purge(Session.objects.filter(expire_date__lt=timezone.now()))


def _sign_in_codes() -> int:
    return purge(SignInCode.objects.filter(expires_at__lt=timezone.now()))


def _api_keys() -> int:
    return sum(map(purge, long_ended()))


register_purge("sessions", _sessions)
register_purge("sign_in_codes", _sign_in_codes)
register_purge("api_keys", _api_keys)
register_purge("members_being_deleted", finish_erasures)
