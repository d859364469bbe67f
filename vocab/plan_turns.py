"""One plan at a time for each member: a second one waits, so that a member uses only one thread of a process."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from uuid import UUID
from weakref import WeakValueDictionary


class _Turn:
    """A member's lock. It is discarded when nobody holds it or waits for it."""

    def __init__(self) -> None:
        self.lock = Lock()


_turns: WeakValueDictionary[UUID, _Turn] = WeakValueDictionary()
_all = Lock()


@contextmanager
def plan_turn(member_id: UUID) -> Iterator[None]:
    """Wait until no other plan of the member is being made in this process."""
    with _all:
        turn = _turns.setdefault(member_id, _Turn())
    with turn.lock:
        yield
