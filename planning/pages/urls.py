"""Addresses of the pages about what is due."""

from django.urls import path

from planning.pages.home import home

urlpatterns = [path("", home, name="home")]
