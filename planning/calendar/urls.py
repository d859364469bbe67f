"""The address of members' calendars."""

from django.urls import path

from planning.calendar.feed import feed

urlpatterns = [path("calendar/<str:token>.ics", feed, name="calendar-feed")]
