"""Remove expired data, for `purgeexpired`."""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.credentials.api_keys import long_ended
from accounts.credentials.owners import delete_credentials
from accounts.erasure.erasing import finish_erasures
from accounts.events import KEPT_FOR as EVENTS_KEPT_FOR
from accounts.events import AccountEvent
from accounts.joining import Invitation, forget_those_who_did_not_come
from accounts.members.last_runs import note_run
from accounts.members.outbox import purge_outbox
from accounts.signing_in.models import BrowserSession, SignInCode
from studyservice.changes.contents import UNDOABLE_FOR
from studyservice.changes.replaying import KEPT_FOR
from studyservice.database.deleting import BATCH, empty_log, purge
from studyservice.database.ids import first_uuid7
from studyservice.hooks import HookTable
from studyservice.models import KEPT_FOR as CHANGES_KEPT_FOR
from studyservice.models import Change, ChangeObject, IdempotencyKey
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


def _purge_changes() -> int:
    """Remove old rows of the log of changes, by the time in their ids, which is the order of the primary key."""
    oldest = first_uuid7(timezone.now() - CHANGES_KEPT_FOR)
    purge(ChangeObject.objects.filter(id__lt=oldest))
    return purge(Change.objects.filter(id__lt=oldest))


def _purge_taken() -> int:
    """Remove snapshots of deleted rows. Their changes stay."""
    old = Change.objects.filter(id__lt=first_uuid7(timezone.now() - UNDOABLE_FOR), taken__isnull=False)
    removed = 0
    while batch := list(old.values_list("pk", "member_id")[:BATCH]):
        members = {member_id for _, member_id in batch}
        removed += old.filter(member_id__in=members, pk__in=[pk for pk, _ in batch]).update(taken=None)
    return removed


EXPIRED_OF_ACCOUNTS: dict[str, Purge] = {
    "sessions": lambda: purge(BrowserSession.objects.filter(expire_date__lt=timezone.now()), owner=None),
    "sign_in_codes": lambda: purge(SignInCode.objects.filter(expires_at__lt=timezone.now()), owner=None),
    "invitations": lambda: purge(Invitation.objects.filter(expires_at__lt=timezone.now()), owner=None),
    "addresses_of_invitations": forget_those_who_did_not_come,
    "unsent_mail": purge_outbox,
    "api_keys": lambda: sum(map(purge_credentials, long_ended())),
    "idempotency_keys": lambda: purge(IdempotencyKey.objects.filter(created_at__lte=timezone.now() - KEPT_FOR)),
    "changes": _purge_changes,
    "account_events": lambda: purge(AccountEvent.objects.filter(id__lt=first_uuid7(timezone.now() - EVENTS_KEPT_FOR))),
    "contents_of_deletions": _purge_taken,
    "members_being_deleted": finish_erasures,
}
"""Expired data of this app."""
