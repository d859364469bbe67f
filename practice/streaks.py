"""Runs of consecutive days with practice, computed from the sums per day."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Annotated, TypedDict

from accounts.models import Member
from accounts.rows.access import Access, MemberSelect
from practice.models import PracticeSum, SumKind
from practice.serializers import StreakRow
from studyservice.database.rows import At
from studyservice.database.statements import Param

_DAY = timedelta(days=1)


class Run(TypedDict):
    """A day of practice, and the number of consecutive ones up to it."""

    id: int
    day: Annotated[date, At("starts_on")]
    run: int


_DAYS = PracticeSum.rows.whole.filter(kind=SumKind.DAY)  # the streak is the member's
RUNS = MemberSelect(_DAYS.filter(starts_on__gte=Param("since")).order_by("starts_on"), Run)
"""The days of practice from `since` on, in order."""

_LONGEST = MemberSelect(_DAYS.order_by("-run")[:1], Run)


def runs_since(today: date) -> date:
    """The first day whose run is needed for a streak on `today`."""
    return today - _DAY


def streak(runs: Mapping[date, int], longest: int, today: date) -> StreakRow:
    """The streak, in days.

    A run is current if it ends today or yesterday. After a move to a time zone further west, practice may be dated
    "tomorrow" for some hours. Until then it counts as today, and does not shorten the longest run.

    Args:
        runs: for each day of practice from `runs_since` on, the number of consecutive days up to it.
        longest: the longest run of all time.
    """
    until_yesterday = runs.get(today - _DAY, 0)
    practiced_today = any(day >= today for day in runs)
    current = runs.get(today, until_yesterday + 1) if practiced_today else until_yesterday
    return {"current": current, "longest": max(longest, current), "practiced_today": practiced_today}


def longest_run(access: Access) -> int:
    """The longest run of consecutive days of practice. One query, which reads one row."""
    row = _LONGEST.first(access)
    return 0 if row is None else row["run"]


def current_streak(member: Member) -> int:
    """The number of consecutive days of practice up to today or yesterday. One query, which reads at most four rows."""
    today = member.today()
    runs = {row["day"]: row["run"] for row in RUNS.all(Access(member), since=runs_since(today))}
    return streak(runs, 0, today)["current"]
