"""The member as the member sees it."""

from collections.abc import Callable
from decimal import Decimal
from typing import Unpack

from django.conf import settings

from accounts.credentials import Credential
from accounts.models import Member
from accounts.serializers import MemberFields, MemberRow
from studyservice.hooks import Hook
from studyservice.operations.errors import NotFound

CountStreak = Callable[[Member], int]
"""Gives the days in a row with practice, in one query. The app that keeps practice stands above this one."""

PRACTICE_STREAK = Hook[CountStreak]("PRACTICE_STREAK", CountStreak)


def profile(credential: Credential) -> MemberRow:
    """The `MemberRecord` of the credential's member; costs one query, for the streak."""
    member = credential.member
    count_streak = PRACTICE_STREAK.get()
    return {
        "id": member.id,
        "email": member.email,
        "name": member.name,
        "time_zone": member.time_zone,
        "desired_retention": member.desired_retention,
        "today": member.today(),
        "practice_streak": count_streak(member),
        "membership": {
            "active": member.membership_is_active(),
            "until": member.membership_until,
            "renew_url": settings.MEMBERSHIP_URL or None,
        },
        "scopes": sorted(credential.scopes),
        "created_at": member.created_at,
    }


def update_me(member: Member, **changes: Unpack[MemberFields]) -> None:
    """Change the fields that are given, of the row and of `member`; from then on "today" is that of the new time zone.

    One statement, which no other write waits for longer than for itself. Nothing that is stored depends on the profile:
    days of practice keep the dates that they had, and cards their due times until they are reviewed.

    Raises:
        NotFound: the member is gone, or is being deleted.
    """
    for name, value in changes.items():
        setattr(member, name, float(value) if isinstance(value, Decimal) else value)
    fields = {name: getattr(member, name) for name in changes}
    if fields and not Member.objects.filter(id=member.id, erasure_began_at=None).update(**fields):
        raise NotFound
