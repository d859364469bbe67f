"""Connected apps, for the key page.

`CONNECTED_APPS` names the implementation, in the authorization server above this app.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from django.db.models import QuerySet, TextChoices

from accounts.members.models import Member
from studyservice.hooks import Hook
from studyservice.operations.declaration import Scope
from studyservice.rows.limits import NO_LIMITS, Limits


class Refusal(TextChoices):
    """The reason for refusing an app's call: a type or a reason of the API's errors, or a fault of its access token."""

    EXPIRED = "token_expired", "its access token had expired; it renews it automatically"
    BLOCKED = "app_blocked", "the operators have blocked it"
    ELSEWHERE = "token_for_elsewhere", "its access token works only at the MCP address"
    INSUFFICIENT_SCOPE = "insufficient_scope", "it may not change data"
    GRADES_HIDDEN = "grades_hidden", "it asked for grades, which you hide"
    PART_HIDDEN = "part_hidden", "it asked for more of your data than you let it see"
    MEMBERSHIP_REQUIRED = "membership_required", "your membership was not active"
    RATE_LIMITED = "rate_limited", "it made too many calls in a minute"
    INVALID_REQUEST = "invalid_request", "it sent an invalid request"
    METHOD_NOT_ALLOWED = "method_not_allowed", "it sent an unsupported request"
    NOT_FOUND = "not_found", "it asked for something that does not exist"
    VALIDATION_FAILED = "validation_failed", "it sent invalid values"
    CONFLICT = "conflict", "a limit was reached"
    INTERNAL_ERROR = "internal_error", "something went wrong on our side"


@dataclass(frozen=True, slots=True)
class ConnectedApp:
    """One app that a member has connected.

    Attributes:
        id: identifies the connection on its pages.
        name: as the app calls itself, or the host of its callback.
        is_named: whether it is the app's own.
        verified: whether we checked it, or each of its callbacks belongs to a recognized platform.
        hosts: distinguish it from another app of the same name: its publisher and callback hosts.
        scopes: granted by the member.
        last_call_at: when a call last succeeded; None if none ever did.
        refused_at: when a call was last refused; None if none ever was.
        refusal: the reason for that refusal.
        reused_at: when a refresh token was last used a second time.
        blocked: whether operators have blocked it.
        limits: restrict the data that it sees.
        sees: the limits in words, for pages that show them.
    """

    id: UUID
    name: str
    is_named: bool
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
class AskingApp:
    """An app that waits for a member to sign in.

    Attributes:
        name: as the app calls itself; empty if that is not shown.
        returns_to: where the member is redirected afterwards.
    """

    name: str
    returns_to: str


class Connections(Protocol):
    """Access to the connected apps."""

    def connected_apps(self, member: Member, *, most: int) -> Sequence[ConnectedApp]:
        """Return the apps of `member`, the newest first, at most `most`."""

    def one(self, member: Member, app_id: UUID) -> ConnectedApp | None:
        """Return the app, if `member` has connected it."""

    def unnamed(self, app_ids: Collection[UUID]) -> set[UUID]:
        """Return those of the apps whose names are not shown. One query, or none without apps."""

    def members(self) -> QuerySet[Member]:
        """Return every member who has connected an app."""

    def asking(self, target: str) -> AskingApp | None:
        """Return the app that requests consent at `target`, an address on this site; None for any other address."""

    def note_call(self, member_id: UUID, connection: UUID, noted: datetime | None, refusal: Refusal | None) -> None:
        """Record the connection's last call, or its last `refusal`. Does nothing if it ended or `noted` is fresh."""

    def limit(self, member: Member, app_id: UUID, limits: Limits) -> None:
        """Set the limits of the app's connection, for all its tokens, from its next call on."""

    def disconnect(self, member: Member, app_id: UUID) -> None:
        """Revoke all the app's tokens for `member`, at once. Does nothing if there are none."""


CONNECTED_APPS = Hook[Connections]("CONNECTED_APPS")
