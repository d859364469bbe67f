"""The current call: its actor, network, operation and transaction.

Each entry point sets it once: `MemberViewSet.dispatch`, `call_tool` for each call of a batch, `CallMiddleware` for
pages and the admin, and each command. The actor is the credential's for REST and tools, the signed-in user for pages
and the admin, and the command's name for commands. Domain functions take the access and plain values, not a call.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import transaction

from studyservice.models import ActorKind
from studyservice.operations.declaration import Operation, Scope


class NoActor(RuntimeError):
    """Study data was changed outside a call, or by a read-only operation. A bug in the service."""


@dataclass(frozen=True, slots=True)
class Actor:
    """An actor in the log of changes and in account events.

    Attributes:
        id: the id of the API key, the app or the operator; None for a page or a command.
        name: the name of the key, app, operator or command at the time; empty for a page.
    """

    kind: ActorKind
    id: UUID | None = None
    name: str = ""


class CallTransaction:
    """One transaction for all writes of a call. It begins with the first write and ends with the call.

    Args:
        admit: called by the first write, under the member's lock. Raises to stop the call.
        stack: ends with the call.

    Attributes:
        has_begun: the transaction has begun and holds the member's lock.
    """

    def __init__(self, admit: Callable[[], None], stack: ExitStack) -> None:
        self._admit = admit
        self._stack = stack
        self.has_begun = False

    @contextmanager
    def write(self) -> Iterator[None]:
        """Run one write. The first one begins the transaction, and ends it on failure. Later ones are savepoints.

        Raises:
            RuntimeError: a transaction was already open, so this one would end too early.
        """
        if self.has_begun:
            with transaction.atomic():
                yield
            return
        with ExitStack() as first:
            first.enter_context(transaction.atomic(durable=True))
            try:
                yield
            except BaseException:
                self.has_begun = False
                raise
            self._stack.push(first.pop_all())

    def check(self) -> None:
        """Call `admit`, now that the first write holds the member's lock and sees all earlier writes.

        Raises:
            Exception: raised by `admit`.
        """
        if not self.has_begun:
            self._admit()
            self.has_begun = True


@dataclass(slots=True)
class Call:
    """A call that this thread is running.

    Attributes:
        who: returns the actor. It is called at the first change, because it can cost a query.
        network: the caller's network, as it may be stored; empty for commands and for API requests.
        operation: the declared operation; None for pages, the admin and commands.
        transaction: the transaction shared by the call's writes; None if each write has its own.
        change_ids: the call's rows in the logs of changes and of reviews, oldest first.
        doubts: functions that return warnings about valid but suspicious values. Only tools call them.
        change: the columns of the newest row in the log of changes; None without one.
    """

    who: Callable[[], Actor]
    network: str = ""
    operation: Operation | None = None
    transaction: CallTransaction | None = None
    change_ids: list[UUID] = field(default_factory=list)
    doubts: list[Callable[[], Iterable[str]]] = field(default_factory=list)
    change: Mapping[str, Any] | None = None

    @property
    def change_id(self) -> UUID | None:
        """The newest of `change_ids`; None if the call changed nothing."""
        return self.change_ids[-1] if self.change_ids else None

    @contextmanager
    def one_transaction(self, admit: Callable[[], None]) -> Iterator[CallTransaction]:
        """Run all writes of the block in one transaction, which commits at the end.

        Args:
            admit: called by the first write, under the member's lock. Raises to stop the call.
        """
        with ExitStack() as stack:
            self.transaction = CallTransaction(admit, stack)
            try:
                yield self.transaction
            finally:
                self.transaction = None


_CURRENT = ContextVar[Call | None]("call", default=None)


@contextmanager
def acting(who: Actor | Callable[[], Actor], network: str = "", operation: Operation | None = None) -> Iterator[Call]:
    """Set the current call for the block."""
    call = Call((lambda: who) if isinstance(who, Actor) else who, network, operation)
    token = _CURRENT.set(call)
    try:
        yield call
    finally:
        _CURRENT.reset(token)


def current_call() -> Call | None:
    """Return the call that this thread is running, or None."""
    return _CURRENT.get()


def doubt(sentences: Callable[[], Iterable[str]]) -> None:
    """Let a tool warn of a possible mistake. `sentences` is called after the write."""
    call = _CURRENT.get()
    if call is not None:
        call.doubts.append(sentences)


def required_call() -> Call:
    """Return the call that this thread is running.

    Raises:
        NoActor: there is none.
    """
    call = _CURRENT.get()
    if call is None:
        raise NoActor("There is no current call. Use studyservice.changes.calls.acting at the entry point.")
    return call


def writing_call() -> Call:
    """Return the call that this thread is running, for a change of study data.

    Raises:
        NoActor: there is none, or its operation is read-only.
    """
    call = required_call()
    if call.operation is not None and call.operation.scope is Scope.READ:
        raise NoActor(f"{call.operation.id} changed study data, but its declared scope is read.")
    return call


def command(name: str) -> Actor:
    """Return the actor for a management command."""
    return Actor(ActorKind.COMMAND, name=name)
