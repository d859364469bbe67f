"""The one door to every change of a member's data: a transaction under the member's lock, with its own clock."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import DateTimeField, F
from django.db.models.functions import Greatest
from django.utils import timezone

from accounts.models import Member
from studyservice.errors import NotFound
from studyservice.statements import Param, Update

_TICK = Update(
    Member.objects.filter(id=Param("member_id")),
    {"write_clock": Greatest(Param("now", DateTimeField()), F("write_clock") + timedelta(microseconds=1))},
    returning="write_clock",
)


@contextmanager
def writing(member_id: UUID) -> Iterator[datetime]:
    """A transaction that holds the member's row lock and gives the time of this write.

    Writes of one member follow each other, so a count made inside stays true until the commit. Their times strictly
    grow in the order in which the writes become visible, even when server clocks disagree, so a poller that asks for
    what was created after the newest time it saw misses nothing.

    Raises:
        NotFound: the member is gone.
    """
    with transaction.atomic():
        now = _TICK.returned(member_id=member_id, now=timezone.now())
        if now is None:
            raise NotFound
        yield now
