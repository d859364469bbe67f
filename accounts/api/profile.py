"""The record of the member."""

from collections.abc import Callable

from django.conf import settings

from accounts.api.serializers import MemberRow
from accounts.credentials.limiting import limits_of
from accounts.credentials.resolving import Credential
from accounts.members.models import Member
from studyservice.hooks import Hook

CountStreak = Callable[[Member], int]
"""Returns the number of consecutive days with practice, in one query. Implemented by a higher app."""

PRACTICE_STREAK = Hook[CountStreak]("PRACTICE_STREAK")


def profile(credential: Credential) -> MemberRow:
    """Return the `MemberRecord` of the credential's member.

    Costs one query for the streak, and another if the credential is limited to courses.
    """
    member = credential.member
    today = member.today()
    count_streak = PRACTICE_STREAK.get()
    return {
        "id": member.id,
        "email": member.email,
        "name": member.name,
        "time_zone": member.time_zone,
        "desired_retention": member.desired_retention,
        "new_cards_a_day": member.new_cards_a_day,
        "today": today,
        "weekday": f"{today:%A}",
        "practice_streak": count_streak(member),
        "membership": {
            "active": member.membership_is_active(),
            "until": member.membership_until,
            "renew_url": settings.MEMBERSHIP_URL or None,
        },
        "scopes": sorted(credential.scopes),
        "limits": limits_of(member, credential.limits),
        "created_at": member.created_at,
    }
