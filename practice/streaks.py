"""Runs of consecutive days with practice."""

from collections.abc import Iterable
from datetime import date, timedelta
from typing import NamedTuple

from accounts.models import Member
from practice.models import Attempt
from studyservice.database.statements import Param, Select

_DAY = timedelta(days=1)

_DAYS = Select(
    Attempt.objects.filter(member_id=Param("member_id")).order_by("-day").distinct(),
    {"day": "day"},
)


class Streak(NamedTuple):
    """A member's streak, in days."""

    current: int
    longest: int
    practiced_today: bool


def streak(days: Iterable[date], today: date) -> Streak:
    """The streak over distinct `days`, newest first.

    A run is current if it ends today or yesterday. Whoever moves to a time zone further west has for some hours
    practised “tomorrow”: until then it counts as today.
    """
    current = longest = length = 0
    newest = following = None
    for day in (min(day, today) for day in days):
        if day == following:
            continue
        if newest is None:
            newest = day
        length = length + 1 if following is not None and following - day == _DAY else 1
        following = day
        longest = max(longest, length)
        if length == (newest - day) // _DAY + 1:
            current = length
    if newest is None or newest < today - _DAY:
        current = 0
    return Streak(current, longest, practiced_today=newest == today)


def member_streak(member: Member, today: date) -> Streak:
    """The member's streak; one query."""
    return streak((row["day"] for row in _DAYS.all(member_id=member.id)), today)


def current_streak(member: Member) -> int:
    """The days in a row with practice, up to today or yesterday; one query."""
    return member_streak(member, member.today()).current
