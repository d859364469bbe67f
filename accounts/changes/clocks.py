"""Repairing a member's clock after a server whose own was ahead has written (`accounts.changes.writing`)."""

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
    """A clock that was ahead.

    Attributes:
        ahead: by how much.
        stamps: how many different stamps were made ahead.
    """

    email: str
    ahead: timedelta
    stamps: int


def members_ahead() -> QuerySet[Member]:
    """The members whose clock is ahead by more than `MAX_DRIFT`; reads the whole table."""
    return Member.objects.filter(write_clock__gt=timezone.now() + MAX_DRIFT)


def repair_clock(member_id: UUID) -> Repaired | None:
    """Set the clock to the true time, and move timestamps in the future. None if it is right, or the member is gone.

    Stamps from ahead (`MemberData.stamps`) move back, the newest to now: above every stamp from before, in their
    order and no two equal, so a poller that stored a stamp from before goes on and misses nothing. One that
    stored a stamp from ahead sees nothing new until it returns to the newest `created_at` that is listed.
    `MemberData.repair_clock` repairs the rest.
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
    """Moments that move together: from `first` to `last`, both included, by so much earlier."""

    first: datetime
    last: datetime
    by: timedelta


def shifts(ahead: Iterable[datetime], now: datetime, floor: datetime | None) -> list[Shift]:
    """Move the timestamps `ahead` so that the newest is `now`, their order stays, and all are above `floor`.

    They keep their distances. Where those do not fit between `floor` and `now`, as when clocks leapt twice, the longest
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
    """Move `name` where it is among the moments of the shift, and the fields `along` with it."""
    moved = {field: F(field) - by.by for field in (name, *along)}
    rows.filter(**{f"{name}__range": (by.first, by.last)}).update(**moved)


def _restamp(member: Member, now: datetime) -> tuple[int, datetime]:
    """Move the member's stamps that are later than `now`; returns how many there were, and the newest now."""
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
