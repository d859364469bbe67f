"""Whose request is this: a credential and its member, resolved in one indexed query."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from django.conf import settings
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from accounts.models import ApiKey, Member
from accounts.secrets import sha256
from studyservice.operations import Scope
from studyservice.statements import Param, Row, Select

LAST_USE_EVERY = timedelta(minutes=5)
"""How stale a key's recorded last use may be (spec, API keys)."""

_MEMBER_FIELDS = (
    "id",
    "email",
    "name",
    "time_zone",
    "membership_active",
    "membership_until",
    "is_active",
    "created_at",
)

_API_KEY = Select(
    ApiKey.objects.filter(secret_hash=Param("secret_hash"), revoked_at=None, member__is_active=True),
    {"key_id": "id", "may_write": "may_write", "expires_at": "expires_at", "used": "last_used_at"}
    | {name: f"member__{name}" for name in _MEMBER_FIELDS},
    timestamps=False,
)


@dataclass(frozen=True, slots=True)
class Credential:
    """A live credential.

    Attributes:
        kind: what it is.
        id: names it in logs and in its rate limit; never the secret.
        scopes: what it may do.
        member: whose data it opens; loaded with the fields that operations need.
    """

    kind: Literal["api_key", "access_token"]
    id: UUID
    scopes: frozenset[Scope]
    member: Member


def credential_of(request: HttpRequest) -> Credential | None:
    """The live credential that `request` carries, or None if it is missing, invalid, expired or revoked.

    `Authorization` counts when both headers are sent; `X-API-Key` takes API keys only.
    """
    header = request.META.get("HTTP_AUTHORIZATION")
    if header is not None:
        scheme, _, secret = header.partition(" ")
        return _resolve(secret.strip()) if scheme.lower() == "bearer" else None
    return _resolve(request.META.get("HTTP_X_API_KEY", ""))


def _resolve(secret: str) -> Credential | None:
    if secret.startswith(f"{settings.CREDENTIAL_PREFIX}_sk_"):
        return _resolve_api_key(secret)
    return None


def _resolve_api_key(secret: str) -> Credential | None:
    row = _API_KEY.first(secret_hash=sha256(secret))
    now = timezone.now()
    if row is None or (row["expires_at"] is not None and row["expires_at"] <= now):
        return None
    if row["used"] is None or row["used"] < now - LAST_USE_EVERY:
        _record_use(row["key_id"], now)
    return Credential(
        kind="api_key",
        id=row["key_id"],
        scopes=frozenset(Scope) if row["may_write"] else frozenset({Scope.READ}),
        member=_member(row),
    )


def _member(row: Row) -> Member:
    return Member.from_db("default", _MEMBER_FIELDS, [row[name] for name in _MEMBER_FIELDS])


def _record_use(key_id: UUID, now: datetime) -> None:
    """Two requests at once write one time: the second finds it fresh."""
    stale = Q(last_used_at=None) | Q(last_used_at__lt=now - LAST_USE_EVERY)
    ApiKey.objects.filter(stale, id=key_id).update(last_used_at=now)
