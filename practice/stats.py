"""Practice statistics over the last days."""

from datetime import date, timedelta
from typing import Annotated, TypedDict

from django.db.models import Max, Q, Sum

from accounts.rows.access import Access, MemberSelect
from accounts.rows.seen import AllCoursesSeen
from practice.limited import SUMMED
from practice.models import CERTAIN, PracticeSum, SumKind
from practice.percent import percent
from practice.serializers import MemoryRow, PracticeDayRow, PracticeStatsRow
from practice.streaks import longest_run, runs_since, streak
from practice.weak_topics import TOPICS, TopicCounts, weak_topics, window
from studyservice.database.rows import At
from studyservice.database.statements import Param


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
