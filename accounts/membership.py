"""Memberships: what needs one, renewing and ending them, and finding members by theirs."""

import zoneinfo
from collections.abc import Iterable
from datetime import date, datetime, timedelta

from django.db.models import Q
from django.utils import timezone

from accounts.models import Member, time_zones
from studyservice.operations.declaration import Operation
from studyservice.operations.errors import MembershipRequired

SOON = timedelta(days=14)
"""How far ahead a membership counts as ending soon."""


def require_membership(member: Member, operations: Iterable[Operation]) -> None:
    """Let a member whose membership is not active use `operations` only if none of them needs one (spec, rule 7).

    Raises:
        MembershipRequired: one does.
    """
    if any(operation.membership for operation in operations) and not member.membership_is_active():
        raise MembershipRequired


def renew(member: Member, until: date | None = None) -> None:
    """Make the membership active, open-ended or up to and including `until`; a day in the past lapses it."""
    member.membership_active = True
    member.membership_until = until
    member.save(update_fields=["membership_active", "membership_until"])


def lapse(member: Member) -> None:
    """End the membership now."""
    member.membership_active = False
    member.membership_until = None
    member.save(update_fields=["membership_active", "membership_until"])


def active() -> Q:
    """Members whose `membership_is_active()`: the last day counts in each member's own time zone."""
    now = timezone.now()
    today = now.date()
    ahead, behind = _zones(now, today + timedelta(days=1)), _zones(now, today - timedelta(days=1))
    last_day = Q(membership_until=None) | Q(membership_until__gt=today)
    last_day |= Q(membership_until=today) & ~Q(time_zone__in=ahead)
    last_day |= Q(membership_until=today - timedelta(days=1), time_zone__in=behind)
    return Q(membership_active=True) & last_day


def ending_soon() -> Q:
    """Members whose active membership ends within `SOON`."""
    return active() & Q(membership_until__lte=timezone.now().date() + SOON)


def lapsed() -> Q:
    """Members whose membership is not active."""
    return ~active()


def _zones(now: datetime, today: date) -> list[str]:
    """The time zones in which it is `today`."""
    return sorted(name for name in time_zones() if now.astimezone(zoneinfo.ZoneInfo(name)).date() == today)
