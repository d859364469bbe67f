"""Routes of practice."""

from django.urls import path

from practice.views import PracticeViewSet

urlpatterns = [path("practice/stats", PracticeViewSet.as_view({"get": "get_practice_stats"}))]
