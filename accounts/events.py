"""The log of account events: sign-ins, networks, keys, apps, and what operators did and read.

The log of changes covers study data (`studyservice.models`); this one covers the account. A row is written once and
never changed. It holds no secret, and only the network of an address.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar
from uuid import UUID

from django.conf import settings
from django.db import models, transaction
from django.db.models import Model, Q
from django.utils import timezone

from accounts.members.models import Member
from studyservice.changes.calls import Actor, current_call
from studyservice.changes.contents import as_words, type_of
from studyservice.database.constraints import characters, one_of
from studyservice.database.ids import uuid7
from studyservice.database.snapshots import in_pieces
from studyservice.database.statements import Row
from studyservice.http.logs import NO_REQUEST, current_request_id
from studyservice.models import CALLERS, MAX_NAME, ActorKind
from studyservice.operations.errors import NotFound

KEPT_FOR = timedelta(days=90)
"""How long a row is kept."""

_NETWORK_ENDS = ("/24", "/56")
"""The suffixes of truncated networks (`studyservice.http.requests`)."""


class EventKind(models.TextChoices):
    """The kinds of account events."""

    SIGNED_IN = "signed_in", "signed in"
    KEY_MADE = "key_made", "key made"
    KEY_NEW_NETWORK = "key_new_network", "key used from a new network"
    KEY_REVOKED = "key_revoked", "key revoked"
    LIMITS_CHANGED = "limits_changed", "limits changed"
    APP_CONNECTED = "app_connected", "app connected"
    APP_DISCONNECTED = "app_disconnected", "app disconnected"
    IDENTITY_CONNECTED = "identity_connected", "identity connected"
    IDENTITY_DISCONNECTED = "identity_disconnected", "identity disconnected"
    MEMBERSHIP_CHANGED = "membership_changed", "membership changed"
    OPERATOR_ACTION = "operator_action", "operator's action"
    OPERATOR_READ = "operator_read", "read by an operator"


class AccountEvent(models.Model):
    """One event of a member's account, with its actor and network, at the true time."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    kind = models.CharField(max_length=24, choices=EventKind)
    by_kind = models.CharField(max_length=8, choices=CALLERS)
    by_id = models.UUIDField(null=True)
    by_name = models.CharField(max_length=MAX_NAME, blank=True)
    network = models.CharField(max_length=43, blank=True, help_text="Empty where it is not known, as of commands.")
    object_type = models.CharField(max_length=32, blank=True, help_text="What it is about, if not the account.")
    object_id = models.UUIDField(null=True)
    object_name = models.CharField(max_length=MAX_NAME, blank=True)
    detail = models.CharField(max_length=MAX_NAME, blank=True)
    request_id = models.CharField(max_length=64, blank=True)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "id"], name="event_member_age"),
            models.Index(fields=["request_id"], name="event_request", condition=~Q(request_id="")),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            one_of("kind", EventKind.values),
            one_of("by_kind", dict(CALLERS)),
            *(characters(name, 0, MAX_NAME) for name in ("by_name", "object_name", "detail")),
            characters("object_type", 0, 32),
            characters("request_id", 0, 64),
            models.CheckConstraint(
                condition=Q(network="") | Q(*(Q(network__endswith=end) for end in _NETWORK_ENDS), _connector=Q.OR),
                name="%(class)s_network",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.object_name}" if self.object_name else str(self.get_kind_display())


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of an event, for example an API key, an app, or a row that an operator read.

    Attributes:
        type: in the words of the log of changes (`type_of`).
        name: at the time.
    """

    type: str
    id: UUID
    name: str

    @classmethod
    def of(cls, row: Model, name: str) -> "Subject":
        """Return a row as the subject, under that name."""
        return cls(type_of(type(row)).lower(), row.pk, name)


@contextmanager
def holding(member_id: UUID) -> Iterator[None]:
    """Open a transaction under the member's lock, for writes that need no stamp of the member's clock.

    Raises:
        NotFound: the member is gone, or is being deleted.
    """
    with transaction.atomic():
        members = Member.objects.select_for_update(no_key=True).filter(id=member_id, erasure_began_at=None)
        if not members.exists():
            raise NotFound
        yield


def record_event(
    member_id: UUID,
    kind: EventKind,
    subject: Subject | None = None,
    *,
    detail: str = "",
    who: Actor | None = None,
    network: str = "",
) -> None:
    """Store the event. Needs a transaction that holds the member's lock, so that no deletion misses the row.

    Args:
        detail: a few words about the method, or about an operator's action.
        who: the actor; by default the current call's (`studyservice.changes.calls`), or a command if there is none, as
            in an operator's shell.
        network: of the actor; same default.
    """
    call = current_call()
    who = who or (Actor(ActorKind.COMMAND) if call is None else call.who())
    network = network or ("" if call is None else call.network)
    request_id = current_request_id()
    AccountEvent.objects.create(
        member_id=member_id,
        kind=kind,
        by_kind=who.kind,
        by_id=who.id,
        by_name=who.name,
        network=network,
        object_type="" if subject is None else subject.type,
        object_id=None if subject is None else subject.id,
        object_name="" if subject is None else subject.name[:MAX_NAME],
        detail=detail[:MAX_NAME],
        request_id="" if request_id == NO_REQUEST else request_id,
    )


def list_events(member: Member, *, limit: int, before: UUID | None = None) -> list[AccountEvent]:
    """Return the member's newest events, or the newest before the event `before`."""
    events = AccountEvent.objects.filter(member_id=member.id).order_by("-id")
    if before is not None:
        events = events.filter(id__lt=before)
    return list(events[:limit])


def all_events(member: Member) -> Iterator[Row]:
    """Yield the columns of every event of the member, oldest first. Call inside `snapshot`."""
    columns = [field.attname for field in AccountEvent._meta.concrete_fields if field.attname != "member_id"]
    yield from in_pieces(AccountEvent.objects.filter(member_id=member.id).order_by("id").values(*columns))


def event_in_words(event: AccountEvent) -> str:
    """Return a sentence without its period: `The API key “Script” was used from a new network`."""
    name, thing = f"“{event.object_name}”", as_words(event.object_type).replace("api", "API")
    words = _WORDS[EventKind(event.kind)].format(
        who=_ACTORS.get(event.by_kind, ""),
        name=name,
        thing=thing,
        detail=event.detail.rstrip("."),
        more=f", {event.detail}" if event.detail else "",
        read=f"{thing} {name}" if event.object_name else thing or "account",
    )
    return words.rstrip()


_ACTORS = {
    ActorKind.PAGE.value: "You",
    ActorKind.OPERATOR.value: "An operator",
    ActorKind.COMMAND.value: "An operator's command",
}


_WORDS = {
    EventKind.SIGNED_IN: "You signed in {detail}",
    EventKind.KEY_MADE: "{who} created the API key {name}, which {detail}",
    EventKind.KEY_NEW_NETWORK: "The API key {name} was used from a new network{more}",
    EventKind.KEY_REVOKED: "{who} revoked the API key {name}",
    EventKind.LIMITS_CHANGED: "{who} made the limits of the {thing} {name} {detail}",
    EventKind.APP_CONNECTED: "{who} connected the app {name}, which {detail}",
    EventKind.APP_DISCONNECTED: "{who} disconnected the app {name}",
    EventKind.IDENTITY_CONNECTED: "You connected your account with {detail}",
    EventKind.IDENTITY_DISCONNECTED: "You disconnected your account from {detail}",
    EventKind.MEMBERSHIP_CHANGED: "Signing in with {name} changed your account: {detail}",
    EventKind.OPERATOR_ACTION: "{who} changed your account: {detail}",
    EventKind.OPERATOR_READ: "{who} looked at your {read}",
}
