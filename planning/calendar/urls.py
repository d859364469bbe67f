"""The URL of members' calendars."""

from django.urls import re_path

from planning.calendar.feed import feed

urlpatterns = [re_path(r"^calendar/(?P<token>[^/]*)\.ics\Z", feed, name="calendar-feed")]
