"""Parameters and records of the practice operation."""

from datetime import date
from typing import Annotated, TypedDict
from uuid import UUID

from studyservice.operations.answers import answer, example_of
from studyservice.operations.query_fields import QueryIntegerField
from studyservice.operations.serializers import Query


class PracticeQuery(Query):
    """Parameters of get_practice_stats."""

    days = QueryIntegerField(
        min_value=1, max_value=365, default=30, help_text="How many days to look back, today included."
    )


@answer(current=4, longest=11, practiced_today=True)
class StreakRow(TypedDict):
    """Consecutive days with practice."""

    current: Annotated[int, "Days in a row with practice, up to today or yesterday."]
    longest: Annotated[int, "The most days in a row, of all time."]
    practiced_today: Annotated[bool, "Whether there was practice today."]


@answer(date="2030-11-21", attempts=12, correct=9)
class PracticeDayRow(TypedDict):
    """One day of practice."""

    date: Annotated[date, "The member's date."]
    attempts: Annotated[int, "Attempts on that day."]
    correct: Annotated[int, "How many of them were correct."]


@answer(
    topic="Organelles",
    deck_id="b7d2f0a4-6c1e-4b8d-9e3f-1a5c7d9b3e06",
    course_id="3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01",
    attempts=12,
    correct=7,
    accuracy=58.33,
)
class WeakTopicRow(TypedDict):
    """A topic with at least five attempts in the window, under 80 percent correct."""

    topic: Annotated[str, "What was practised; of a deck its name at the time."]
    deck_id: Annotated[UUID | None, "The deck; null if it is no deck or is gone."]
    course_id: Annotated[
        UUID | None, "The course, of a deck at its newest attempt; null if there is none or it is gone."
    ]
    attempts: Annotated[int, "Attempts in the window."]
    correct: Annotated[int, "How many of them were correct."]
    accuracy: Annotated[float, "Percent correct."]


@answer(reviews=9, expected=91.2, recalled=88.89)
class MemoryRow(TypedDict):
    """How predicted recall compares with answers."""

    reviews: Annotated[
        int, "Answers to flashcards in these days that were in the state review; learning steps do not count."
    ]
    expected: Annotated[float | None, "Percent of them that FSRS expected to be recalled; null without any."]
    recalled: Annotated[float | None, "Percent of them that were not rated again; null without any."]


@answer(
    days=1,
    attempts=12,
    correct=9,
    accuracy=75.0,
    streak=example_of(StreakRow),
    by_day=[example_of(PracticeDayRow)],
    weak_topics=[example_of(WeakTopicRow)],
    memory=example_of(MemoryRow),
)
class PracticeStatsRow(TypedDict):
    """Practice over the last days, in the member's time zone."""

    days: Annotated[int, "How many days were looked at."]
    attempts: Annotated[int, "Attempts in these days."]
    correct: Annotated[int, "How many of them were correct."]
    accuracy: Annotated[float | None, "Percent correct; null without attempts."]
    streak: Annotated[StreakRow, "Consecutive days with practice."]
    by_day: Annotated[list[PracticeDayRow], "Every one of the days, oldest first."]
    weak_topics: Annotated[
        list[WeakTopicRow],
        "Topics with at least five attempts in these days and under 80 percent; worst first, at most five.",
    ]
    memory: Annotated[
        MemoryRow,
        "What FSRS expected of the flashcards reviewed in these days, and what was recalled: where recalled "
        "is lower, the member forgets faster than expected.",
    ]
