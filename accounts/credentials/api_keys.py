"""Create and revoke API keys."""

from contextlib import suppress
from datetime import timedelta
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from accounts.credentials.models import ApiKey
from accounts.credentials.owners import add_owner
from accounts.events import EventKind, Subject, holding, record_event
from accounts.members.models import Member
from studyservice.changes.calls import current_call
from studyservice.changes.writing import writing
from studyservice.gone import note_gone
from studyservice.operations.errors import Conflict, NotFound
from studyservice.rows.limits import NO_LIMITS, Limits
from studyservice.secrets.generated import hint_of, new_secret, sha256

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
        detail = _may_in_words(may_write) + limits.in_short()
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


def _may_in_words(may_write: bool) -> str:
    return "may change data" if may_write else "may only read"
