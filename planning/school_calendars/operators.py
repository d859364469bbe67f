"""The failing school calendars of all members, for the operators' front page."""

from django.conf import settings
from django.urls import reverse

from accounts.operators.base import counted
from accounts.operators.site import Row
from planning.school_calendars.models import SchoolCalendar


def failing_calendars() -> list[Row]:
    """Count the calendars that could not be read, stopped ones included. One query."""
    if not settings.SCHOOL_CALENDARS:
        return []
    number = SchoolCalendar.objects.filter(error_type__gt="", paused=False).count()
    url = reverse("admin:planning_schoolcalendar_changelist")
    return [Row(f"{counted(number, 'school calendar')} failing", url, bad=True)] if number else []
