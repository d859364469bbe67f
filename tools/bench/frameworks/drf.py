"""Idiomatic Django REST framework: serializers and views as its documentation shows them."""

from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Model, Q, QuerySet
from django.urls import path
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import APIException
from rest_framework.generics import RetrieveAPIView, get_object_or_404
from rest_framework.pagination import CursorPagination
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import ModelViewSet

from accounts.models import Member
from courses.item_rows import status_of
from courses.models import Course, Item
from grades.curve import letter
from grades.models import GradeCategory, GradeScore
from planning.models import Milestone
from practice.models import Attempt, Source
from tools.bench.frameworks.drf_keys import KeyRequest
from vocab.models import Card, CardState, Rating, Review
from vocab.scheduling import MemoryState, next_state

_MEMORY = ("state", "step", "stability", "difficulty", "due_at", "last_reviewed_at")


class ItemSerializer(serializers.ModelSerializer[Item]):
    """An item. The view passes the member's date."""

    course_id = serializers.UUIDField(read_only=True)
    course_name = serializers.CharField(source="course.name", read_only=True)
    days_until = serializers.SerializerMethodField()
    category_id = serializers.UUIDField(read_only=True)
    status = serializers.SerializerMethodField()

    class Meta:
        model = Item
        fields = (
            "id", "course_id", "course_name", "title", "kind", "due_on", "days_until", "category_id", "note", "done",
            "done_at", "status", "created_at", "updated_at",
        )  # fmt: skip
        read_only_fields = ("created_at", "updated_at")

    def get_days_until(self, item: Item) -> int | None:
        """Return the days from today."""
        return None if item.due_on is None else (item.due_on - self.context["today"]).days

    def get_status(self, item: Item) -> str:
        """Return the status on the member's date."""
        today = self.context["today"]
        return status_of(item.kind, item.due_on, item.done, item.graded, item.missable_from, today)


class MilestoneSerializer(serializers.ModelSerializer[Milestone]):
    """A milestone. The view passes the member's date."""

    item_id = serializers.UUIDField(read_only=True)
    item_title = serializers.CharField(source="item.title", read_only=True)
    course_name = serializers.CharField(source="item.course.name", read_only=True)
    overdue = serializers.SerializerMethodField()

    class Meta:
        model = Milestone
        fields = ("id", "item_id", "title", "due_on", "done", "position", "item_title", "course_name", "overdue")

    def get_overdue(self, milestone: Milestone) -> bool:
        """Return whether it is not done, and was due before today."""
        return not milestone.done and milestone.due_on is not None and milestone.due_on < self.context["today"]


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
            "last_reviewed_at", "suspended",
        )  # fmt: skip


class ReviewSerializer(serializers.ModelSerializer[Review]):
    """The answer to a card."""

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
        """Return the mean of its scores."""
        average = _average(category)
        return None if average is None else _rounded(average)


class GradesSerializer(serializers.ModelSerializer[Course]):
    """The grades of a course."""

    course_id = serializers.UUIDField(source="id")
    course_name = serializers.CharField(source="name")
    categories = CategorySerializer(source="grade_categories", many=True)

    class Meta:
        model = Course
        fields = ("course_id", "course_name", "categories")

    def to_representation(self, instance: Course) -> dict[str, Any]:
        """Add the current grade."""
        parts = [(category.weight, _average(category)) for category in instance.grade_categories.all()]
        scored = [(weight, average) for weight, average in parts if average is not None]
        total = sum(weight for weight, _ in scored)
        grade = _rounded(sum(weight * average for weight, average in scored) / total) if total else None
        found = {"current_grade": grade, "letter_grade": None if grade is None else letter(round(grade * 100))}
        return super().to_representation(instance) | found


class Full(APIException):
    """The course has reached its limit of items."""

    status_code = 409
    default_detail = "Too many items."


class SoonestFirst(CursorPagination):
    """Keyset pages. PostgreSQL sorts items without a date last."""

    ordering = ("due_on", "created_at", "id")


class ItemViewSet(ModelViewSet[Item]):
    """The member's items."""

    request: KeyRequest
    serializer_class = ItemSerializer
    pagination_class = SoonestFirst

    def get_queryset(self) -> QuerySet[Item]:
        """Return only the member's own items."""
        return Item.objects.filter(member=self.request.user).select_related("course")

    def get_serializer_context(self) -> dict[str, Any]:
        """Add the member's date."""
        return {**super().get_serializer_context(), "today": self.request.user.today()}

    def perform_create(self, serializer: serializers.BaseSerializer[Item]) -> None:
        """Create it in a course of the member. The lock keeps the limit exact."""
        with transaction.atomic():
            member = Member.objects.select_for_update().get(pk=self.request.user.pk)
            course = get_object_or_404(Course.objects.filter(member=member), pk=self.kwargs["course_id"])
            if course.items.count() >= 1000:
                raise Full
            serializer.save(member=member, course=course)


class AgendaView(APIView):
    """Items and open milestones of the coming days."""

    def get(self, request: KeyRequest) -> Response:
        """Return both."""
        today = request.user.today()
        until = today + timedelta(days=int(request.query_params.get("days", 14)))
        order = F("due_on").asc(nulls_last=True)
        items = Item.objects.filter(member=request.user, due_on__range=(today, until)).select_related("course")
        undated = Q(due_on=None, item__due_on__range=(today, until))
        milestones = (
            Milestone.objects.filter(Q(due_on__lte=until) | undated, member=request.user, done=False)
            .select_related("item__course")
            .order_by(order, "position", "created_at", "id")
        )
        context = {"today": today}
        found = ItemSerializer(items.order_by(order, "created_at", "id"), many=True, context=context).data
        steps = MilestoneSerializer(milestones, many=True, context=context).data
        return Response({"today": today, "until": until, "items": found, "milestones": steps})


class GradesView(RetrieveAPIView[Course]):
    """The grades of a course."""

    request: KeyRequest
    serializer_class = GradesSerializer
    lookup_url_kwarg = "course_id"

    def get_queryset(self) -> QuerySet[Course]:
        """Return only the member's own courses."""
        return Course.objects.filter(member=self.request.user).prefetch_related("grade_categories__scores")


class ReviewView(APIView):
    """Reviews of a card."""

    def post(self, request: KeyRequest, card_id: UUID) -> Response:
        """Record the review. Return the card with its next due time."""
        serializer = ReviewSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        rating = serializer.validated_data["rating"]
        with transaction.atomic():
            member = Member.objects.select_for_update().get(pk=request.user.pk)
            card = get_object_or_404(Card.objects.filter(member=member).select_related("deck"), pk=card_id)
            now, retention = timezone.now(), member.desired_retention
            before: MemoryState = _memory_of(card)
            card.reps += 1
            card.lapses += rating == Rating.AGAIN and card.state == CardState.REVIEW
            for name, value in next_state(before, rating, now, retention).items():
                setattr(card, name, value)
            card.save()
            answer = {**serializer.validated_data, **before}
            review = Review.objects.create(
                member=member, card=card, reviewed_at=now, desired_retention=retention, **answer
            )
            Attempt.objects.create(
                id=review.id,
                member=member,
                source=Source.VOCAB,
                topic=card.deck.name,
                deck_id=card.deck_id,
                course_id=card.deck.course_id,
                correct=rating != Rating.AGAIN,
                attempted_at=now,
                day=member.today(),
            )
        return Response(CardSerializer(card).data, status=201)


def _memory_of(card: Model) -> Any:
    return {name: getattr(card, name) for name in _MEMORY}


urlpatterns = [
    path("v1/items", ItemViewSet.as_view({"get": "list"})),
    path("v1/agenda", AgendaView.as_view()),
    path("v1/courses/<uuid:course_id>/grades", GradesView.as_view()),
    path("v1/courses/<uuid:course_id>/items", ItemViewSet.as_view({"post": "create"})),
    path("v1/vocab-cards/<uuid:card_id>/reviews", ReviewView.as_view()),
]
