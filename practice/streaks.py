"""Runs of consecutive days with practice."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import TypedDict

from accounts.models import Member
from practice.models import Attempt
from practice.serializers import StreakRow
from studyservice.database.statements import Param, Select

_DAY = timedelta(days=1)


class _Day(TypedDict):
    day: date


_DAYS = Select[_Day](
    Attempt.objects.filter(member_id=Param("member_id")).order_by("-day").distinct(),
    {"day": "day"},
)


def streak(days: Iterable[date], today: date) -> StreakRow:
    """The streak, in days, over distinct `days`, newest first.

    A run is current if it ends today or yesterday. Whoever moves to a time zone further west has for some hours
    practised “tomorrow”: until then it counts as today, and takes nothing from the longest run.
    """
    practised = list(days)
    seen = list(dict.fromkeys(min(day, today) for day in practised))
    is_current = bool(seen) and seen[0] >= today - _DAY
    runs = _runs(seen)
    return {
        "current": runs[0] if is_current else 0,
        "longest": max(runs + _runs(practised), default=0),
        "practiced_today": bool(seen) and seen[0] == today,
    }


def _runs(days: Sequence[date]) -> list[int]:
    """How many days each run of consecutive ones has, the newest first."""
    runs: list[int] = []
    following = None
    for day in days:
        if following is not None and following - day == _DAY:
            runs[-1] += 1
        else:
            runs.append(1)
        following = day
    return runs


def member_streak(member: Member, today: date) -> StreakRow:
    """The member's streak; one query."""
    return streak((row["day"] for row in _DAYS.all(member_id=member.id)), today)


def current_streak(member: Member) -> int:
    """The days in a row with practice, up to today or yesterday; one query."""
    return member_streak(member, member.today())["current"]
