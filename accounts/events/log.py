"""Write the log of account events, and read it for the member, newest first."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypedDict
from uuid import UUID

from django.db import transaction
from django.db.models import Model

from accounts.changes.calls import Actor, current_call
from accounts.changes.contents import type_of
from accounts.changes.models import MAX_NAME, ActorKind
from accounts.events.models import AccountEvent, EventKind
from accounts.members.models import Member
from studyservice.database.snapshots import in_pieces
from studyservice.http.logs import NO_REQUEST, current_request_id
from studyservice.operations.errors import NotFound


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


class EventRow(TypedDict):
    """An event in words."""

    id: UUID
    created_at: datetime
    kind: str
    by_kind: str
    by_id: UUID | None
    by_name: str
    network: str
    object_type: str
    object_id: UUID | None
    object_name: str
    detail: str
    request_id: str


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
        who: the actor; by default the current call's (`accounts.changes.calls`), or a command if there is none, as in
            an operator's shell.
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


def list_events(member: Member, *, limit: int, before: UUID | None = None) -> list[EventRow]:
    """Return the member's newest events, or the newest before the event `before`."""
    rows: Any = AccountEvent.objects.filter(member_id=member.id).order_by("-id")
    if before is not None:
        rows = rows.filter(id__lt=before)
    return list(rows.values(*EventRow.__annotations__)[:limit])


def all_events(member: Member) -> Iterator[EventRow]:
    """Yield every event of the member, oldest first. Call inside `snapshot`."""
    rows: Any = AccountEvent.objects.filter(member_id=member.id).order_by("id")
    yield from in_pieces(rows.values(*EventRow.__annotations__))
