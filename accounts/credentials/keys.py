"""The secrets that members create themselves: API keys, and the address of the calendar."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated
from uuid import UUID

from django.conf import settings
from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.credentials.models import ApiKey, CalendarFeed
from accounts.credentials.owners import add_owner, delete_credentials, note_use, owner_of
from accounts.credentials.resolving import MemberColumns, member_columns, member_of
from accounts.events import EventKind, Subject, holding, record_event
from accounts.members.models import Member
from studyservice.changes.calls import current_call
from studyservice.changes.writing import writing
from studyservice.database.rows import At, columns_of_row
from studyservice.database.statements import Param, Select
from studyservice.gone import note_gone
from studyservice.operations.errors import Conflict, NotFound
from studyservice.rows.limits import NO_LIMITS, Limits
from studyservice.secrets.generated import hint_of, kind_of, new_secret, sha256

MAX_ACTIVE_KEYS = 10
"""Active keys per member (spec, Limits)."""

KEPT_FOR = timedelta(days=90)
"""How long a revoked or expired key is listed."""


def create_api_key(
    member: Member,
    name: str,
    *,
    may_write: bool = True,
    expires_days: int | None = None,
    limits: Limits = NO_LIMITS,
) -> tuple[str, ApiKey]:
    """Create a key. Return `(plaintext, row)`; the plaintext is not stored.

    Args:
        expires_days: days until it expires; None means never.
        limits: restrict the data that it sees.

    Raises:
        Conflict: the member has `MAX_ACTIVE_KEYS` active keys.
        ValidationError: the name is empty or too long.
    """
    secret = new_secret("sk")
    with writing(member.id):
        now, call = timezone.now(), current_call()
        if active_keys(member).count() >= MAX_ACTIVE_KEYS:
            raise Conflict(f"You have reached the limit of {MAX_ACTIVE_KEYS} active API keys. Revoke one first.")
        key = ApiKey(
            member=member,
            name=name.strip(),
            secret_hash=sha256(secret),
            hint=hint_of(secret),
            may_write=may_write,
            created_at=now,
            expires_at=now + timedelta(days=expires_days) if expires_days else None,
            networks=call.network if call else "",
            limits=limits.stored(),
        )
        key.clean_fields()  # full_clean would query the keys of all members for uniqueness
        key.save(force_insert=True)
        add_owner(key.secret_hash, member.id)
        detail = ("may change data" if may_write else "may only read") + limits.in_short()
        record_event(member.id, EventKind.KEY_MADE, Subject.of(key, key.name), detail=detail)
    return secret, key


def active_keys(member: Member) -> QuerySet[ApiKey]:
    """The member's active keys."""
    return member.api_keys.filter(active())


def active() -> Q:
    """Condition for active keys, equal to `ApiKey.state`."""
    return Q(Q(expires_at=None) | Q(expires_at__gt=timezone.now()), revoked_at=None)


def expired() -> Q:
    """Condition for keys that expired without being revoked."""
    return Q(revoked_at=None, expires_at__lte=timezone.now())


def revoked() -> Q:
    """Condition for revoked keys."""
    return Q(revoked_at__isnull=False)


def ended_keys(member: Member) -> QuerySet[ApiKey]:
    """The member's revoked and expired keys, the newest first."""
    return member.api_keys.filter(revoked() | expired())


def long_ended() -> tuple[QuerySet[ApiKey], ...]:
    """The keys that ended `KEPT_FOR` ago: revoked and expired in separate sets, each found through its index."""
    past = timezone.now() - KEPT_FOR
    return ApiKey.objects.filter(revoked_at__lte=past), ApiKey.objects.filter(expires_at__lte=past)


def rows_of_key(member_id: UUID, key_id: UUID) -> QuerySet[ApiKey]:
    """The key of the member with this id, if there is one."""
    return ApiKey.objects.filter(member_id=member_id, id=key_id)


def revoke_api_key(key: ApiKey) -> None:
    """Revoke a key at once. A second call keeps the time of the first."""
    _revoke(key.member_id, rows_of_key(key.member_id, key.id))


def revoke_all(member: Member) -> None:
    """Revoke every key of the member."""
    _revoke(member.id, ApiKey.objects.filter(member_id=member.id))


def limit_api_key(key: ApiKey, limits: Limits) -> None:
    """Set the key's limits, from its next call on.

    Raises:
        NotFound: the member was deleted meanwhile.
    """
    with writing(key.member_id):
        keys = rows_of_key(key.member_id, key.id)
        before = Limits.of(keys.values_list("limits", flat=True).first())
        keys.update(limits=limits.stored())
        if changed := limits.compared_with(before):
            record_event(key.member_id, EventKind.LIMITS_CHANGED, Subject.of(key, key.name), detail=changed)


def _revoke(member_id: UUID, keys: QuerySet[ApiKey]) -> None:
    """Revoke keys. Does nothing if the member is being deleted, since their keys no longer work."""
    with suppress(NotFound), holding(member_id):
        for key in keys.filter(revoked_at=None):
            key.revoked_at = timezone.now()
            key.save(update_fields=["revoked_at"])
            note_gone("key_revoked", key.id)
            record_event(member_id, EventKind.KEY_REVOKED, Subject.of(key, key.name))


_CALENDAR = "cal"
"""The kind in the prefix of the secret."""


class _FeedColumns(MemberColumns):
    feed_id: Annotated[UUID, At("id")]
    used: Annotated[datetime | None, At("last_used_at")]
    write_clock: Annotated[datetime, At("member__write_clock")]


_FEED = Select[_FeedColumns](
    CalendarFeed.objects.filter(member_id=Param("member_id"), secret_hash=Param("secret_hash"), member__is_active=True),
    columns_of_row(_FeedColumns) | member_columns("member"),
)


@dataclass(frozen=True, slots=True)
class Feed:
    """A live address.

    Attributes:
        id: identifies it in logs and in its rate limit; never the secret.
        member: owner of the calendar.
        write_clock: when the member's data was last changed (`studyservice.changes.writing`).
    """

    id: UUID
    member: Member
    write_clock: datetime


def new_feed(member: Member) -> str:
    """Return a new address. Its secret is not stored. An earlier address stops working.

    Raises:
        NotFound: the member was deleted meanwhile.
    """
    secret = new_secret(_CALENDAR)
    with writing(member.id):
        end_feed(member.id)
        CalendarFeed.objects.create(member_id=member.id, secret_hash=sha256(secret))
        add_owner(sha256(secret), member.id)
    return f"{settings.BASE_URL}/calendar/{secret}.ics"


def feed_of(member: Member) -> CalendarFeed | None:
    """The member's address, without its secret."""
    return CalendarFeed.objects.filter(member_id=member.id).first()


def end_feed(member_id: UUID) -> bool:
    """End the address. Return whether there was one."""
    feeds = CalendarFeed.objects.filter(member_id=member_id)
    ended = list(feeds.values_list("id", flat=True))
    if delete_credentials(feeds):
        note_gone("calendar_ended", *ended)
    return bool(ended)


def resolve_feed(secret: str) -> Feed | None:
    """Resolve the secret of an address, in one query, or two if its member is not cached in the process.

    None if it is wrong or ended. Sometimes records the use.
    """
    secret_hash = sha256(secret)
    member_id = owner_of(secret_hash) if kind_of(secret) == _CALENDAR else None
    if member_id is None:
        return None
    row = _FEED.first(member_id=member_id, secret_hash=secret_hash)
    if row is None:
        return None
    note_use(CalendarFeed, row["used"], member_id=member_id)
    return Feed(row["feed_id"], member_of(row), row["write_clock"])
