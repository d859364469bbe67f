"""The topics with the highest share of wrong answers."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Annotated, TypedDict
from uuid import UUID

from django.db.models import Max, Q, Sum

from practice.models import PracticeSum, SumKind
from practice.percent import percent
from practice.serializers import WeakTopicRow
from studyservice.database.rows import At
from studyservice.database.statements import Param

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


def window(since: date) -> dict[str, date]:
    """Parameters of `TOPICS` for the days from `since` on."""
    return {"since": since, "whole_months": _month_from(since)}


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


def _month_from(day: date) -> date:
    """The first day of a month on or after `day`."""
    return day if day.day == 1 else (day.replace(day=1) + timedelta(days=31)).replace(day=1)
