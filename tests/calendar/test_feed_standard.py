"""Checks the feed with an RFC 5545 validator and an independent calendar library."""

import re
from datetime import date, timedelta
from typing import Any

import pytest
import vobject
from ical.calendar_stream import IcsCalendarStream
from ical.exceptions import CalendarParseError
from vobject.base import VObjectError

from accounts.models import Member
from tests.support.calendars import Subscription
from tests.support.cases import each
from tests.support.factories import CourseFactory, ItemFactory, MilestoneFactory

pytestmark = [pytest.mark.database("sqlite", "text of a calendar"), pytest.mark.rest]
TITLES = ["Midterm", "a, b; c: d \\ e", "日本語" * 40, 'Quote "x" and ünïcödé', "line\nbreak", "^caret 👩‍🎓" * 9]


@pytest.fixture
def filled(owner_member: Member) -> list[tuple[str, date]]:
    """Creates items and milestones, and returns the title and day of each event."""
    course = CourseFactory.create(member=owner_member, name="Biology, II")
    today, found = owner_member.today(), []
    for place, title in enumerate(TITLES):
        day = today + timedelta(days=place * 70)
        item = ItemFactory.create(member=owner_member, course=course, title=title, due_on=day)
        MilestoneFactory.create(member=owner_member, item=item, title="Step", due_on=today)
        found += [(f"{title} (Biology, II)", day), (f"Step ({title})", today)]
    return sorted(found)


def fetched(member: Member) -> str:
    answer = Subscription(member).fetch("milestones=true")
    text: str = answer.content.decode()
    return text


def strictly(text: str) -> Any:
    """Check lines and the required properties of each component (RFC 5545, sections 3.1 and 3.6)."""
    lines = text.split("\r\n")
    assert lines[-1] == ""
    assert all(len(line.encode()) <= 75 for line in lines)
    assert not any(ord(character) < 32 and character != "\t" for line in lines for character in line)
    calendar = vobject.readOne(text)
    assert calendar.validate(raiseException=True)
    assert calendar.version.value == "2.0"
    for event in calendar.contents.get("vevent", []):
        assert event.validate(raiseException=True)
        assert event.dtstart.value
    IcsCalendarStream.calendar_from_ics(text)  # it parses the values itself
    return calendar


BROKEN = [
    ("UID:[^\r]+\r\n", ""),
    ("DTSTAMP:[^\r]+\r\n", ""),
    ("DTSTART;VALUE=DATE:[^\r]+\r\n", ""),
    ("PRODID:[^\r]+\r\n", ""),
    ("VERSION:2.0\r\n", ""),
    ("(CATEGORIES:)", "SUMMARY:Again\r\n\\1"),
    ("(DTSTART;VALUE=DATE:\\d+)", "\\1T00"),
    ("SEQUENCE:\\d+", "SEQUENCE:first"),
    ("PT1H", "an hour"),
    ("\r\n ", ""),
    ("\r\n", "\n"),
    ("END:VEVENT\r\n", ""),
]
"""Errors that the validator must find in a calendar: a pattern and its replacement."""


@each(("pattern", "instead"), BROKEN)
def test_the_validator_can_fail(
    owner_member: Member, filled: list[tuple[str, date]], pattern: str, instead: str
) -> None:
    sound = fetched(owner_member)
    strictly(sound)
    broken = re.sub(pattern, instead, sound, count=1)
    assert broken != sound
    with pytest.raises((AssertionError, AttributeError, VObjectError, CalendarParseError)):
        strictly(broken)


def test_a_validator_finds_no_errors(owner_member: Member, filled: list[tuple[str, date]]) -> None:
    calendar = strictly(fetched(owner_member))
    assert sorted((event.summary.value, event.dtstart.value) for event in calendar.vevent_list) == filled


def test_an_empty_calendar_is_valid(owner_member: Member) -> None:
    """Section 3.6 requires at least one component."""
    calendar = strictly(fetched(owner_member))
    assert [component.name for component in calendar.components()] == ["VTIMEZONE"]
    assert IcsCalendarStream.calendar_from_ics(fetched(owner_member)).events == []


def test_another_library_reads_the_same_events(owner_member: Member, filled: list[tuple[str, date]]) -> None:
    calendar = IcsCalendarStream.calendar_from_ics(fetched(owner_member))
    assert sorted((event.summary, event.dtstart) for event in calendar.events) == filled
    assert {event.transparency for event in calendar.events} == {"TRANSPARENT"}
    assert {event.computed_duration for event in calendar.events} == {timedelta(days=1)}
