"""Milestones and school calendars in the admin, read-only except that calendars can be paused."""

from django.conf import settings
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from accounts.operators.base import ReadOnlyAdmin
from accounts.operators.lists import counted
from accounts.operators.site import PanelRow
from planning.models import Milestone, SchoolCalendar
from planning.school_calendars.calendars import update_school_calendar
from studyservice.rows.access import Access


def failing_calendars() -> list[PanelRow]:
    """Count the calendars that could not be read, stopped ones included. One query."""
    if not settings.SCHOOL_CALENDARS:
        return []
    number = SchoolCalendar.objects.filter(error_type__gt="", paused=False).count()
    url = reverse("admin:planning_schoolcalendar_changelist")
    return [PanelRow(f"{counted(number, 'school calendar')} failing", url, bad=True)] if number else []


@admin.register(Milestone)
class MilestoneAdmin(ReadOnlyAdmin):
    """Study-plan steps."""

    text_path = "title"
    list_display = ("title", "item", "position", "due_on", "done", "member")
    list_select_related = ("item", "member")
    ordering = ("member_id", "item_id", "position", "id")


@admin.register(SchoolCalendar)
class SchoolCalendarAdmin(ReadOnlyAdmin):
    """School calendars without their addresses and contents. Members add them; operators can pause them."""

    text_path = "name"
    list_display = (
        "name",
        "host",
        "member",
        "is_read",
        "last_error",
        "answer",
        "paused",
        "last_read_at",
        "next_read_at",
    )
    list_select_related = ("member",)
    ordering = ("member_id", "created_at", "id")
    fields = (
        "member",
        "name",
        "host",
        "is_read",
        "last_error",
        "failures",
        "failing_since",
        "answer",
        "paused",
        "last_read_at",
        "last_changed_at",
        "next_read_at",
        "created_at",
    )
    actions = ("pause", "start")
    unread = ("sealed_address", "reading")

    @admin.display(description="state")
    def is_read(self, calendar: SchoolCalendar) -> str:
        """Return whether it is being read. Whether a reading waits is only shown to its member."""
        if calendar.stopped:
            return "stopped"
        return "failing" if calendar.error_type else "read"

    @admin.display(description="last error")
    def last_error(self, calendar: SchoolCalendar) -> str:
        """The last error in words, and its time."""
        return f"{calendar.error_message} {calendar.error_at:%Y-%m-%d %H:%M} UTC" if calendar.error_at else ""

    @admin.action(description="Pause", permissions=["act"])
    def pause(self, request: HttpRequest, queryset: QuerySet[SchoolCalendar]) -> None:
        self._set_paused(request, queryset, paused=True, done="Paused")

    @admin.action(description="Start again", permissions=["act"])
    def start(self, request: HttpRequest, queryset: QuerySet[SchoolCalendar]) -> None:
        self._set_paused(request, queryset, paused=False, done="Started")

    def _set_paused(self, request: HttpRequest, queryset: QuerySet[SchoolCalendar], *, paused: bool, done: str) -> None:
        def act(calendar: SchoolCalendar) -> None:
            update_school_calendar(Access(calendar.member), calendar.id, paused=paused)

        self.act(request, queryset.select_related("member"), act, noun="calendar", verb=done)
