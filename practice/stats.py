"""How practice went over the last days."""

from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import TypedDict
from uuid import UUID

from django.db.models import Max, Q, Sum

from accounts.models import Member
from practice.models import CERTAIN, PracticeSum, SumKind
from practice.serializers import MemoryRow, PracticeDayRow, PracticeStatsRow, WeakTopicRow
from practice.streaks import longest_run, runs_since, streak
from studyservice.database.statements import Param, Select

WEAK_FROM = 5
"""Attempts in the window from which a topic can be weak."""

WEAK_BELOW = 80
"""Percent correct under which it is."""

MOST_WEAK_TOPICS = 5

_SUMS = PracticeSum.objects.filter(member_id=Param("member_id"))


class _DayCounts(TypedDict):
    day: date
    attempts: int
    correct: int
    run: int
    foretold_attempts: int
    foretold: int
    foretold_correct: int


class _TopicCounts(TypedDict):
    topic: str
    deck_id: UUID | None
    course_id: UUID | None
    newest: datetime
    attempts: int
    correct: int


_BY_DAY = Select[_DayCounts](
    _SUMS.filter(kind=SumKind.DAY, starts_on__gte=Param("since")),
    {"day": "starts_on"}
    | {name: name for name in ("attempts", "correct", "run", "foretold_attempts", "foretold", "foretold_correct")},
)
_BY_TOPIC = Select[_TopicCounts](
    _SUMS.filter(
        Q(kind=SumKind.TOPIC_DAY, starts_on__gte=Param("since"), starts_on__lt=Param("whole_months"))
        | Q(kind=SumKind.TOPIC_MONTH, starts_on__gte=Param("whole_months"))
    )
    .values("topic", "deck_id", "course_id")
    .annotate(in_all=Sum("attempts"), right=Sum("correct"), newest=Max("newest_at")),
    {name: name for name in ("topic", "deck_id", "course_id", "newest")} | {"attempts": "in_all", "correct": "right"},
)
"""The days up to the first whole month, then the months: of a window that is not known before, the fewest rows."""


def get_practice_stats(member: Member, *, days: int) -> PracticeStatsRow:
    """The `PracticeStatsRecord` of the last `days` days, today included; three queries."""
    today = member.today()
    since = today - timedelta(days=days - 1)
    counted = _BY_DAY.all(member_id=member.id, since=min(since, runs_since(today)))
    topics = _BY_TOPIC.all(member_id=member.id, since=since, whole_months=_month_from(since))
    by_day = _every_day(counted, since, today)
    attempts = sum(day["attempts"] for day in by_day)
    correct = sum(day["correct"] for day in by_day)
    return {
        "days": days,
        "attempts": attempts,
        "correct": correct,
        "accuracy": percent(correct, attempts) if attempts else None,
        "streak": streak({row["day"]: row["run"] for row in counted}, longest_run(member), today),
        "by_day": by_day,
        "weak_topics": _weakest(_topics(topics)),
        "memory": _memory([row for row in counted if row["day"] >= since]),
    }


def _memory(days: list[_DayCounts]) -> MemoryRow:
    """How likely the answers of these days were to be right, and how many were."""
    reviews = sum(day["foretold_attempts"] for day in days)
    return {
        "reviews": reviews,
        "expected": percent(sum(day["foretold"] for day in days), reviews * CERTAIN) if reviews else None,
        "recalled": percent(sum(day["foretold_correct"] for day in days), reviews) if reviews else None,
    }


def _month_from(day: date) -> date:
    """The first of a month on `day` or after it."""
    return day if day.day == 1 else (day.replace(day=1) + timedelta(days=31)).replace(day=1)


def percent(part: int, whole: int) -> float:
    """`part` of `whole` in percent, half-up to two places."""
    return float((Decimal(100 * part) / whole).quantize(Decimal("0.01"), ROUND_HALF_UP))


def _every_day(counted: list[_DayCounts], since: date, today: date) -> list[PracticeDayRow]:
    """A row for each day, oldest first. What a traveller practised “tomorrow”, east of here, counts as today."""
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


def _topics(counted: list[_TopicCounts]) -> list[_TopicCounts]:
    """One row for each deck, wherever it was filed, with the course that it had last; what has no deck is by course."""
    topics: dict[tuple[str, UUID | None, UUID | None], _TopicCounts] = {}
    for row in sorted(counted, key=lambda row: row["newest"]):
        key = row["topic"], row["deck_id"], row["course_id"] if row["deck_id"] is None else None
        if earlier := topics.get(key):
            row["attempts"] += earlier["attempts"]
            row["correct"] += earlier["correct"]
        topics[key] = row
    return list(topics.values())


def _weakest(topics: list[_TopicCounts]) -> list[WeakTopicRow]:
    """The weak topics, worst first; of equally bad ones the most practised first, then by name and by deck."""
    enough = [topic for topic in topics if topic["attempts"] >= WEAK_FROM]
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
