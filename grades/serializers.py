"""What the grade operations take and answer."""

from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar, NotRequired, TypedDict
from uuid import UUID

from rest_framework import serializers

from studyservice.operations.fields import IdField, ListField, NumberField, StringField
from studyservice.operations.serializers import Body, Record

MAX_CATEGORIES = 12
"""Grade categories per course (spec, Limits)."""


class CategoryFields(TypedDict):
    """The fields of a `CategoryBody`."""

    id: NotRequired[UUID | None]
    name: str
    weight: Decimal


class CategoryBody(Body):
    """One category of the list that replaces the present one."""

    example: ClassVar[dict[str, Any]] = {
        "id": "1d6e2f8a-9b4c-4d7e-a3f5-2c8b7d6e4f04",
        "name": "Quizzes",
        "weight": 20,
    }

    id = IdField(
        required=False,
        allow_null=True,
        help_text="An existing category's id keeps its scores; without one the category is new.",
    )
    name = StringField(max_length=60, help_text="The category's name, such as Homework.")
    weight = NumberField(min_value=0, max_value=100, help_text="Its weight; kept to four decimals.")


class CategoriesBody(Body):
    """The complete list of categories, in display order."""

    example: ClassVar[dict[str, Any]] = {"categories": [CategoryBody.example, {"name": "Final exam", "weight": 80}]}

    categories = ListField(
        child=CategoryBody(),
        max_length=MAX_CATEGORIES,
        help_text="All categories, in display order, at most 12; those left out are deleted.",
    )


class ScoreBody(Body):
    """What a new score is made of."""

    example: ClassVar[dict[str, Any]] = {
        "category_id": "1d6e2f8a-9b4c-4d7e-a3f5-2c8b7d6e4f04",
        "label": "Quiz 3",
        "score": 84.5,
    }

    category_id = IdField(help_text="A category of this course, from get_grades.")
    label = StringField(  # type: ignore[assignment]  # the stub takes it for Field.label
        max_length=120, help_text="What was graded, such as Quiz 3."
    )
    score = NumberField(
        min_value=0,
        max_value=150,
        help_text="Percent, 0 to 150 for extra credit; kept to four decimals.",
    )


class GradeScoreRow(TypedDict):
    """A `GradeScoreRecord`."""

    id: UUID
    category_id: UUID
    label: str
    score: float
    created_at: datetime


class GradeScoreRecord(Record):
    """A score."""

    example: ClassVar[dict[str, Any]] = ScoreBody.example | {
        "id": "e7c5b3a1-8d6f-4e2c-9b1a-5f4d3c2b1a05",
        "created_at": "2026-09-01T08:30:00.000000Z",
    }

    id = serializers.UUIDField(help_text="The score's id.")
    category_id = serializers.UUIDField(help_text="The category it counts in.")
    label = serializers.CharField(  # type: ignore[assignment]  # the stub takes it for Field.label
        help_text="What was graded."
    )
    score = serializers.FloatField(help_text="Percent.")
    created_at = serializers.DateTimeField(help_text="When it was recorded.")


class CategoryRow(TypedDict):
    """A `CategoryRecord`."""

    id: UUID
    name: str
    weight: float
    average: float | None
    scores: list[GradeScoreRow]


class CategoryRecord(Record):
    """A category with its scores."""

    example: ClassVar[dict[str, Any]] = {
        "id": "1d6e2f8a-9b4c-4d7e-a3f5-2c8b7d6e4f04",
        "name": "Quizzes",
        "weight": 20,
        "average": 84.5,
        "scores": [GradeScoreRecord.example],
    }

    id = serializers.UUIDField(help_text="The category's id.")
    name = serializers.CharField(help_text="The category's name.")
    weight = serializers.FloatField(help_text="Its weight.")
    average = serializers.FloatField(allow_null=True, help_text="The mean of its scores; null without scores.")
    scores = GradeScoreRecord(many=True, help_text="Its scores, oldest first.")


class GradeBreakdownRow(TypedDict):
    """A `GradeBreakdownRecord`."""

    course_id: UUID
    course_name: str
    categories: list[CategoryRow]
    current_grade: float | None
    letter_grade: str | None


class GradeBreakdownRecord(Record):
    """A course's categories and scores, and the grade they make."""

    example: ClassVar[dict[str, Any]] = {
        "course_id": "3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01",
        "course_name": "Cell Biology",
        "categories": [CategoryRecord.example],
        "current_grade": 84.5,
        "letter_grade": "B",
    }

    course_id = serializers.UUIDField(help_text="The course.")
    course_name = serializers.CharField(help_text="The course's name.")
    categories = CategoryRecord(many=True, help_text="The categories, in display order.")
    current_grade = serializers.FloatField(
        allow_null=True,
        help_text="Weighted mean over the categories with scores; null if there are none or their weights are 0.",
    )
    letter_grade = serializers.CharField(allow_null=True, help_text="A+ to F, from the rounded current grade.")
