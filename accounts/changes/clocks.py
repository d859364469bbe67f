"""Repair a member's clock after writes by a server whose own clock was ahead (`accounts.changes.writing`)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import F, Model, QuerySet
from django.utils import timezone

from accounts.changes.contents import Part, type_of
from accounts.changes.recording import record
from accounts.changes.writing import MAX_DRIFT
from accounts.members.data import member_data
from accounts.members.models import Member

_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Repaired:
    """A repaired clock.

    Attributes:
        ahead: how far it was ahead.
        stamps: number of different stamps in the future.
    """

    email: str
    ahead: timedelta
    stamps: int


def members_ahead() -> QuerySet[Member]:
    """The members whose clock is more than `MAX_DRIFT` ahead. Reads the whole table."""
    return Member.objects.filter(write_clock__gt=timezone.now() + MAX_DRIFT)


def repair_clock(member_id: UUID) -> Repaired | None:
    """Set the clock to the true time, and move stamps that are in the future. None if it is right or the member is
    gone.

    Future stamps (`MemberData.stamps`) move back, the newest to now. They keep their order, stay distinct, and stay
    above every earlier stamp, so a poller that stored an earlier stamp misses nothing. A poller that stored a future
    stamp sees nothing new until it resets to the newest `created_at` in the list. `MemberData.repair_clock` repairs the
    rest.
    """
    with transaction.atomic():
        member = Member.objects.select_for_update().filter(id=member_id).first()
        now = timezone.now()
        if member is None or member.write_clock - now <= MAX_DRIFT:
            return None
        stamps, newest = _restamp(member, now)
        for data in member_data():
            if data.repair_clock is not None:
                data.repair_clock(member, now)
        Member.objects.filter(id=member_id).update(write_clock=newest)
        moved = Part(type_of(Member), member_id, "clock", None, {"stamps": stamps})
        record(member_id, newest, "repair_clock", [moved], undoable=False)
        return Repaired(member.email, member.write_clock - now, stamps)


class Shift(NamedTuple):
    """Moments that move together: all from `first` to `last`, inclusive, by the same amount earlier."""

    first: datetime
    last: datetime
    by: timedelta


def shifts(ahead: Iterable[datetime], now: datetime, floor: datetime | None) -> list[Shift]:
    """Return the shifts that move the timestamps `ahead` so that the newest is `now` and all are above `floor`, in
    order.

    Distances are kept. If they do not fit between `floor` and `now`, as after two leaps of the clock, the longest
    become a microsecond.

    Args:
        floor: the newest moment that stays; None if nothing does.
    """
    moments = sorted(set(ahead))
    if not moments:
        return []
    span = moments[-1] - moments[0]
    cuts: list[int] = []
    longest_first = sorted(range(1, len(moments)), key=lambda place: moments[place - 1] - moments[place])
    for place in longest_first:
        if floor is None or now - span > floor:
            break
        span -= moments[place] - moments[place - 1] - _TICK
        cuts.append(place)
    first = now - span if floor is None else max(now - span, floor + _TICK)
    found = []
    for begin, end in pairwise([0, *sorted(cuts), len(moments)]):
        shift = Shift(moments[begin], moments[end - 1], moments[begin] - first)
        found.append(shift)
        first = shift.last - shift.by + _TICK
    return found


def move(rows: QuerySet[Model], by: Shift, name: str, *along: str) -> None:
    """Move `name` and the fields `along` of rows whose `name` is within the shift."""
    moved = {field: F(field) - by.by for field in (name, *along)}
    rows.filter(**{f"{name}__range": (by.first, by.last)}).update(**moved)


def _restamp(member: Member, now: datetime) -> tuple[int, datetime]:
    """Move the member's stamps that are later than `now`. Return how many there were, and the newest now."""
    ahead: set[datetime] = set()
    kept: list[datetime] = []
    fields: list[tuple[QuerySet[Model], str]] = []
    for data in member_data():
        rows: QuerySet[Model] = QuerySet(data.model).filter(**{data.owner: member})
        for name in data.stamps:
            stamps = rows.values_list(name, flat=True)
            ahead.update(stamps.filter(**{f"{name}__gt": now}))
            kept += stamps.filter(**{f"{name}__lte": now}).order_by(f"-{name}")[:1]
            fields.append((rows, name))
    found = shifts(ahead, now, max(kept, default=None))
    for shift in found:
        for rows, name in fields:
            move(rows, shift, name)
    return len(ahead), max([now, *(shift.last - shift.by for shift in found)])
