"""Routes of the agenda, milestones and calendars, and of an item."""

from django.urls import path

from planning.views import AgendaViewSet, CalendarViewSet, MilestoneViewSet, PlannedItemViewSet, SchoolCalendarViewSet

urlpatterns = [
    path("agenda", AgendaViewSet.as_view({"get": "get_agenda"})),
    path("courses/<course_id>/calendar", CalendarViewSet.as_view({"post": "import_calendar"})),
    path(
        "school-calendars",
        SchoolCalendarViewSet.as_view({"get": "list_school_calendars", "post": "add_school_calendar"}),
    ),
    path(
        "school-calendars/<calendar_id>",
        SchoolCalendarViewSet.as_view(
            {"get": "get_school_calendar", "patch": "update_school_calendar", "delete": "delete_school_calendar"}
        ),
    ),
    path("school-calendars/<calendar_id>/refresh", SchoolCalendarViewSet.as_view({"post": "refresh_school_calendar"})),
    path("school-calendars/<calendar_id>/held", SchoolCalendarViewSet.as_view({"post": "answer_school_calendar"})),
    path(
        "items/<item_id>",
        PlannedItemViewSet.as_view({"get": "get_item", "patch": "update_item", "delete": "delete_item"}),
    ),
    path(
        "items/<item_id>/milestones",
        MilestoneViewSet.as_view({"get": "list_milestones", "post": "create_milestone"}),
    ),
    path(
        "milestones/<milestone_id>",
        MilestoneViewSet.as_view({"patch": "update_milestone", "delete": "delete_milestone"}),
    ),
]
