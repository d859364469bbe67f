"""How practice went over the last days."""

from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.db.models import Aggregate, Count, Max, Q

from accounts.models import Member
from practice.models import Attempt
from practice.streaks import member_streak
from studyservice.database.statements import Param, Row, Select

WEAK_FROM = 5
"""Attempts in the window from which a topic can be weak."""

WEAK_BELOW = 80
"""Percent correct under which it is."""

MOST_WEAK_TOPICS = 5

_WINDOW = Attempt.objects.filter(member_id=Param("member_id"), day__gte=Param("since"))


def _counted(*columns: str, **more: Aggregate) -> Select:
    """The window's attempts and how many of them were correct, and `more`, per value of `columns`."""
    counts = _WINDOW.values(*columns).annotate(
        attempts=Count("day"), right=Count("day", filter=Q(correct=True)), **more
    )
    named = {name: name for name in (*columns, *more)}
    return Select(counts, named | {"attempts": "attempts", "correct": "right"})


_BY_DAY = _counted("day")
_BY_TOPIC = _counted("topic", "deck_id", "course_id", newest=Max("attempted_at"))


def get_practice_stats(member: Member, *, days: int) -> Row:
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
        "streak": member_streak(member, today)._asdict(),
        "by_day": by_day,
        "weak_topics": _weakest(_topics(_BY_TOPIC.all(member_id=member.id, since=since))),
    }


def percent(part: int, whole: int) -> float:
    """`part` of `whole` in percent, half-up to two places."""
    return float((Decimal(100 * part) / whole).quantize(Decimal("0.01"), ROUND_HALF_UP))


def _every_day(counted: list[Row], since: date, today: date) -> list[Row]:
    """A row for each day, oldest first. What a traveller practised “tomorrow”, east of here, counts as today."""
    by_day = {
        day: {"date": day, "attempts": 0, "correct": 0}
        for day in (since + timedelta(days=n) for n in range((today - since).days + 1))
    }
    for row in counted:
        day = by_day[min(row["day"], today)]
        day["attempts"] += row["attempts"]
        day["correct"] += row["correct"]
    return list(by_day.values())


def _topics(counted: list[Row]) -> list[Row]:
    """One row for each deck, wherever it was filed, with the course that it had last; what has no deck is by course."""
    topics: dict[tuple[Any, ...], Row] = {}
    for row in sorted(counted, key=lambda row: row.pop("newest")):
        key = row["topic"], row["deck_id"], row["course_id"] if row["deck_id"] is None else None
        if earlier := topics.get(key):
            row["attempts"] += earlier["attempts"]
            row["correct"] += earlier["correct"]
        topics[key] = row
    return list(topics.values())


def _weakest(topics: list[Row]) -> list[Row]:
    """The weak topics, worst first; of equally bad ones the most practised first."""
    enough = [topic for topic in topics if topic["attempts"] >= WEAK_FROM]
    weak = [topic for topic in enough if topic["correct"] * 100 < topic["attempts"] * WEAK_BELOW]
    weak.sort(key=lambda topic: (topic["correct"] / topic["attempts"], -topic["attempts"], topic["topic"]))
    return [topic | {"accuracy": percent(topic["correct"], topic["attempts"])} for topic in weak[:MOST_WEAK_TOPICS]]
