"""Views as the DRF documentation shows them."""

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet
from rest_framework.exceptions import APIException
from rest_framework.generics import RetrieveAPIView, get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView
from rest_framework.viewsets import ModelViewSet

from accounts.models import Member
from bench.idiomatic.serializers import GradesSerializer, ItemSerializer, MilestoneSerializer
from courses.models import Course, Item
from planning.models import Milestone


class Full(APIException):
    """A count limit was reached."""

    status_code = 409
    default_detail = "Too many items."


class ItemViewSet(ModelViewSet):
    """The member's items."""

    serializer_class = ItemSerializer

    def get_queryset(self) -> QuerySet[Item]:
        """The member's own."""
        return Item.objects.filter(member=self.request.user).select_related("course")

    def get_serializer_context(self) -> dict[str, Any]:
        """With today."""
        return super().get_serializer_context() | {"today": self.request.user.today()}

    def perform_create(self, serializer: ItemSerializer) -> None:
        """In a course of the member's, up to its limit, also when two arrive at once."""
        with transaction.atomic():
            member = Member.objects.select_for_update().get(pk=self.request.user.pk)
            course = get_object_or_404(Course.objects.filter(member=member), pk=self.kwargs["course_id"])
            if course.items.count() >= 1000:
                raise Full
            serializer.save(member=member, course=course)


class AgendaView(APIView):
    """What is due."""

    def get(self, request: Request) -> Response:
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


class GradesView(RetrieveAPIView):
    """A course's grades."""

    serializer_class = GradesSerializer
    lookup_url_kwarg = "course_id"

    def get_queryset(self) -> QuerySet[Course]:
        """The member's own."""
        return Course.objects.filter(member=self.request.user).prefetch_related("grade_categories__scores")
