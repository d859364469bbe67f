"""What the grade operations take and answer."""

from rest_framework import serializers

from studyservice.fields import IdField, NumberField, StringField
from studyservice.serializers import Body, Record

MAX_CATEGORIES = 12
"""Grade categories per course (spec, Limits)."""


class CategoryBody(Body):
    """One category of the list that replaces the present one."""

    id = IdField(
        required=False,
        allow_null=True,
        help_text="An existing category's id keeps its scores; without one the category is new.",
    )
    name = StringField(max_length=60, help_text="The category's name, such as Homework.")
    weight = NumberField(
        min_value=0, max_value=100, help_text="Its weight; kept to four decimals."
    )


class CategoriesBody(Body):
    """The complete list of categories, in display order."""

    categories = CategoryBody(
        many=True,
        max_length=MAX_CATEGORIES,
        help_text="All categories, in display order, at most 12; those left out are deleted.",
    )


class ScoreBody(Body):
    """What a new score is made of."""

    category_id = IdField(help_text="A category of this course, from get_grades.")
    label = StringField(max_length=120, help_text="What was graded, such as Quiz 3.")
    score = NumberField(
        min_value=0,
        max_value=150,
        help_text="Percent, 0 to 150 for extra credit; kept to four decimals.",
    )


class ScoreRecord(Record):
    """A score."""

    id = serializers.UUIDField(help_text="The score's id.")
    category_id = serializers.UUIDField(help_text="The category it counts in.")
    label = serializers.CharField(help_text="What was graded.")
    score = serializers.FloatField(help_text="Percent.")
    created_at = serializers.DateTimeField(help_text="When it was recorded.")


class CategoryRecord(Record):
    """A category with its scores."""

    id = serializers.UUIDField(help_text="The category's id.")
    name = serializers.CharField(help_text="The category's name.")
    weight = serializers.FloatField(help_text="Its weight.")
    average = serializers.FloatField(
        allow_null=True, help_text="The mean of its scores; null without scores."
    )
    scores = ScoreRecord(many=True, help_text="Its scores, oldest first.")


class GradeBreakdownRecord(Record):
    """A course's categories and scores, and the grade they make."""

    course_id = serializers.UUIDField(help_text="The course.")
    course_name = serializers.CharField(help_text="The course's name.")
    categories = CategoryRecord(many=True, help_text="The categories, in display order.")
    current_grade = serializers.FloatField(
        allow_null=True,
        help_text="Weighted mean over the categories with scores; null if there are none or their weights are 0.",
    )
    letter_grade = serializers.CharField(
        allow_null=True, help_text="A+ to F, from the rounded current grade."
    )
