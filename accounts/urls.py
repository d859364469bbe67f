"""Routes of the member."""

from django.urls import path

from accounts.views import MeViewSet

urlpatterns = [path("me", MeViewSet.as_view({"get": "get_me"}))]
