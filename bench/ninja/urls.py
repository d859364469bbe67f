"""The measured routes."""

from django.urls import path

from bench.ninja.api import api

urlpatterns = [path("v1/", api.urls)]
