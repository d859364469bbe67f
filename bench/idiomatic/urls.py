"""The measured routes."""

from django.urls import path

from bench.idiomatic.views import AgendaView, GradesView, ItemViewSet, ReviewView

urlpatterns = [
    path("v1/items", ItemViewSet.as_view({"get": "list"})),
    path("v1/agenda", AgendaView.as_view()),
    path("v1/courses/<uuid:course_id>/grades", GradesView.as_view()),
    path("v1/courses/<uuid:course_id>/items", ItemViewSet.as_view({"post": "create"})),
    path("v1/vocab-cards/<uuid:card_id>/reviews", ReviewView.as_view()),
]
