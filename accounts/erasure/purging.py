"""Remove expired data, for `purgeexpired`."""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.changes.models import KEPT_FOR as CHANGES_KEPT_FOR
from accounts.changes.models import UNDOABLE_FOR, Change, ChangeObject
from accounts.credentials.api_keys import long_ended
from accounts.credentials.owners import delete_credentials
from accounts.events.models import KEPT_FOR as EVENTS_KEPT_FOR
from accounts.events.models import AccountEvent
from accounts.idempotency.models import IdempotencyKey
from accounts.idempotency.replaying import KEPT_FOR
from accounts.joining.models import Invitation
from accounts.members.last_runs import note_run
from accounts.signing_in.browser_sessions import BrowserSession
from accounts.signing_in.models import SignInCode
from studyservice.database.deleting import BATCH, purge
from studyservice.database.ids import first_uuid7
from studyservice.database.remains import empty_log
from studyservice.hooks import HookTable
from studyservice.server.signals import PURGE

Purge = Callable[[], int]
"""Removes expired rows in batches, and returns their number."""

EXPIRED_DATA = HookTable[Purge]("EXPIRED_DATA")
"""By the name of the removed data."""


def purge_all() -> dict[str, int]:
    """Remove everything that has expired, and record the run. Return the numbers by name."""
    removed = {what: remove() for what, remove in EXPIRED_DATA.items()}
    note_run(PURGE)
    transaction.on_commit(empty_log)
    return removed


def purge_credentials(expired: QuerySet[Any], *, owner: str = "member_id") -> int:
    """Delete credentials, like `purge`, with the owners of their secrets (`accounts.credentials.owners`)."""
    removed = 0
    while batch := list(expired.values_list("pk", owner)[:BATCH]):
        members, ids = {member_id for _, member_id in batch}, [pk for pk, _ in batch]
        with transaction.atomic():
            removed += delete_credentials(expired.filter(**{f"{owner}__in": members}, pk__in=ids))
    return removed


def purge_sessions() -> int:
    """Remove expired browser sessions."""
    return purge(BrowserSession.objects.filter(expire_date__lt=timezone.now()), owner=None)


def purge_sign_in_codes() -> int:
    """Remove expired sign-in codes, used or not."""
    return purge(SignInCode.objects.filter(expires_at__lt=timezone.now()), owner=None)


def purge_invitations() -> int:
    """Remove expired invitations."""
    return purge(Invitation.objects.filter(expires_at__lt=timezone.now()), owner=None)


def purge_api_keys() -> int:
    """Remove keys that ended `accounts.credentials.api_keys.KEPT_FOR` ago."""
    return sum(map(purge_credentials, long_ended()))


def purge_idempotency_keys() -> int:
    """Remove expired idempotency keys."""
    return purge(IdempotencyKey.objects.filter(created_at__lte=timezone.now() - KEPT_FOR))


def purge_changes() -> int:
    """Remove old rows of the log of changes, by the time in their ids, which is the order of the primary key."""
    oldest = first_uuid7(timezone.now() - CHANGES_KEPT_FOR)
    purge(ChangeObject.objects.filter(id__lt=oldest))
    return purge(Change.objects.filter(id__lt=oldest))


def purge_events() -> int:
    """Remove old rows of the log of account events, likewise."""
    return purge(AccountEvent.objects.filter(id__lt=first_uuid7(timezone.now() - EVENTS_KEPT_FOR)))


def purge_taken() -> int:
    """Remove snapshots of deleted rows. Their changes stay."""
    old = Change.objects.filter(id__lt=first_uuid7(timezone.now() - UNDOABLE_FOR), taken__isnull=False)
    removed = 0
    while batch := list(old.values_list("pk", "member_id")[:BATCH]):
        members = {member_id for _, member_id in batch}
        removed += old.filter(member_id__in=members, pk__in=[pk for pk, _ in batch]).update(taken=None)
    return removed
