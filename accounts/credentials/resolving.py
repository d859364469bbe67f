"""Whose request is this: a credential and its member, resolved in one indexed query that names the member.

Each kind of secret has its resolver. API keys have theirs here; `CREDENTIAL_RESOLVERS` names all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from operator import itemgetter
from typing import Literal, TypedDict
from uuid import UUID

from django.http import HttpRequest
from django.utils import timezone

from accounts.changes.calls import Actor
from accounts.changes.models import ActorKind
from accounts.credentials.connections import Refusal
from accounts.credentials.models import ApiKey
from accounts.credentials.owners import owner_of
from accounts.members.models import Member
from studyservice.database.last_use import note_use
from studyservice.database.statements import Param, Select
from studyservice.hooks import HookTable
from studyservice.http.paths import is_below
from studyservice.http.request_keys import RequestKey
from studyservice.operations.declaration import Scope
from studyservice.secrets.generated import kind_of, sha256


class MemberColumns(TypedDict):
    """The member in a row with `member_columns`."""

    member_id: UUID
    member_email: str
    member_name: str
    member_time_zone: str
    member_desired_retention: float
    member_new_cards_a_day: int | None
    member_seconds: float
    member_seconds_reviews: int
    member_membership_active: bool
    member_membership_until: date | None
    member_is_active: bool
    member_created_at: datetime


_MEMBER_FIELDS = tuple(name.removeprefix("member_") for name in MemberColumns.__annotations__)
_member_values = itemgetter(*MemberColumns.__annotations__)


def member_columns(path: str) -> dict[str, str]:
    """The columns that `member_of` needs, for a `Select` on a model whose foreign key to the member is `path`."""
    return {f"member_{name}": f"{path}__{name}" for name in _MEMBER_FIELDS}


def member_of(row: MemberColumns) -> Member:
    """The member in a row with `member_columns`, for reading; costs no query."""
    return Member.for_reading(_MEMBER_FIELDS, _member_values(row))


class _KeyColumns(MemberColumns):
    key_id: UUID
    key_name: str
    may_write: bool
    expires_at: datetime | None
    used: datetime | None
    networks: str


_API_KEY = Select[_KeyColumns](
    ApiKey.objects.filter(
        member_id=Param("member_id"), secret_hash=Param("secret_hash"), revoked_at=None, member__is_active=True
    ),
    {"key_id": "id", "key_name": "name", "may_write": "may_write", "expires_at": "expires_at", "used": "last_used_at"}
    | {"networks": "networks"}
    | member_columns("member"),
)


@dataclass(frozen=True, slots=True)
class Connection:
    """What a member allowed an app, by an access token of it.

    Attributes:
        member_id: whose data it opens.
        client_id: the app's.
        last_call_at: what was noted of its calls (`accounts.credentials.app_calls`).
        refused_at: what was noted of those that were refused.
    """

    id: UUID
    member_id: UUID
    client_id: str
    last_call_at: datetime | None
    refused_at: datetime | None


@dataclass(frozen=True, slots=True)
class Credential:
    """A live credential.

    Attributes:
        kind: what it is.
        id: names it in logs and in its rate limit; never the secret.
        scopes: what it may do.
        member: whose data it opens; loaded with the fields that operations need.
        root: the path below which it works; empty means everywhere.
        actor: whom the log of changes names.
        connection: what the member allowed an app, of an access token; it may have several at once.
        networks: from where an API key was used before, apart by spaces (`accounts.credentials.key_networks`).
    """

    kind: Literal["api_key", "access_token"]
    id: UUID
    scopes: frozenset[Scope]
    member: Member
    actor: Actor
    root: str = ""
    connection: Connection | None = None
    networks: str | None = None

    @property
    def caller(self) -> dict[str, UUID | str]:
        """Who calls, as log lines say it: the member, and the API key by its id or the app by its `client_id`."""
        if self.connection is None:
            return {"member": self.member.id, "api_key": self.id}
        return {"member": self.member.id, "client_id": self.connection.client_id}

    def works_at(self, path: str) -> bool:
        """Whether it was issued for `path`."""
        return not self.root or is_below(path, self.root)


@dataclass(frozen=True, slots=True)
class DeadCredential:
    """An access token that opens nothing, though its connection is there: its member is shown that it was refused.

    Attributes:
        refusal: what is wrong with the token.
    """

    connection: Connection
    refusal: Refusal


CREDENTIAL = RequestKey[Credential]("credential")
"""The live credential of an API request; there is none where none is needed."""

DEAD_CREDENTIAL = RequestKey[DeadCredential]("dead_credential")
"""What an API request came with instead of a live credential, where its connection is known."""

Resolver = Callable[[str], Credential | DeadCredential | None]
"""Gives the credential behind a secret of its kind, in one query, or two if the process did not know whose it is."""

RESOLVERS = HookTable[Resolver]("RESOLVERS")
"""By kind: the secrets `<CREDENTIAL_PREFIX>_<kind>_…`."""


def credential_of(request: HttpRequest) -> Credential | None:
    """The live credential that `request` carries, or None if it is missing, invalid, expired, revoked or for elsewhere.

    `Authorization` counts when both headers are sent; `X-API-Key` takes API keys only. A token of a connection that is
    there is left as the request's `DEAD_CREDENTIAL` where it is not live.
    """
    secret = presented_secret(request)
    if secret is None:
        return None
    by_bearer = "HTTP_AUTHORIZATION" in request.META
    found = _resolve(secret) if by_bearer or kind_of(secret) == "sk" else None
    if isinstance(found, Credential):
        if found.works_at(request.path_info):
            return found
        found = None if found.connection is None else DeadCredential(found.connection, Refusal.ELSEWHERE)
    if found is not None:
        DEAD_CREDENTIAL.set(request, found)
    return None


def presented_secret(request: HttpRequest) -> str | None:
    """The secret that `request` carries, live or not; None without one, and with another scheme than Bearer."""
    header = request.META.get("HTTP_AUTHORIZATION")
    if header is None:
        return request.META.get("HTTP_X_API_KEY") or None
    scheme, _, secret = header.partition(" ")
    return secret.strip() or None if scheme.lower() == "bearer" else None


def _resolve(secret: str) -> Credential | DeadCredential | None:
    resolver = RESOLVERS.get(kind_of(secret))
    return resolver(secret) if resolver else None


def resolve_api_key(secret: str) -> Credential | DeadCredential | None:
    """The live API key `secret`, or None if it is wrong, expired or revoked; notes at times that it was used."""
    secret_hash, now = sha256(secret), timezone.now()
    member_id = owner_of(secret_hash)
    row = None if member_id is None else _API_KEY.first(member_id=member_id, secret_hash=secret_hash)
    if row is None or (row["expires_at"] is not None and row["expires_at"] <= now):
        return None
    note_use(ApiKey, row["used"], member_id=row["member_id"], id=row["key_id"])
    return Credential(
        kind="api_key",
        id=row["key_id"],
        scopes=frozenset(Scope) if row["may_write"] else frozenset({Scope.READ}),
        member=member_of(row),
        actor=Actor(ActorKind.KEY, row["key_id"], row["key_name"]),
        networks=row["networks"],
    )
