"""Model serializers."""

from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, TypeVar

from django.db.models import Model
from rest_framework import serializers

from courses.models import Course, Item
from grades.arithmetic import letter
from grades.models import GradeCategory, GradeScore
from planning.models import Milestone
from vocab.models import Card, Review

_Row = TypeVar("_Row", bound=Model)


class TodaySerializer(serializers.ModelSerializer[_Row]):
    """A record that is told against the member's today."""

    @property
    def today(self) -> date:
        """Computed once for an answer, by the view."""
        today: date = self.context["today"]
        return today


class ItemSerializer(TodaySerializer[Item]):
    """An item."""

    course_id = serializers.UUIDField(read_only=True)
    course_name = serializers.CharField(source="course.name", read_only=True)
    days_until = serializers.SerializerMethodField()

    class Meta:
        model = Item
        fields = ("id", "course_id", "course_name", "title", "kind", "due_on", "days_until", "created_at", "updated_at")
        read_only_fields = ("created_at", "updated_at")

    def get_days_until(self, item: Item) -> int | None:
        """Days from today."""
        return None if item.due_on is None else (item.due_on - self.today).days


class MilestoneSerializer(TodaySerializer[Milestone]):
    """A milestone."""

    item_id = serializers.UUIDField(read_only=True)
    item_title = serializers.CharField(source="item.title", read_only=True)
    course_name = serializers.CharField(source="item.course.name", read_only=True)
    overdue = serializers.SerializerMethodField()

    class Meta:
        model = Milestone
        fields = ("id", "item_id", "title", "due_on", "done", "position", "item_title", "course_name", "overdue")

    def get_overdue(self, milestone: Milestone) -> bool:
        """Not done, and due before today."""
        return not milestone.done and milestone.due_on is not None and milestone.due_on < self.today


class ScoreSerializer(serializers.ModelSerializer[GradeScore]):
    """A score."""

    category_id = serializers.UUIDField(read_only=True)
    score = serializers.FloatField()

    class Meta:
        model = GradeScore
        fields = ("id", "category_id", "label", "score", "created_at")


class CardSerializer(serializers.ModelSerializer[Card]):
    """A flashcard."""

    deck_id = serializers.UUIDField(read_only=True)

    class Meta:
        model = Card
        fields = (
            "id", "deck_id", "term", "definition", "state", "due_at", "reps", "lapses", "stability", "difficulty",
            "last_reviewed_at",
        )  # fmt: skip


class ReviewSerializer(serializers.ModelSerializer[Review]):
    """How a card was answered."""

    class Meta:
        model = Review
        fields = ("rating", "duration_ms")


def _rounded(percent: Decimal) -> float:
    return float(percent.quantize(Decimal("0.01"), ROUND_HALF_UP))


def _average(category: GradeCategory) -> Decimal | None:
    scores = [score.score for score in category.scores.all()]
    return sum(scores, Decimal()) / len(scores) if scores else None


class CategorySerializer(serializers.ModelSerializer[GradeCategory]):
    """A category with its scores."""

    weight = serializers.FloatField()
    average = serializers.SerializerMethodField()
    scores = ScoreSerializer(many=True, read_only=True)

    class Meta:
        model = GradeCategory
        fields = ("id", "name", "weight", "average", "scores")

    def get_average(self, category: GradeCategory) -> float | None:
        """The mean of its scores."""
        average = _average(category)
        return None if average is None else _rounded(average)


class GradesSerializer(serializers.ModelSerializer[Course]):
    """A course's grades."""

    course_id = serializers.UUIDField(source="id")
    course_name = serializers.CharField(source="name")
    categories = CategorySerializer(source="grade_categories", many=True)

    class Meta:
        model = Course
        fields = ("course_id", "course_name", "categories")

    def to_representation(self, instance: Course) -> dict[str, Any]:
        """The breakdown with the current grade."""
        parts = [(category.weight, _average(category)) for category in instance.grade_categories.all()]
        scored = [(weight, average) for weight, average in parts if average is not None]
        total = sum(weight for weight, _ in scored)
        grade = _rounded(sum(weight * average for weight, average in scored) / total) if total else None
        return super().to_representation(instance) | {
            "current_grade": grade,
            "letter_grade": None if grade is None else letter(round(grade * 100)),
        }
