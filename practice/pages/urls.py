"""URLs of the pages about practice."""

from django.urls import path

from practice.pages.practice import practice

urlpatterns = [path("practice", practice, name="practice")]
