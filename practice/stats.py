"""How practice went over the last days."""

from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import TypedDict
from uuid import UUID

from django.db.models import Count, Max, Q

from accounts.models import Member
from practice.models import Attempt
from practice.serializers import PracticeDayRow, PracticeStatsRow, WeakTopicRow
from practice.streaks import member_streak
from studyservice.database.statements import Param, Select

WEAK_FROM = 5
"""Attempts in the window from which a topic can be weak."""

WEAK_BELOW = 80
"""Percent correct under which it is."""

MOST_WEAK_TOPICS = 5

_WINDOW = Attempt.objects.filter(member_id=Param("member_id"), day__gte=Param("since"))


class _DayCounts(TypedDict):
    day: date
    attempts: int
    correct: int


class _TopicCounts(TypedDict):
    topic: str
    deck_id: UUID | None
    course_id: UUID | None
    newest: datetime
    attempts: int
    correct: int


_ATTEMPTS = Count("day")
_CORRECT = Count("day", filter=Q(correct=True))
_BY_DAY = Select[_DayCounts](
    _WINDOW.values("day").annotate(attempts=_ATTEMPTS, right=_CORRECT),
    {"day": "day", "attempts": "attempts", "correct": "right"},
)
_BY_TOPIC = Select[_TopicCounts](
    _WINDOW.values("topic", "deck_id", "course_id").annotate(
        attempts=_ATTEMPTS, right=_CORRECT, newest=Max("attempted_at")
    ),
    {name: name for name in ("topic", "deck_id", "course_id", "newest", "attempts")} | {"correct": "right"},
)


def get_practice_stats(member: Member, *, days: int) -> PracticeStatsRow:
    """The `PracticeStatsRecord` of the last `days` days, today included; three queries."""
    today = member.today()
    since = today - timedelta(days=days - 1)
    by_day = _every_day(_BY_DAY.all(member_id=member.id, since=since), since, today)
    attempts = sum(day["attempts"] for day in by_day)
    correct = sum(day["correct"] for day in by_day)
    return {
        "days": days,
        "attempts": attempts,
        "correct": correct,
        "accuracy": percent(correct, attempts) if attempts else None,
        "streak": member_streak(member, today),
        "by_day": by_day,
        "weak_topics": _weakest(_topics(_BY_TOPIC.all(member_id=member.id, since=since))),
    }


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
    """The weak topics, worst first; of equally bad ones the most practised first."""
    enough = [topic for topic in topics if topic["attempts"] >= WEAK_FROM]
    weak = [topic for topic in enough if topic["correct"] * 100 < topic["attempts"] * WEAK_BELOW]
    weak.sort(key=lambda topic: (topic["correct"] / topic["attempts"], -topic["attempts"], topic["topic"]))
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
