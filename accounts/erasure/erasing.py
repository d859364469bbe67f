"""Delete members, and data that has expired, in batches with short locks.

All entry points use `erase_member`, as do `Member.delete()` and a queryset's. An interrupted deletion is completed by
calling it again, which `purgeexpired` does.
"""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.contrib.auth.hashers import make_password
from django.db import connection, transaction
from django.db.models import F, Model, Q, QuerySet
from django.utils import timezone

from accounts.credentials.keys import end_feed, long_ended, revoke_api_key
from accounts.credentials.models import ApiKey, CalendarFeed
from accounts.credentials.owners import delete_credentials
from accounts.events import KEPT_FOR as EVENTS_KEPT_FOR
from accounts.events import AccountEvent
from accounts.joining import Invitation, forget_those_who_did_not_come, of_newcomers
from accounts.members.last_runs import note_run
from accounts.members.models import Member
from accounts.members.outbox import purge_outbox
from accounts.members.waiting import purge_waiting
from accounts.signing_in.models import BrowserSession, LinkedIdentity, ProviderSignIn, SignInCode
from studyservice.changes.contents import UNDOABLE_FOR
from studyservice.changes.replaying import KEPT_FOR
from studyservice.database.deleting import delete_alone, empty_log, purge
from studyservice.database.ids import first_uuid7
from studyservice.gone import Ending, note_gone
from studyservice.hooks import HookList, HookTable
from studyservice.models import KEPT_FOR as CHANGES_KEPT_FOR
from studyservice.models import Change, ChangeObject, IdempotencyKey
from studyservice.registry.data import member_data
from studyservice.server.signals import PURGE

BATCH = 200
"""Rows in one transaction."""

_PAUSE_FACTOR = 2
"""Pause between batches, as a multiple of a batch's duration. On SQLite every write waits for all others, and retries
at growing intervals.
"""

_MAX_NAME = LogEntry._meta.get_field("object_repr").max_length
"""Maximum characters of a name in the operators' log."""

Erasure = Callable[[Member], None]
"""Removes data of a member that is not in rows referring to the member. May be called again after an interruption."""

ERASURES = HookList[Erasure]("ERASURES")


def erase_member(member_id: UUID, *, seconds: float | None = None) -> bool:
    """Delete the member and everything of theirs, after the current write. Does nothing if the member does not exist.

    Return whether everything is deleted.

    The first transaction ends every credential and session. From then on `studyservice.changes.writing` refuses, so no
    row can appear that the later batches miss. They delete the rows of `member_data`, credentials first, and then call
    `ERASURES`. The last transaction removes the member. Stored files are deleted after the commit that deletes their
    rows. Batches pause for other writes.

    Args:
        seconds: time limit, after which `finish_erasures` must delete the rest; None for no limit.

    Raises:
        RuntimeError: a transaction is open; it would hold the locks to its end.
    """
    deadline = float("inf") if seconds is None else time.monotonic() + seconds
    member = _begin(member_id)
    if member is None:
        return True
    for data in reversed(member_data()):
        rows: QuerySet[Model] = QuerySet(data.model).filter(**{data.owner: member_id})
        last: object = None
        while True:
            started = time.monotonic()
            if started > deadline:
                return False
            last = delete_batch(member_id, rows, after=last)
            if last is None:
                break
            time.sleep(_PAUSE_FACTOR * (time.monotonic() - started))
    for erase in ERASURES:
        erase(member)
    with transaction.atomic(durable=True):
        # Unlike a write's lock, FOR UPDATE also waits for transactions that insert references to the member.
        Member.objects.select_for_update().filter(id=member_id).first()
        QuerySet(Member).filter(id=member_id).delete()  # not MemberQuerySet's, which calls this function
        transaction.on_commit(empty_log)
    return True


def finish_erasures() -> int:
    """Complete the deletions that are in progress or were interrupted. Return the number of members."""
    found = list(Member.objects.filter(erasure_began_at__isnull=False).values_list("id", flat=True))
    for member_id in found:
        erase_member(member_id)
    return len(found)


def delete_batch(member_id: UUID, rows: QuerySet[Model], *, after: object = None) -> object:
    """Delete up to `BATCH` of `rows`, in a transaction. Return the key of the last one, or None if there was none.

    Holds the member's lock, so that two deletions of one member take turns.

    A batch must not scan the rows deleted before it. PostgreSQL keeps those until it vacuums, so the batch continues
    after the last key. SQLite would search by member instead of id if a statement had both, so it gets only the ids:
    its members are never spread over servers.

    Args:
        after: the last key of the previous batch.
    """
    on_postgresql = connection.vendor == "postgresql"
    if on_postgresql:
        rows = rows.order_by("pk") if after is None else rows.order_by("pk").filter(pk__gt=after)
    with transaction.atomic(durable=True):
        Member.objects.select_for_update(no_key=True).filter(id=member_id).first()
        batch = list(rows.values_list("pk", flat=True)[:BATCH])
        if batch:
            of_member = rows.order_by() if on_postgresql else QuerySet(rows.model)
            delete_alone(of_member.filter(pk__in=batch))
        return batch[-1] if batch else None


def _begin(member_id: UUID) -> Member | None:
    """End every credential and session. Return the member as it was, or None if it does not exist."""
    with transaction.atomic(durable=True):
        member = Member.objects.select_for_update().filter(id=member_id).first()
        began = Member.objects.filter(id=member_id, erasure_began_at=None).update(
            erasure_began_at=timezone.now(),
            is_active=False,
            password=make_password(None),
            session_epoch=F("session_epoch") + 1,
        )
        if began:
            note_gone("member_erased", member_id)
        return member


def forget_in_log(member: Member) -> None:
    """Remove the member's address from the operators' log of members, invitations and waiting memberships."""
    before = of_newcomers() & Q(object_repr=member.email[:_MAX_NAME])
    LogEntry.objects.filter(Q(object_id=str(member.id)) | before).update(object_repr="a deleted member")


def _found(rows: QuerySet[Any]) -> Callable[[str, datetime], Any]:
    return lambda id_, at: rows.filter(pk=id_).first()


ENDINGS_OF_ACCOUNTS = {
    "member_erased": Ending(_found(Member.objects.all()), lambda member: erase_member(member.id)),
    "key_revoked": Ending(_found(ApiKey.objects.filter(revoked_at=None)), revoke_api_key),
    "identity_disconnected": Ending(_found(LinkedIdentity.objects.all()), LinkedIdentity.delete),
    "calendar_ended": Ending(_found(CalendarFeed.objects.all()), lambda feed: end_feed(feed.member_id)),
}

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
    "provider_sign_ins": lambda: purge(ProviderSignIn.objects.filter(expires_at__lt=timezone.now()), owner=None),
    "invitations": lambda: purge(Invitation.objects.filter(expires_at__lt=timezone.now()), owner=None),
    "waiting_memberships": purge_waiting,
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
