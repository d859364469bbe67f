"""Repairing a member's clock after a server whose own was ahead has written (`accounts.writing`)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any
from uuid import UUID

from django.apps import apps
from django.conf import settings
from django.db import transaction
from django.db.models import Model, Q, QuerySet
from django.utils import timezone
from django.utils.module_loading import import_string

from accounts.models import Member
from accounts.writing import MAX_DRIFT

_TICK = timedelta(microseconds=1)
_BATCH = 500
"""Rows in one statement."""

Repair = Callable[[Member, datetime], None]
"""Sets right, under the member's lock, what the app keeps by the true time and has from later than now."""


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
    """Set the clock to the true time, and with it what was made ahead; None if it is right, or the member gone.

    Stamps from ahead (`MEMBER_CLOCK_STAMPS`) become the last microseconds before now: above every stamp from before,
    in their order and no two equal, so a poller that stored a stamp from before goes on and misses nothing. One that
    stored a stamp from ahead sees nothing new until it goes back to the newest `created_at` that is listed. What else
    was written by a clock ahead is brought back by `MEMBER_CLOCK_REPAIRS`.
    """
    with transaction.atomic():
        member = Member.objects.select_for_update().filter(id=member_id).first()
        now = timezone.now()
        if member is None or member.write_clock - now <= MAX_DRIFT:
            return None
        moved = _restamp(member, now)
        for name in settings.MEMBER_CLOCK_REPAIRS:
            _resolved(name)(member, now)
        Member.objects.filter(id=member_id).update(write_clock=max([now, *moved.values()]))
        return Repaired(member.email, member.write_clock - now, len(moved))


def brought_back(ahead: Iterable[datetime], now: datetime, floor: datetime | None) -> dict[datetime, datetime]:
    """A new moment for each of `ahead`: in their order, the last microseconds up to `now`, all above `floor`.

    Args:
        floor: the newest moment that stays; None if nothing does.
    """
    moments = sorted(set(ahead))
    first = now - _TICK * (len(moments) - 1)
    if floor is not None and first <= floor:
        first = floor + _TICK
    return {moment: first + _TICK * place for place, moment in enumerate(moments)}


def _restamp(member: Member, now: datetime) -> dict[datetime, datetime]:
    """Move the member's stamps that are later than `now`; gives old to new."""
    found: list[tuple[type[Model], tuple[str, ...], list[dict[str, Any]]]] = []
    kept: list[datetime] = []
    for label, names in settings.MEMBER_CLOCK_STAMPS.items():
        model = apps.get_model(label)
        rows: QuerySet[Any] = QuerySet(model).filter(member=member)
        later = Q()
        for name in names:
            later |= Q(**{f"{name}__gt": now})
            newest = rows.filter(**{f"{name}__lte": now}).order_by(f"-{name}").values_list(name, flat=True)[:1]
            kept += newest
        found.append((model, names, list(rows.filter(later).values("pk", *names))))
    ahead = {row[name] for _, names, rows in found for row in rows for name in names if row[name] > now}
    moved = brought_back(ahead, now, max(kept, default=None))
    for model, names, stamped in found:
        changed = [model(pk=row["pk"], **{name: moved.get(row[name], row[name]) for name in names}) for row in stamped]
        objects: QuerySet[Any] = QuerySet(model)
        objects.bulk_update(changed, names, batch_size=_BATCH)
    return moved


@cache
def _resolved(name: str) -> Repair:
    repair: Repair = import_string(name)
    return repair
