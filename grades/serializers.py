"""Requests and answers of the grade operations."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, ClassVar, NotRequired, TypedDict
from uuid import UUID

from rest_framework import serializers

from courses.entry_serializers import MAX_CATEGORIES, CategoryEntryFields
from grades.models import GradeCategory, GradeScore
from grades.points import AS_POINTS, percent_of
from studyservice.operations.answers import answer, example_of, one_of
from studyservice.operations.fields import IdField, ListField
from studyservice.operations.query_fields import QueryListField, QueryNumberField
from studyservice.operations.serializers import Body, Query

_REACHES = ("already_reached", "possible", "impossible")


@answer(letter="A-", at_least=90, score=92.34, status="possible")
class NeededRow(TypedDict):
    """The score still needed for a grade."""

    letter: Annotated[str | None, "A+ to D-, by this service's table; null for the target."]
    at_least: Annotated[float, "The least grade, in percent."]
    score: Annotated[
        float | None,
        "The least score on everything open, to two decimals, with which the rounded grade is at_least or "
        "more (89.995 counts as 90). Over 100 it takes extra credit. 0 where reached already; null where nothing open "
        "changes the grade.",
    ]
    status: Annotated[
        str, one_of(_REACHES), "already_reached even with 0 in what is open, impossible even with 100, else possible."
    ]


@answer(score=70, grade=75.8, letter="C")
class AssumedRow(TypedDict):
    """The grade with the assumed score on everything open."""

    score: Annotated[float, "The score assumed, in percent."]
    grade: Annotated[float | None, "The grade then; null if no weight counts."]
    letter: Annotated[str | None, "Its letter, A+ to F."]


@answer(
    remaining_weight=60,
    best=93.8,
    worst=33.8,
    needed=[example_of(NeededRow)],
    assumed=example_of(AssumedRow),
    uncategorized=0,
)
class OutlookRow(TypedDict):
    """What the grade can still become, if everything open gets the same score."""

    remaining_weight: Annotated[float, "The weights of open categories, and open shares of others."]
    best: Annotated[float | None, "The grade with 100 on everything open."]
    worst: Annotated[float | None, "The grade with 0 on everything open."]
    needed: Annotated[list[NeededRow], "For each letter from A+ to D-, and last for the target, what it takes."]
    assumed: Annotated[AssumedRow | None, "Only with assume: the grade with that score; else null."]
    uncategorized: Annotated[
        int, "How many items of the course have no category: nothing here counts them. update_item gives them one."
    ]


CATEGORY_COLUMNS = ("name", "weight", "drop_lowest")
"""The writable columns of a category."""


class CategoryFields(CategoryEntryFields):
    """The fields of a `CategoryBody`."""

    id: NotRequired[UUID | None]


class CategoryBody(Body):
    """One category of the list that replaces the present one."""

    example: ClassVar[dict[str, Any]] = {
        "id": "1d6e2f8a-9b4c-4d7e-a3f5-2c8b7d6e4f04",
        "name": "Quizzes",
        "weight": 20,
        "drop_lowest": 1,
    }

    id = IdField(
        required=False,
        allow_null=True,
        help_text="From get_grades, for a category that stays: it keeps its scores (and drop_lowest, if not sent). "
        "Without an id the category is new, even under the same name, and the old one is deleted with its scores.",
    )

    class Meta:
        model = GradeCategory
        fields = ("id", *CATEGORY_COLUMNS)
        extra_kwargs: ClassVar[dict[str, Any]] = {
            "name": {"help_text": "The category's name, such as Homework."},
            "weight": {"help_text": "Percent of the grade; of points, its share of the total."},
            "drop_lowest": {
                "default": serializers.empty,
                "required": False,
                "allow_null": True,
                "help_text": 'How many of its lowest scores do not count, like "the lowest quiz is dropped"; 0 in a '
                "new category.",
            },
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
        "score": 85,
        "points": 17,
        "out_of": 20,
    }

    class Meta:
        model = GradeScore
        fields = ("category_id", "item_id", "label", "score", "points", "out_of")
        extra_kwargs: ClassVar[dict[str, Any]] = {
            "item_id": {
                "help_text": "The item that was graded, from list_items: of this course, without another score, and of "
                "this category or none, which it then gets. Null for none."
            },
            "category_id": {"help_text": "A category of this course, from get_grades."},
            "label": {"help_text": "What was graded, such as Quiz 3."},
            "score": {
                "required": False,
                "help_text": "Percent: 17 of 20 is 85; or send points 17, out_of 20.",
            },
            "points": {"help_text": "With out_of."},
            "out_of": {"help_text": "Over 0."},
        }

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Compute the percent of points. Points that are null count as not sent."""
        points, out_of = attrs.get("points"), attrs.get("out_of")
        if points is None and out_of is None:
            if "score" not in attrs and not self.partial:
                raise serializers.ValidationError({"score": ["Send a percent, or points and out_of."]})
            return {name: value for name, value in attrs.items() if not (self.partial and name in AS_POINTS)}
        return attrs | {"score": percent_of(points, out_of, attrs.get("score"))}


class NewScore(TypedDict):
    """The same fields of a new score, all of them."""

    category_id: UUID
    item_id: NotRequired[UUID | None]
    label: str
    score: Decimal
    points: NotRequired[Decimal | None]
    out_of: NotRequired[Decimal | None]


class ScoreFields(TypedDict, total=False):
    """Changes of a score: the fields of a `ScoreBody`."""

    category_id: UUID
    item_id: UUID | None
    label: str
    score: Decimal
    points: Decimal | None
    out_of: Decimal | None


@answer(
    GradeScore, **ScoreBody.example, id="e7c5b3a1-8d6f-4e2c-9b1a-5f4d3c2b1a05", created_at="2030-09-01T08:30:00.000000Z"
)
class GradeScoreRow(TypedDict):
    """A score."""

    id: UUID
    category_id: UUID
    item_id: UUID | None
    label: str
    score: float
    points: float | None
    out_of: float | None
    created_at: datetime


@answer(GradeScore, **example_of(GradeScoreRow), dropped=False)
class CategoryScoreRow(GradeScoreRow):
    """A score in a category."""

    dropped: Annotated[
        bool, "Whether it is among the lowest that do not count today; of equal scores the older is dropped."
    ]


@answer(
    GradeCategory,
    id="1d6e2f8a-9b4c-4d7e-a3f5-2c8b7d6e4f04",
    name="Quizzes",
    weight=20,
    drop_lowest=1,
    average=84.5,
    scores=[example_of(CategoryScoreRow)],
)
class CategoryRow(TypedDict):
    """A category with its scores."""

    id: UUID
    name: str
    weight: float
    drop_lowest: int
    average: Annotated[float | None, "The mean of its scores that count; null without scores."]
    scores: Annotated[list[CategoryScoreRow], "Its scores, oldest first."]


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
        help_text="Only these categories are open, whatever they hold now. Without it: those without scores, and in "
        "the others all items still to come.",
    )
    assume = QueryNumberField(
        required=False,
        min_value=0,
        max_value=150,
        help_text="What if everything that is open gets this score, in percent: outlook.assumed tells the grade.",
    )


@answer(
    course_id="3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01",
    course_name="Cell Biology",
    categories=[example_of(CategoryRow)],
    current_grade=84.5,
    letter_grade="B",
    outlook=example_of(OutlookRow),
)
class GradeBreakdownRow(TypedDict):
    """A course's categories and scores, and the grade they make."""

    course_id: Annotated[UUID, "The course."]
    course_name: Annotated[str, "The course's name."]
    categories: Annotated[list[CategoryRow], "The categories, in display order."]
    current_grade: Annotated[
        float | None,
        "Weighted mean over the categories with scores, dropped ones left out; null if there are none or "
        "their weights are 0.",
    ]
    letter_grade: Annotated[
        str | None,
        "A+ to F, from the rounded current grade, by this "
        "service's table (97 A+, 93 A, 90 A-, ... 60 D-); the course may have another.",
    ]
    outlook: Annotated[
        OutlookRow,
        "What is needed if everything open gets the same score. Open are categories without scores. In the "
        "others every item still to come (status open) is open, and of the other items without a score as many as "
        "there are more than scores without an item_id. Or only the remaining ones named are open, and then others "
        "without scores are left out.",
    ]
