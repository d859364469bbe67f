"""The member as the member sees it."""

from collections.abc import Callable

from accounts.credentials import Credential
from accounts.models import Member
from studyservice.database.statements import Row

_streak_counters: list[Callable[[Member], int]] = []


def count_streak_with(counter: Callable[[Member], int]) -> None:
    """Let `counter` give the practice streak. The app that keeps practice stands above this one and calls in here."""
    _streak_counters[:] = [counter]


def profile(credential: Credential) -> Row:
    """The `MemberRecord` of the credential's member; costs one query, for the streak."""
    member = credential.member
    [count_streak] = _streak_counters
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
