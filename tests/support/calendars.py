"""Calendars for tests: a member's feed, fetched like a calendar app does."""

from typing import Any

from django.test import Client
from icalendar import Calendar

from accounts.credentials.keys import new_feed
from accounts.models import Member


def path_of(url: str) -> str:
    """The path of a URL of this service."""
    return "/" + url.split("/", 3)[3]


class Subscription:
    """An app that subscribes to a member's calendar."""

    def __init__(self, member: Member) -> None:
        self.url = new_feed(member)
        self.path = path_of(self.url)
        self.client = Client(raise_request_exception=False)

    def fetch(self, query: str = "", *, method: str = "GET", **headers: str) -> Any:
        """Fetch the calendar. Header names are written with underscores."""
        return self.client.generic(method, self.path, QUERY_STRING=query, headers=headers)

    def events(self, query: str = "") -> list[dict[str, str]]:
        """Return the properties of each event, by name."""
        answer = self.fetch(query)
        assert answer.status_code == 200, answer.content
        calendar = Calendar.from_ical(answer.content)
        return [{name: value.to_ical().decode() for name, value in event.items()} for event in calendar.walk("VEVENT")]
