"""Practice statistics over the last days: days, streak, and the topics with the highest share of wrong answers."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, TypedDict
from uuid import UUID

from django.db.models import Max, Q, Sum

from accounts.models import Member
from practice.limited import SUMMED
from practice.models import CERTAIN, PracticeSum, SumKind
from practice.serializers import MemoryRow, PracticeDayRow, PracticeStatsRow, StreakRow, WeakTopicRow
from studyservice.database.rows import At
from studyservice.database.statements import Param
from studyservice.rows.access import Access, MemberSelect
from studyservice.rows.seen import AllCoursesSeen

_DAY = timedelta(days=1)

WEAK_FROM = 5
"""Minimum number of attempts in the window for a weak topic."""

WEAK_BELOW = 80
"""Percent correct below which a topic is weak."""

MOST_WEAK_TOPICS = 5


class TopicCounts(TypedDict):
    """Attempts of a topic in the window."""

    topic: str
    deck_id: UUID | None
    course_id: UUID | None
    newest: datetime
    attempts: Annotated[int, At("in_all")]
    correct: Annotated[int, At("right")]


TOPICS = (
    PracticeSum.rows.declared.filter(
        Q(kind=SumKind.TOPIC_DAY, starts_on__gte=Param("since"), starts_on__lt=Param("whole_months"))
        | Q(kind=SumKind.TOPIC_MONTH, starts_on__gte=Param("whole_months"))
    )
    .values("topic", "deck_id", "course_id")
    .annotate(in_all=Sum("attempts"), right=Sum("correct"), newest=Max("newest_at"))
)
"""The days up to the first whole month, then the months, which needs the fewest rows for any window."""


class Run(TypedDict):
    """A day of practice, and the number of consecutive ones up to it."""

    id: int
    day: Annotated[date, At("starts_on")]
    run: int


_DAYS = PracticeSum.rows.whole.filter(kind=SumKind.DAY)  # the streak is the member's
RUNS = MemberSelect(_DAYS.filter(starts_on__gte=Param("since")).order_by("starts_on"), Run)
"""The days of practice from `since` on, in order."""

_LONGEST = MemberSelect(_DAYS.order_by("-run")[:1], Run)


class _DayCounts(TypedDict):
    day: Annotated[date, At("starts_on")]
    run: Annotated[int, At("longest")]
    attempts: Annotated[int, At("all_attempts")]
    correct: Annotated[int, At("all_correct")]
    foretold_attempts: Annotated[int, At("all_foretold_attempts")]
    foretold: Annotated[int, At("all_foretold")]
    foretold_correct: Annotated[int, At("all_foretold_correct")]


_SEEN_DAYS = Q(kind=SumKind.DAY) | (Q(kind=SumKind.TOPIC_DAY) & ~Q(AllCoursesSeen()))
_BY_DAY = MemberSelect(
    PracticeSum.rows.declared.filter(_SEEN_DAYS, starts_on__gte=Param("since"))
    .values("starts_on")
    .annotate(longest=Max("run"), **{f"all_{name}": Sum(name) for name in SUMMED}),
    _DayCounts,
)
"""The days with practice. For a credential limited to courses, their numbers come from the topics."""

_BY_TOPIC = MemberSelect(TOPICS, TopicCounts)


def get_practice_stats(access: Access, *, days: int) -> PracticeStatsRow:
    """The `PracticeStatsRow` of the last `days` days, including today. Three queries."""
    today = access.today()
    since = today - timedelta(days=days - 1)
    counted = _BY_DAY.all(access, since=min(since, runs_since(today)))
    topics = _BY_TOPIC.all(access, **window(since))
    by_day = _every_day(counted, since, today)
    attempts = sum(day["attempts"] for day in by_day)
    correct = sum(day["correct"] for day in by_day)
    return {
        "days": days,
        "attempts": attempts,
        "correct": correct,
        "accuracy": percent(correct, attempts) if attempts else None,
        "streak": streak({row["day"]: row["run"] for row in counted}, longest_run(access), today),
        "by_day": by_day,
        "weak_topics": weak_topics(topics),
        "memory": _memory([row for row in counted if row["day"] >= since]),
    }


def _memory(days: list[_DayCounts]) -> MemoryRow:
    """Predicted and actual share of correct answers on these days."""
    reviews = sum(day["foretold_attempts"] for day in days)
    return {
        "reviews": reviews,
        "expected": percent(sum(day["foretold"] for day in days), reviews * CERTAIN) if reviews else None,
        "recalled": percent(sum(day["foretold_correct"] for day in days), reviews) if reviews else None,
    }


def _every_day(counted: list[_DayCounts], since: date, today: date) -> list[PracticeDayRow]:
    """A row for each day, oldest first. Practice on "tomorrow", further east, counts as today."""
    by_day: dict[date, PracticeDayRow] = {
        day: {"date": day, "attempts": 0, "correct": 0}
        for day in (since + timedelta(days=n) for n in range((today - since).days + 1))
    }
    for row in counted:
        if row["day"] >= since:
            day = by_day[min(row["day"], today)]
            day["attempts"] += row["attempts"]
            day["correct"] += row["correct"]
    return list(by_day.values())


def percent(part: float | Decimal, whole: int = 1) -> float:
    """`part` of `whole` in percent, rounded half up to two places."""
    return float((100 * Decimal(part) / whole).quantize(Decimal("0.01"), ROUND_HALF_UP))


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


def window(since: date) -> dict[str, date]:
    """Parameters of `TOPICS` for the days from `since` on."""
    whole = since if since.day == 1 else (since.replace(day=1) + timedelta(days=31)).replace(day=1)
    return {"since": since, "whole_months": whole}


def weak_topics(counted: Sequence[TopicCounts]) -> list[WeakTopicRow]:
    """The weak topics, weakest first. Equally weak ones are sorted by attempts, then by name and by deck."""
    enough = [topic for topic in _topics(counted) if topic["attempts"] >= WEAK_FROM]
    weak = [topic for topic in enough if topic["correct"] * 100 < topic["attempts"] * WEAK_BELOW]
    weak.sort(key=lambda one: (one["correct"] / one["attempts"], -one["attempts"], one["topic"], str(one["deck_id"])))
    return [
        {
            "topic": topic["topic"],
            "deck_id": topic["deck_id"],
            "course_id": topic["course_id"],
            "attempts": topic["attempts"],
            "correct": topic["correct"],
            "accuracy": percent(topic["correct"], topic["attempts"]),
        }
        for topic in weak[:MOST_WEAK_TOPICS]
    ]


def _topics(counted: Sequence[TopicCounts]) -> list[TopicCounts]:
    """A row per deck with its latest course. Attempts without a deck are grouped by course."""
    topics: dict[tuple[str, UUID | None, UUID | None], TopicCounts] = {}
    for row in sorted(counted, key=lambda row: row["newest"]):
        key = row["topic"], row["deck_id"], row["course_id"] if row["deck_id"] is None else None
        if earlier := topics.get(key):
            row["attempts"] += earlier["attempts"]
            row["correct"] += earlier["correct"]
        topics[key] = row
    return list(topics.values())
