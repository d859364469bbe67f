"""Views as the DRF documentation shows them."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from rest_framework import status
from rest_framework.exceptions import APIException
from rest_framework.generics import RetrieveAPIView, get_object_or_404
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView
from rest_framework.viewsets import ModelViewSet

from accounts.models import Member
from bench.idiomatic.authentication import KeyRequest
from bench.idiomatic.serializers import (
    CardSerializer,
    GradesSerializer,
    ItemSerializer,
    MilestoneSerializer,
    ReviewSerializer,
)
from courses.models import Course, Item
from planning.models import Milestone
from practice.models import Attempt, Source
from vocab.models import Card, CardState, Rating, Review
from vocab.scheduling import MemoryState, next_state


class Full(APIException):
    """A count limit was reached."""

    status_code = 409
    default_detail = "Too many items."


class ItemViewSet(ModelViewSet[Item]):
    """The member's items."""

    request: KeyRequest
    serializer_class = ItemSerializer

    def get_queryset(self) -> QuerySet[Item]:
        """The member's own."""
        return Item.objects.filter(member=self.request.user).select_related("course")

    def get_serializer_context(self) -> dict[str, Any]:
        """With today."""
        return {**super().get_serializer_context(), "today": self.request.user.today()}

    def perform_create(self, serializer: BaseSerializer[Item]) -> None:
        """In a course of the member's, up to its limit, also when two arrive at once."""
        with transaction.atomic():
            member = Member.objects.select_for_update().get(pk=self.request.user.pk)
            course = get_object_or_404(Course.objects.filter(member=member), pk=self.kwargs["course_id"])
            if course.items.count() >= 1000:
                raise Full
            serializer.save(member=member, course=course)


class AgendaView(APIView):
    """What is due."""

    def get(self, request: KeyRequest) -> Response:
        """Items and open milestones."""
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
        return Response(
            {
                "today": today,
                "until": until,
                "items": ItemSerializer(items.order_by(order, "created_at", "id"), many=True, context=context).data,
                "milestones": MilestoneSerializer(milestones, many=True, context=context).data,
            }
        )


class GradesView(RetrieveAPIView[Course]):
    """A course's grades."""

    request: KeyRequest
    serializer_class = GradesSerializer
    lookup_url_kwarg = "course_id"

    def get_queryset(self) -> QuerySet[Course]:
        """The member's own."""
        return Course.objects.filter(member=self.request.user).prefetch_related("grade_categories__scores")


class ReviewView(APIView):
    """A card is answered."""

    def post(self, request: KeyRequest, card_id: UUID) -> Response:
        """The card with its next due time."""
        serializer = ReviewSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        rating = serializer.validated_data["rating"]
        with transaction.atomic():
            member = Member.objects.select_for_update().get(pk=request.user.pk)
            card = get_object_or_404(Card.objects.filter(member=member).select_related("deck"), pk=card_id)
            now = timezone.now()
            before: MemoryState = {
                "state": card.state,
                "step": card.step,
                "stability": card.stability,
                "difficulty": card.difficulty,
                "due_at": card.due_at,
                "last_reviewed_at": card.last_reviewed_at,
            }
            card.reps += 1
            card.lapses += rating == Rating.AGAIN and card.state == CardState.REVIEW
            for name, value in next_state(before, rating, now, member.desired_retention).items():
                setattr(card, name, value)
            card.save()
            review = Review.objects.create(
                member=member,
                card=card,
                reviewed_at=now,
                desired_retention=member.desired_retention,
                **serializer.validated_data,
                **before,
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
        return Response(CardSerializer(card).data, status=status.HTTP_201_CREATED)
