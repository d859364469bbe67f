"""Every write goes through `writing()`: one transaction under the member's lock, stamped by the member's clock.

A change of study data names its operation and leaves a row in the log of changes (`studyservice.models`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.db.models import DateTimeField
from django.db.models.functions import Greatest, Now
from django.utils import timezone

from studyservice.changes.calls import current_call
from studyservice.changes.recording import Write
from studyservice.database.expressions import AMicrosecondLater
from studyservice.database.statements import Param, Update
from studyservice.operations.errors import NotFound


def clock() -> Any:
    """Return the time of stamps: the database's, which is the same for servers whose clocks differ.

    SQLite has no clock of its own. Tests replace this function, to move the time.
    """
    return Now() if connection.vendor == "postgresql" else Param("now", DateTimeField())


@cache
def tick() -> Update:
    """Return the statement that takes the member's lock, and moves the member's clock."""
    return Update(
        get_user_model().objects.filter(id=Param("member_id"), erasure_began_at=None),
        {"write_clock": Greatest(clock(), AMicrosecondLater("write_clock"))},
        returning=("write_clock",),
    )


@contextmanager
def writing(member_id: UUID, operation: str | None = None) -> Iterator[Write]:
    """Hold the member's row lock in a transaction, and yield the write with its stamp, `now`.

    The lock is a separate statement, before any that reads what it protects. On PostgreSQL it is sent with the next
    statement in one round trip, and the last statements are sent with the commit
    (`studyservice.database.postgresql.exchanges`).

    Writes of one member run one after another, so a count taken inside stays true until the commit. Their stamps
    strictly increase in the order in which the writes become visible, even if the database's clock is set back. So a
    poller that asks for rows created after the newest stamp it saw misses nothing.

    Use the stamp only for `created_at` and `updated_at` of rows that pollers see, and `timezone.now()` for expiry and
    due times.

    If the call's writes share a transaction (`Call.transaction`), it commits at the end of the call, and holds the lock
    until then.

    The verbs of `studyservice.rows` report each change to the write, which stores its row last.

    Args:
        operation: the name of the change; None for credentials and the profile, which leave no row.

    Raises:
        NotFound: the member is gone, or is being deleted.
        NoActor: study data was changed outside a call, or by a read-only operation.
    """
    call = current_call()
    shared = None if call is None else call.transaction
    with transaction.atomic() if shared is None else shared.write():
        write = Write(member_id, operation)
        _lock(write)
        if shared is not None:
            shared.check()
        yield write
        write.store()


def _lock(write: Write) -> None:
    """Send the lock and stamp the write, with the next statement."""

    def ticked(stamps: tuple[datetime, ...] | None) -> None:
        if stamps is None:
            raise NotFound
        write.stamp(*stamps)

    tick().returned_later(ticked, member_id=write.member_id, now=timezone.now())
