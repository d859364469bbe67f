"""Resolve a credential and its member, in one indexed query that names the member.

Each kind of secret has its resolver. API keys have theirs here. `CREDENTIAL_RESOLVERS` names all of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from operator import itemgetter
from typing import Annotated, TypedDict
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone

from accounts.credentials.connections import Refusal
from accounts.credentials.models import ApiKey, KeyEnd
from accounts.credentials.owners import note_use, owner_of
from accounts.members.models import Member
from studyservice.changes.calls import Actor
from studyservice.database.rows import At, columns_of_row
from studyservice.database.statements import Param, Select
from studyservice.hooks import HookTable
from studyservice.http.requests import RequestKey
from studyservice.models import ActorKind
from studyservice.operations.declaration import Scope
from studyservice.rows.access import Connection, Credential
from studyservice.rows.limits import Limits
from studyservice.secrets.generated import kind_of, sha256


class MemberColumns(TypedDict):
    """The member in a row with `member_columns`."""

    member_id: UUID
    member_email: str
    member_name: str
    member_time_zone: str
    member_desired_retention: float
    member_new_cards_a_day: int | None
    member_morning_email: bool
    member_seconds: float
    member_seconds_reviews: int
    member_membership_active: bool
    member_membership_until: date | None
    member_is_active: bool
    member_created_at: datetime


_MEMBER_FIELDS = tuple(name.removeprefix("member_") for name in MemberColumns.__annotations__)
_member_values = itemgetter(*MemberColumns.__annotations__)


def member_columns(path: str) -> dict[str, str]:
    """Return the columns that `member_of` needs. `path` is the model's foreign key to the member."""
    return {f"member_{name}": f"{path}__{name}" for name in _MEMBER_FIELDS}


def member_of(row: MemberColumns) -> Member:
    """Return a read-only member from a row with `member_columns`. Costs no query."""
    return Member.for_reading(_MEMBER_FIELDS, _member_values(row))


class _KeyColumns(MemberColumns):
    key_id: Annotated[UUID, At("id")]
    key_name: Annotated[str, At("name")]
    may_write: bool
    expires_at: datetime | None
    revoked_at: datetime | None
    used: Annotated[datetime | None, At("last_used_at")]
    networks: str
    limits: str | None
    refused_at: datetime | None


_API_KEY = Select[_KeyColumns](
    ApiKey.objects.filter(member_id=Param("member_id"), secret_hash=Param("secret_hash"), member__is_active=True),
    columns_of_row(_KeyColumns) | member_columns("member"),
)


@dataclass(frozen=True, slots=True)
class DeadKey:
    """An API key that was revoked or has expired. `refused_at` is the last recorded refusal."""

    id: UUID
    member_id: UUID
    reason: KeyEnd
    refused_at: datetime | None

    @property
    def caller(self) -> dict[str, UUID | str]:
        """Return the key and the reason for the refusal, for log lines."""
        return {"api_key": self.id, "credential": self.reason.value}


@dataclass(frozen=True, slots=True)
class DeadToken:
    """An existing access token that does not work. Its connection shows the member the refused call."""

    connection: Connection
    reason: Refusal

    @property
    def caller(self) -> dict[str, UUID | str]:
        """Return the app and the reason for refusing its token, for log lines."""
        return {"client_id": self.connection.client_id, "credential": self.reason.value}


DeadCredential = DeadKey | DeadToken


DEAD_CREDENTIAL = RequestKey[DeadCredential]("dead_credential")
"""An existing credential that does not work, of an API request."""

Resolver = Callable[[str], Credential | DeadCredential | None]
"""Returns the credential of a secret, in one query, or two if its member is not cached in the process."""

RESOLVERS = HookTable[Resolver]("RESOLVERS")
"""Resolvers by kind, for secrets `<CREDENTIAL_PREFIX>_<kind>_…`."""


def credential_of(request: HttpRequest) -> Credential | None:
    """Return the live credential of `request`, or None. Sets `DEAD_CREDENTIAL` if it exists but does not work.

    `Authorization` takes precedence over `X-API-Key`, which accepts API keys only.
    """
    secret = presented_secret(request)
    if secret is None:
        return None
    by_bearer, kind = "HTTP_AUTHORIZATION" in request.META, kind_of(secret)
    resolve = RESOLVERS.get(kind) if by_bearer or kind == "sk" else None
    found = resolve(secret) if resolve else None
    if isinstance(found, Credential):
        if found.works_at(request.path_info):
            return found
        found = None if found.connection is None else DeadToken(found.connection, Refusal.ELSEWHERE)
    if found is not None:
        DEAD_CREDENTIAL.set(request, found)
    return None


def presented_secret(request: HttpRequest) -> str | None:
    """Return the secret in `request`, live or not. None without one, or with a scheme other than Bearer."""
    header = request.META.get("HTTP_AUTHORIZATION")
    if header is None:
        return request.META.get("HTTP_X_API_KEY") or None
    scheme, _, secret = header.partition(" ")
    return secret.strip() or None if scheme.lower() == "bearer" else None


def resolve_api_key(secret: str) -> Credential | DeadCredential | None:
    """Return the API key `secret`, or None if it never existed or its member may not sign in. Records its use."""
    secret_hash, now = sha256(secret), timezone.now()
    member_id = owner_of(secret_hash)
    row = None if member_id is None else _API_KEY.first(member_id=member_id, secret_hash=secret_hash)
    if row is None:
        return None
    if row["revoked_at"] is not None:
        return DeadKey(row["key_id"], row["member_id"], KeyEnd.REVOKED, row["refused_at"])
    if row["expires_at"] is not None and row["expires_at"] <= now:
        return DeadKey(row["key_id"], row["member_id"], KeyEnd.EXPIRED, row["refused_at"])
    note_use(ApiKey, row["used"], member_id=row["member_id"], id=row["key_id"])
    return Credential(
        kind="api_key",
        id=row["key_id"],
        scopes=frozenset(Scope) if row["may_write"] else frozenset({Scope.READ}),
        member=member_of(row),
        actor=Actor(ActorKind.KEY, row["key_id"], row["key_name"]),
        networks=row["networks"],
        refused_at=row["refused_at"],
        limits=Limits.of(row["limits"]),
    )
