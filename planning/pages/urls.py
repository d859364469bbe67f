"""URLs of the pages about due items."""

from django.urls import path

from planning.pages.calendar_import import import_calendar_file
from planning.pages.home import home
from planning.pages.school_calendars import calendar_list, calendar_page, delete_calendar
from planning.pages.ticks import tick_item, tick_milestone

urlpatterns = [
    path("", home, name="home"),
    path("items/<uuid:item_id>/done", tick_item, name="tick-item"),
    path("milestones/<uuid:milestone_id>/done", tick_milestone, name="tick-milestone"),
    path("courses/<uuid:course_id>/calendar", import_calendar_file, name="import-calendar"),
    path("calendars", calendar_list, name="calendars"),
    path("calendars/<uuid:calendar_id>", calendar_page, name="calendar"),
    path("calendars/<uuid:calendar_id>/delete", delete_calendar, name="delete-calendar"),
]
