"""Every write goes through `writing()`: one transaction under the member's lock, stamped by the member's clock.

A change of study data names its operation and leaves a row in the log of changes (`accounts.changes.models`).
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import DateTimeField
from django.db.models.functions import Greatest
from django.utils import timezone

from accounts.changes.calls import current_call
from accounts.changes.recording import Write
from accounts.members.models import Member
from studyservice.database.functions import AMicrosecondLater
from studyservice.database.statements import Param, Update
from studyservice.operations.errors import NotFound

logger = logging.getLogger(__name__)

MAX_DRIFT = timedelta(seconds=5)
"""How far a member's clock may be ahead of the true time before operators are warned."""

_LOG_EVERY = timedelta(minutes=1)

_TICK = Update(
    Member.objects.filter(id=Param("member_id"), erasure_began_at=None),
    {"write_clock": Greatest(Param("now", DateTimeField()), AMicrosecondLater("write_clock"))},
    returning=("write_clock",),
)


@contextmanager
def writing(member_id: UUID, operation: str | None = None) -> Iterator[Write]:
    """Hold the member's row lock in a transaction, and yield the write with its stamp, `now`.

    The lock is a separate statement, before any that reads what it protects. On PostgreSQL it is sent with the next
    statement in one round trip, and the last statements are sent with the commit
    (`studyservice.database.postgresql.exchanges`).

    Writes of one member run one after another, so a count taken inside stays true until the commit. Their stamps
    strictly increase in the order in which the writes become visible, even when server clocks disagree. So a poller
    that asks for rows created after the newest stamp it saw misses nothing.

    Use the stamp only for `created_at` and `updated_at` of rows that pollers see. After a server's clock was ahead, the
    stamp stays ahead until the true time has caught up or the clock is repaired (`accounts.changes.clocks`). Use
    `timezone.now()` for expiry and due times.

    If the call's writes share a transaction (`Call.transaction`), it commits at the end of the call, and holds the lock
    until then.

    Each change is reported to the write, which stores its row last.

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
    now = timezone.now()

    def ticked(stamps: tuple[datetime, ...] | None) -> None:
        if stamps is None:
            raise NotFound
        [stamp] = stamps
        if stamp - now > MAX_DRIFT:
            _drifted.log(write.member_id, stamp, now)
        write.stamp(stamp)

    _TICK.returned_later(ticked, member_id=write.member_id, now=now)


class _DriftLog:
    """Warns that a clock is ahead, at most once a minute per process."""

    def __init__(self) -> None:
        self._logged_at = datetime(1970, 1, 1, tzinfo=UTC)

    def log(self, member_id: UUID, stamp: datetime, now: datetime) -> None:
        if abs(now - self._logged_at) < _LOG_EVERY:
            return
        self._logged_at = now
        logger.warning(
            "The clock of member %s is %.0f s ahead of the true time, probably after a write by a server with a fast "
            "clock. Fix the servers' clocks, then run: manage.py repairclock --all",
            member_id,
            (stamp - now).total_seconds(),
        )


_drifted = _DriftLog()
