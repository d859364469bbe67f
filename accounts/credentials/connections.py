"""Apps that act for a member: what the key page shows of them.

The authorization server, which stands above this app, knows them; `CONNECTED_APPS` names what it answers with.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from django.db.models import QuerySet, TextChoices

from accounts.credentials.limits import NO_LIMITS, Limits
from accounts.members.models import Member
from studyservice.hooks import Hook
from studyservice.operations.declaration import Scope


class Refusal(TextChoices):
    """Why a call of an app was refused: a type of the API's errors, or what was wrong with its access token."""

    EXPIRED = "token_expired", "its access token had expired, and it gets a new one by itself"
    BLOCKED = "app_blocked", "the operators have blocked it"
    ELSEWHERE = "token_for_elsewhere", "its access token is for the MCP address alone"
    INSUFFICIENT_SCOPE = "insufficient_scope", "it may not change data"
    MEMBERSHIP_REQUIRED = "membership_required", "your membership was not active"
    RATE_LIMITED = "rate_limited", "it made too many calls in a minute"
    INVALID_REQUEST = "invalid_request", "it sent what could not be understood"
    METHOD_NOT_ALLOWED = "method_not_allowed", "it asked for what cannot be done there"
    NOT_FOUND = "not_found", "it asked for something that is not there"
    VALIDATION_FAILED = "validation_failed", "it sent values that are not valid"
    CONFLICT = "conflict", "a limit of what can be stored was reached"
    INTERNAL_ERROR = "internal_error", "something went wrong on our side"


@dataclass(frozen=True, slots=True)
class ConnectedApp:
    """One app that a member has connected.

    Attributes:
        id: names the connection on its pages.
        name: as the app calls itself.
        verified: whether we checked it, or each of its callbacks belongs to a recognized platform.
        hosts: what tells it from another of the same name: who publishes it and where it returns to.
        scopes: what the member allowed.
        last_call_at: when a call of it was last answered as it asked; None if none ever was.
        refused_at: when a call of it was last refused; None if none ever was.
        refusal: why that one was.
        reused_at: when a refresh token of it was last used a second time.
        blocked: whether operators have blocked it, so that it does nothing.
        limits: what it may see.
        sees: the same in words, on a page that says so.
    """

    id: UUID
    name: str
    verified: bool
    hosts: tuple[str, ...]
    scopes: frozenset[Scope]
    connected_at: datetime
    last_call_at: datetime | None = None
    refused_at: datetime | None = None
    refusal: Refusal | None = None
    reused_at: datetime | None = None
    blocked: bool = False
    limits: Limits = NO_LIMITS
    sees: str = ""


@dataclass(frozen=True, slots=True)
class ConnectedApps:
    """The newest of a member's apps.

    Attributes:
        more: whether there are others, connected earlier.
    """

    listed: Sequence[ConnectedApp] = ()
    more: bool = False


@dataclass(frozen=True, slots=True)
class AskingApp:
    """An app that waits for a member to sign in.

    Attributes:
        name: as the app calls itself.
        returns_to: where its answer goes.
    """

    name: str
    returns_to: str


class Connections(Protocol):
    """Who knows the connected apps."""

    def of(self, member: Member) -> ConnectedApps:
        """The apps of `member`, the newest first; a bounded number."""

    def one(self, member: Member, app_id: UUID) -> ConnectedApp | None:
        """The app, if `member` has connected it."""

    def members(self) -> QuerySet[Member]:
        """Every member who has connected an app."""

    def asking(self, target: str) -> AskingApp | None:
        """The app that asks for consent at `target`, an address on this site; None for any other address."""

    def note_call(self, member_id: UUID, connection: UUID, noted: datetime | None, refusal: Refusal | None) -> None:
        """Note the connection's last call, or its last `refusal`; does nothing if it ended or `noted` is fresh."""

    def limit(self, member: Member, app_id: UUID, limits: Limits) -> None:
        """Let the app see no more than this, with every token that it has, from its next call on."""

    def disconnect(self, member: Member, app_id: UUID) -> None:
        """Revoke every token that the app has for `member`, at once; nothing happens if there is none."""


CONNECTED_APPS = Hook[Connections]("CONNECTED_APPS")
