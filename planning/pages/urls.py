"""URLs of the pages about due items, courses and items."""

from django.urls import path, re_path

from planning.calendar.feed import feed
from planning.pages.calendar_import import import_calendar_file
from planning.pages.categories import grade_categories
from planning.pages.course import add_item, course_page, delete_score
from planning.pages.home import add_line, home
from planning.pages.item import add_milestone, change_milestone, delete_milestone, item_page
from planning.pages.item_categories import item_categories
from planning.pages.month import month_page
from planning.pages.row_changes import move_item, move_milestone, tick_item, tick_milestone
from planning.pages.school_calendars import calendar_list, calendar_page, delete_calendar
from planning.pages.score_changes import change_score
from planning.pages.scores import scores
from planning.pages.upcoming import upcoming_page

urlpatterns = [
    path("", home, name="home"),
    path("upcoming", upcoming_page, name="upcoming"),
    re_path(r"^upcoming/(?P<month>[0-9]{4}-[0-9]{2})\Z", month_page, name="month"),
    path("add", add_line, name="add-line"),
    path("courses/<uuid:course_id>", course_page, name="course"),
    path("courses/<uuid:course_id>/items", add_item, name="add-item"),
    path("courses/<uuid:course_id>/items/categories", item_categories, name="item-categories"),
    path("courses/<uuid:course_id>/scores", scores, name="scores"),
    path("courses/<uuid:course_id>/categories", grade_categories, name="grade-categories"),
    path("scores/<uuid:score_id>", change_score, name="change-score"),
    path("scores/<uuid:score_id>/delete", delete_score, name="delete-score"),
    path("items/<uuid:item_id>", item_page, name="item"),
    path("items/<uuid:item_id>/milestones", add_milestone, name="add-milestone"),
    path("milestones/<uuid:milestone_id>", change_milestone, name="milestone"),
    path("milestones/<uuid:milestone_id>/delete", delete_milestone, name="delete-milestone"),
    path("items/<uuid:item_id>/done", tick_item, name="tick-item"),
    path("milestones/<uuid:milestone_id>/done", tick_milestone, name="tick-milestone"),
    path("items/<uuid:item_id>/move", move_item, name="move-item"),
    path("milestones/<uuid:milestone_id>/move", move_milestone, name="move-milestone"),
    path("courses/<uuid:course_id>/calendar", import_calendar_file, name="import-calendar"),
    re_path(r"^calendar/(?P<token>[^/]*)\.ics\Z", feed, name="calendar-feed"),
    path("calendars", calendar_list, name="calendars"),
    path("calendars/<uuid:calendar_id>", calendar_page, name="calendar"),
    path("calendars/<uuid:calendar_id>/delete", delete_calendar, name="delete-calendar"),
]
