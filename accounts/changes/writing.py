"""The one door to every change of a member's data: a transaction under the member's lock, with its own clock.

What changes study data names its operation and leaves a row in the log of changes (`accounts.changes.models`).
"""

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Protocol
from uuid import UUID

from django.db import transaction
from django.db.models import DateTimeField
from django.db.models.functions import Greatest
from django.utils import timezone

from accounts.changes.recording import Write
from accounts.members.models import Member
from studyservice.database.functions import AMicrosecondLater
from studyservice.database.statements import Param, Update
from studyservice.operations.errors import NotFound

logger = logging.getLogger(__name__)

MAX_DRIFT = timedelta(seconds=5)
"""How far a member's clock may be ahead of the true time before it is logged, and is for operators to repair."""

_LOG_EVERY = timedelta(minutes=1)

_TICK = Update(
    Member.objects.filter(id=Param("member_id"), erasure_began_at=None),
    {"write_clock": Greatest(Param("now", DateTimeField()), AMicrosecondLater("write_clock"))},
    returning="write_clock",
)


class EnclosingCall(Protocol):
    """A call whose writes stand in one transaction, together with what is kept about the call itself."""

    def joined(self) -> AbstractContextManager[None]:
        """One write, in the transaction of the call, which begins with the first and ends with the call."""

    def check(self) -> None:
        """Whether the write may go on, now that those before it are visible; raises if not."""


ENCLOSING = ContextVar[EnclosingCall | None]("enclosing", default=None)
"""The call that encloses the writes of this thread; there is none where each write is a transaction of its own."""


@contextmanager
def writing(member_id: UUID, operation: str | None = None) -> Iterator[Write]:
    """A transaction that holds the member's row lock, and gives the write with its stamp, `now`.

    Writes of one member follow each other, so a count made inside stays true until the commit. Their stamps strictly
    grow in the order in which the writes become visible, even when server clocks disagree, so a poller that asks for
    what was created after the newest stamp it saw misses nothing.

    The stamp is for `created_at` and `updated_at` of what pollers see, and for nothing else: once a server's clock was
    ahead, it is, until the true time has caught up or the clock is repaired (`accounts.changes.clocks`). When something
    expires or is due is told by `timezone.now()`.

    Inside a call that encloses it (`ENCLOSING`) the commit, and with it the end of the lock, is the call's.

    What is changed inside is told to the write, which stores its row last.

    Args:
        operation: what is done, of what changes study data; credentials and the profile leave no row.

    Raises:
        NotFound: the member is gone, or is being deleted.
        NoActor: study data was changed, and no door has said who acts (`accounts.changes.acting`).
    """
    call = ENCLOSING.get()
    with transaction.atomic() if call is None else call.joined():
        now = timezone.now()
        stamp = _TICK.returned(member_id=member_id, now=now)
        if stamp is None:
            raise NotFound
        if stamp - now > MAX_DRIFT:
            _drifted.log(member_id, stamp, now)
        if call is not None:
            call.check()
        write = Write(member_id, stamp, operation)
        yield write
        write.store()


class _DriftLog:
    """Says that a clock is ahead, once a minute for all members of the process."""

    def __init__(self) -> None:
        self._logged_at = datetime(1970, 1, 1, tzinfo=UTC)

    def log(self, member_id: UUID, stamp: datetime, now: datetime) -> None:
        if abs(now - self._logged_at) < _LOG_EVERY:
            return
        self._logged_at = now
        logger.warning(
            "The clock of member %s is %.0f s ahead of the true time, as after a write by a server whose clock was. "
            "See to the servers' clocks, then run: manage.py repairclock --all",
            member_id,
            (stamp - now).total_seconds(),
        )


_drifted = _DriftLog()
