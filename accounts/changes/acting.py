"""Who acts: the log of changes says so of every change, and no domain function has to be told.

Each door says it once, around what it runs: REST and tools by their credential, pages and the admin by who is signed
in, commands by their name.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID

from accounts.changes.models import ActorKind


class NoActor(RuntimeError):
    """Study data was changed where no door had said who acts: a fault of the service."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts.

    Attributes:
        kind: what it is.
        id: the API key's, the app's or the operator's; a page and a command have none.
        name: the key's, the app's, the operator's or the command's, at the time; empty of a page.
    """

    kind: ActorKind
    id: UUID | None = None
    name: str = ""


@dataclass(slots=True)
class ActingCall:
    """A call that a thread is running.

    Attributes:
        who: gives the actor; asked at the first change, as looking up who is signed in can cost a query.
        network: where it came from, as it may be written down; empty of what came from nowhere, as commands.
        change_id: the row that it left in the log of changes; None if it changed nothing.
    """

    who: Callable[[], Actor]
    network: str = ""
    change_id: UUID | None = None


_CALL = ContextVar[ActingCall | None]("acting_call", default=None)


@contextmanager
def acting(who: Actor | Callable[[], Actor], network: str = "") -> Iterator[ActingCall]:
    """What runs inside is done by `who`, or by whom it gives, from `network`."""
    call = ActingCall((lambda: who) if isinstance(who, Actor) else who, network)
    token = _CALL.set(call)
    try:
        yield call
    finally:
        _CALL.reset(token)


def current_call() -> ActingCall | None:
    """The call that this thread is running; None outside of every door."""
    return _CALL.get()


def acting_call() -> ActingCall:
    """The call that this thread is running.

    Raises:
        NoActor: no door has said who acts.
    """
    call = _CALL.get()
    if call is None:
        raise NoActor(
            "Study data was changed and nobody said who acts. Use accounts.changes.acting.acting at the door."
        )
    return call


def command(name: str) -> Actor:
    """The actor of a management command."""
    return Actor(ActorKind.COMMAND, name=name)
