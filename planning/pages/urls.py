"""Addresses of the pages about what is due."""

from django.urls import path

from planning.pages.calendar_import import import_calendar_file
from planning.pages.home import home

urlpatterns = [
    path("", home, name="home"),
    path("courses/<uuid:course_id>/calendar", import_calendar_file, name="import-calendar"),
]
