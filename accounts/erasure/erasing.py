"""Delete a member: credentials first, then everything, in batches with short locks.

All entry points use it, as do `Member.delete()` and a queryset's. An interrupted deletion is completed by calling it
again, which `purgeexpired` does.
"""

import time
from collections.abc import Callable
from datetime import datetime
from uuid import UUID

from django.contrib.admin.models import LogEntry
from django.contrib.auth.hashers import make_password
from django.contrib.contenttypes.models import ContentType
from django.db import connection, transaction
from django.db.models import F, Model, Q, QuerySet
from django.utils import timezone

from accounts.credentials.api_keys import revoke_api_key
from accounts.credentials.calendar_feeds import end_feed
from accounts.credentials.models import ApiKey, CalendarFeed
from accounts.joining import Invitation
from accounts.members.models import Member
from studyservice.database.deleting import delete_alone, empty_log
from studyservice.gone import Ending, note_gone
from studyservice.hooks import HookList
from studyservice.registry.data import member_data

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
    """Remove the member's address from the operators' log of members and invitations."""
    invited = Q(content_type=ContentType.objects.get_for_model(Invitation), object_repr=member.email[:_MAX_NAME])
    LogEntry.objects.filter(Q(object_id=str(member.id)) | invited).update(object_repr="a deleted member")


def _member(member_id: str, at: datetime) -> Member | None:
    return Member.objects.filter(id=member_id).first()


def _active_key(key_id: str, at: datetime) -> ApiKey | None:
    return ApiKey.objects.filter(id=key_id, revoked_at=None).first()


def _feed(feed_id: str, at: datetime) -> CalendarFeed | None:
    return CalendarFeed.objects.filter(id=feed_id).first()


ENDINGS_OF_ACCOUNTS = {
    "member_erased": Ending(_member, lambda member: erase_member(member.id)),
    "key_revoked": Ending(_active_key, revoke_api_key),
    "calendar_ended": Ending(_feed, lambda feed: end_feed(feed.member_id)),
}
