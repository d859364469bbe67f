"""Parameters and records of the practice operation."""

from datetime import date
from typing import Any, ClassVar, TypedDict
from uuid import UUID

from rest_framework import serializers

from studyservice.operations.query_fields import QueryIntegerField
from studyservice.operations.serializers import Query, Record


class PracticeQuery(Query):
    """Parameters of get_practice_stats."""

    days = QueryIntegerField(
        min_value=1, max_value=365, default=30, help_text="How many days to look back, today included."
    )


class StreakRow(TypedDict):
    """A `StreakRecord`."""

    current: int
    longest: int
    practiced_today: bool


class StreakRecord(Record):
    """Consecutive days with practice."""

    example: ClassVar[dict[str, Any]] = {"current": 4, "longest": 11, "practiced_today": True}

    current = serializers.IntegerField(help_text="Days in a row with practice, up to today or yesterday.")
    longest = serializers.IntegerField(help_text="The most days in a row, of all time.")
    practiced_today = serializers.BooleanField(help_text="Whether there was practice today.")


class PracticeDayRow(TypedDict):
    """A `PracticeDayRecord`."""

    date: date
    attempts: int
    correct: int


class PracticeDayRecord(Record):
    """One day of practice."""

    example: ClassVar[dict[str, Any]] = {"date": "2030-11-21", "attempts": 12, "correct": 9}

    date = serializers.DateField(help_text="The member's date.")
    attempts = serializers.IntegerField(help_text="Attempts on that day.")
    correct = serializers.IntegerField(help_text="How many of them were correct.")


class WeakTopicRow(TypedDict):
    """A `WeakTopicRecord`."""

    topic: str
    deck_id: UUID | None
    course_id: UUID | None
    attempts: int
    correct: int
    accuracy: float


class WeakTopicRecord(Record):
    """A topic with at least five attempts in the window, under 80 percent correct."""

    example: ClassVar[dict[str, Any]] = {
        "topic": "Organelles",
        "deck_id": "b7d2f0a4-6c1e-4b8d-9e3f-1a5c7d9b3e06",
        "course_id": "3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01",
        "attempts": 12,
        "correct": 7,
        "accuracy": 58.33,
    }

    topic = serializers.CharField(help_text="What was practised; of a deck its name at the time.")
    deck_id = serializers.UUIDField(allow_null=True, help_text="The deck; null if it is no deck or is gone.")
    course_id = serializers.UUIDField(
        allow_null=True, help_text="The course, of a deck at its newest attempt; null if there is none or it is gone."
    )
    attempts = serializers.IntegerField(help_text="Attempts in the window.")
    correct = serializers.IntegerField(help_text="How many of them were correct.")
    accuracy = serializers.FloatField(help_text="Percent correct.")


class MemoryRow(TypedDict):
    """A `MemoryRecord`."""

    reviews: int
    expected: float | None
    recalled: float | None


class MemoryRecord(Record):
    """How predicted recall compares with answers."""

    example: ClassVar[dict[str, Any]] = {"reviews": 9, "expected": 91.2, "recalled": 88.89}

    reviews = serializers.IntegerField(
        help_text="Answers to flashcards in these days that were in the state review; learning steps do not count."
    )
    expected = serializers.FloatField(
        allow_null=True, help_text="Percent of them that FSRS expected to be recalled; null without any."
    )
    recalled = serializers.FloatField(
        allow_null=True, help_text="Percent of them that were not rated again; null without any."
    )


class PracticeStatsRow(TypedDict):
    """A `PracticeStatsRecord`."""

    days: int
    attempts: int
    correct: int
    accuracy: float | None
    streak: StreakRow
    by_day: list[PracticeDayRow]
    weak_topics: list[WeakTopicRow]
    memory: MemoryRow


class PracticeStatsRecord(Record):
    """Practice over the last days, in the member's time zone."""

    example: ClassVar[dict[str, Any]] = {
        "days": 1,
        "attempts": 12,
        "correct": 9,
        "accuracy": 75.0,
        "streak": StreakRecord.example,
        "by_day": [PracticeDayRecord.example],
        "weak_topics": [WeakTopicRecord.example],
        "memory": MemoryRecord.example,
    }

    days = serializers.IntegerField(help_text="How many days were looked at.")
    attempts = serializers.IntegerField(help_text="Attempts in these days.")
    correct = serializers.IntegerField(help_text="How many of them were correct.")
    accuracy = serializers.FloatField(allow_null=True, help_text="Percent correct; null without attempts.")
    streak = StreakRecord(help_text="Consecutive days with practice.")
    by_day = PracticeDayRecord(many=True, help_text="Every one of the days, oldest first.")
    weak_topics = WeakTopicRecord(
        many=True,
        help_text="Topics with at least five attempts in these days and under 80 percent; worst first, at most five.",
    )
    memory = MemoryRecord(
        help_text="What FSRS expected of the flashcards reviewed in these days, and what was recalled: where recalled "
        "is lower, the member forgets faster than expected."
    )
