"""Requests and answers of the grade operations."""

from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar, NotRequired, TypedDict
from uuid import UUID

from rest_framework import serializers

from courses.entry_serializers import MAX_CATEGORIES
from grades.models import GradeCategory, GradeScore
from studyservice.operations.fields import IdField, ListField
from studyservice.operations.query_fields import QueryListField, QueryNumberField
from studyservice.operations.serializers import Body, Query, Record

CATEGORY_COLUMNS = ("name", "weight")
"""The writable columns of a category."""


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
        help_text="The id of a category that stays, from get_grades: only with it does the category keep its scores. "
        "Without it the category is new, even under the same name, and the old one is deleted with its scores.",
    )

    class Meta:
        model = GradeCategory
        fields = ("id", *CATEGORY_COLUMNS)
        extra_kwargs: ClassVar[dict[str, Any]] = {
            "name": {"help_text": "The category's name, such as Homework."},
            "weight": {"help_text": "Its weight; kept to four decimals."},
        }


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
        "item_id": "8f2b7c1d-0d3e-4c55-8a51-6a2b9b1f7e02",
        "label": "Quiz 3",
        "score": 84.5,
    }

    class Meta:
        model = GradeScore
        fields = ("category_id", "item_id", "label", "score")
        extra_kwargs: ClassVar[dict[str, Any]] = {
            "item_id": {
                "help_text": "The item that was graded, from list_items: of this course, without another score, and of "
                "this category or none, which it then gets. Null for none."
            },
            "category_id": {"help_text": "A category of this course, from get_grades."},
            "label": {"help_text": "What was graded, such as Quiz 3."},
            "score": {"help_text": "Percent, 0 to 150 for extra credit; kept to four decimals."},
        }


class NewScore(TypedDict):
    """The same fields of a new score, all of them."""

    category_id: UUID
    item_id: NotRequired[UUID | None]
    label: str
    score: Decimal


class ScoreFields(TypedDict, total=False):
    """Changes of a score: the fields of a `ScoreBody`."""

    category_id: UUID
    item_id: UUID | None
    label: str
    score: Decimal


class GradeScoreRow(TypedDict):
    """A `GradeScoreRecord`."""

    id: UUID
    category_id: UUID
    item_id: UUID | None
    label: str
    score: float
    created_at: datetime


class GradeScoreRecord(Record):
    """A score."""

    example: ClassVar[dict[str, Any]] = ScoreBody.example | {
        "id": "e7c5b3a1-8d6f-4e2c-9b1a-5f4d3c2b1a05",
        "created_at": "2030-09-01T08:30:00.000000Z",
    }

    class Meta:
        model = GradeScore
        fields = ("id", *ScoreBody.Meta.fields, "created_at")


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

    average = serializers.FloatField(allow_null=True, help_text="The mean of its scores; null without scores.")
    scores = GradeScoreRecord(many=True, help_text="Its scores, oldest first.")

    class Meta:
        model = GradeCategory
        fields = ("id", *CATEGORY_COLUMNS)


class GradesQuery(Query):
    """What the outlook is asked for."""

    target = QueryNumberField(
        required=False,
        min_value=0,
        max_value=100,
        help_text="A grade in percent that outlook is to tell about, beside the letters.",
    )
    remaining = QueryListField(
        child=IdField(),
        required=False,
        allow_null=True,
        max_length=MAX_CATEGORIES,
        help_text="Categories whose final average is still open, whatever they hold now; "
        "without any, those without scores.",
    )


_REACHES = ("already_reached", "possible", "impossible")


class NeededRow(TypedDict):
    """A `NeededRecord`."""

    letter: str | None
    at_least: float
    score: float | None
    status: str


class NeededRecord(Record):
    """What a grade still takes."""

    example: ClassVar[dict[str, Any]] = {"letter": "A-", "at_least": 90, "score": 92.34, "status": "possible"}

    letter = serializers.CharField(allow_null=True, help_text="A+ to D-, by this service's table; null for the target.")
    at_least = serializers.FloatField(help_text="The least grade, in percent.")
    score = serializers.FloatField(
        allow_null=True,
        help_text="The least average in all open categories, to two decimals, with which the rounded grade reaches it; "
        "over 100 where it cannot be reached without extra credit. 0 where the grade is reached already, null where it "
        "is not and nothing is open.",
    )
    status = serializers.ChoiceField(
        choices=_REACHES,
        help_text="already_reached even with 0 in what is open, impossible even with 100, else possible.",
    )


class OutlookRow(TypedDict):
    """An `OutlookRecord`."""

    remaining_weight: float
    best: float | None
    worst: float | None
    needed: list[NeededRow]


class OutlookRecord(Record):
    """What the grade can still become, if all open categories end with the same average."""

    example: ClassVar[dict[str, Any]] = {
        "remaining_weight": 60,
        "best": 93.8,
        "worst": 33.8,
        "needed": [NeededRecord.example],
    }

    remaining_weight = serializers.FloatField(help_text="The weights of the open categories together.")
    best = serializers.FloatField(allow_null=True, help_text="The grade with 100 in every open category.")
    worst = serializers.FloatField(allow_null=True, help_text="The grade with 0 in every open category.")
    needed = NeededRecord(many=True, help_text="For each letter from A+ to D-, and last for the target, what it takes.")


class GradeBreakdownRow(TypedDict):
    """A `GradeBreakdownRecord`."""

    course_id: UUID
    course_name: str
    categories: list[CategoryRow]
    current_grade: float | None
    letter_grade: str | None
    outlook: OutlookRow


class GradeBreakdownRecord(Record):
    """A course's categories and scores, and the grade they make."""

    example: ClassVar[dict[str, Any]] = {
        "course_id": "3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01",
        "course_name": "Cell Biology",
        "categories": [CategoryRecord.example],
        "current_grade": 84.5,
        "letter_grade": "B",
        "outlook": OutlookRecord.example,
    }

    course_id = serializers.UUIDField(help_text="The course.")
    course_name = serializers.CharField(help_text="The course's name.")
    categories = CategoryRecord(many=True, help_text="The categories, in display order.")
    current_grade = serializers.FloatField(
        allow_null=True,
        help_text="Weighted mean over the categories with scores; null if there are none or their weights are 0.",
    )
    letter_grade = serializers.CharField(allow_null=True, help_text="A+ to F, from the rounded current grade.")
    outlook = OutlookRecord(
        help_text="What is needed in the open categories, each taken to end with the same average: those without "
        "scores, or the remaining ones named. A category without scores that is not open is left out.",
    )
