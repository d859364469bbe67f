"""Memberships: renew and end them, and find members by state."""

import zoneinfo
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from accounts.members.models import Member, time_zones

SOON = timedelta(days=14)
"""How many days before its end a membership counts as ending soon."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a membership, for pages.

    Attributes:
        until: the last day included, in the member's time zone; None if open-ended.
        ends_soon: whether it is active and `until` is at most `SOON` away.
        renew_url: where to renew; empty if that is not set.
    """

    active: bool
    until: date | None
    ends_soon: bool
    renew_url: str


def standing(member: Member) -> Standing:
    """Return the state of the member's membership today."""
    active, until = member.membership_is_active(), member.membership_until
    soon = active and until is not None and until <= member.today() + SOON
    return Standing(active, until, soon, settings.MEMBERSHIP_URL)


def renew(member: Member, until: date | None = None) -> None:
    """Activate the membership, open-ended or up to and including `until`. A past day ends it."""
    member.membership_active = True
    member.membership_until = until
    member.save(update_fields=["membership_active", "membership_until"])


def lapse(member: Member) -> None:
    """End the membership now."""
    member.membership_active = False
    member.membership_until = None
    member.save(update_fields=["membership_active", "membership_until"])


def note_of_membership(is_active: bool, until: date | None) -> str:
    """Return the detail of an account event about a membership."""
    if not is_active:
        return "Membership ended."
    return f"Membership active until {until}." if until else "Membership active, no end date."


def active() -> Q:
    """Condition for `membership_is_active()`: the last day counts in each member's own time zone."""
    now = timezone.now()
    today = now.date()
    ahead, behind = _zones(now, today + timedelta(days=1)), _zones(now, today - timedelta(days=1))
    last_day = Q(membership_until=None) | Q(membership_until__gt=today)
    last_day |= Q(membership_until=today) & ~Q(time_zone__in=ahead)
    last_day |= Q(membership_until=today - timedelta(days=1), time_zone__in=behind)
    return Q(membership_active=True) & last_day


def ending_soon() -> Q:
    """Condition for an active membership that ends within `SOON`."""
    return active() & Q(membership_until__lte=timezone.now().date() + SOON)


def lapsed() -> Q:
    """Condition for an inactive membership."""
    return ~active()


def _zones(now: datetime, today: date) -> list[str]:
    """Return the time zones in which it is `today`."""
    return sorted(name for name in time_zones() if now.astimezone(zoneinfo.ZoneInfo(name)).date() == today)
