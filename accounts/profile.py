"""The member as the member sees it."""

from collections.abc import Callable

from accounts.credentials import Credential
from accounts.models import Member
from accounts.serializers import MemberRow
from studyservice.hooks import Hook

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
        "today": member.today(),
        "practice_streak": count_streak(member),
        "membership": {
            "active": member.membership_is_active(),
            "until": member.membership_until,
        },
        "scopes": sorted(credential.scopes),
        "created_at": member.created_at,
    }
