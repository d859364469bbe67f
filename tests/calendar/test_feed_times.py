"""Items with a time in the calendar feed: events at an instant."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
import time_machine

from accounts.models import Member
from planning.calendar.events import write_calendar
from tests.support.calendars import Subscription
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import ItemFactory, MilestoneFactory

pytestmark = [pytest.mark.database("sqlite", "text of a calendar"), pytest.mark.rest, pytest.mark.django_db]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _now() -> Any:
    with time_machine.travel(NOON, tick=True):
        yield


def starts(member: Member, query: str = "") -> list[str]:
    """The starts of the events, which have no end."""
    events = Subscription(member).events(query)
    assert not any({"DTEND", "DURATION"} & event.keys() for event in events)
    return [event["DTSTART"] for event in events]


@pytest.mark.database("both")
@each(
    ("zone", "day", "time", "expected"),
    [
        ("Europe/Paris", date(2026, 3, 10), None, "20260310"),
        ("Europe/Paris", date(2026, 3, 10), "17:00", "20260310T160000Z"),
        ("Europe/Paris", date(2026, 3, 10), "00:30", "20260309T233000Z"),
        ("America/New_York", date(2026, 3, 8), "02:30", "20260308T073000Z"),
        ("America/New_York", date(2026, 11, 1), "01:30", "20261101T053000Z"),
        ("Australia/Lord_Howe", date(2026, 10, 4), "02:15", "20261003T154500Z"),
        ("Pacific/Kiritimati", date(2026, 3, 10), "23:59", "20260310T095900Z"),
    ],
)
def test_an_item_with_a_time_is_an_event_at_that_instant(
    make_member: Any, zone: str, day: date, time: str | None, expected: str
) -> None:
    """A skipped time is later by what the clocks skip, and one that comes twice is the first."""
    member = make_member("one@example.org", time_zone=zone)
    ItemFactory.create(member=member, due_on=day, due_time=time)
    assert starts(member) == [expected]


def test_milestones_stay_all_day(owner_member: Member) -> None:
    item = ItemFactory.create(member=owner_member, due_on=date(2026, 3, 10), due_time="17:00")
    MilestoneFactory.create(member=owner_member, item=item, due_on=date(2026, 3, 9))
    assert starts(owner_member, "milestones=true")[1] == "20260309"


def test_the_sequence_increases_with_the_time(owner: RestEntryPoint, owner_member: Member, course: Any) -> None:
    item = owner.made("create_item", course_id=course["id"], title="Quiz", due_on="2026-03-10")
    feed, found = Subscription(owner_member), []
    for time in ("17:00", "17:00", "18:00", None):
        owner.made("update_item", item_id=item["id"], due_time=time)
        found += [event["SEQUENCE"] for event in feed.events()]
    assert found == ["1", "1", "2", "3"]


@pytest.mark.database("both")
def test_another_time_zone_moves_instants_and_etag(owner: RestEntryPoint, owner_member: Member, course: Any) -> None:
    item = owner.made("create_item", course_id=course["id"], title="Quiz", due_on="2026-03-10", due_time="17:00")
    feed = Subscription(owner_member)
    etag = feed.fetch().headers["ETag"]
    owner.made("update_me", time_zone="Europe/Madrid")
    assert feed.fetch(If_None_Match=etag).status_code == 304, "the same instant"
    owner.made("update_me", time_zone="Europe/Lisbon")
    answer = feed.fetch(If_None_Match=etag)
    assert (answer.status_code, b"DTSTART:20260310T170000Z" in answer.content) == (200, True)
    assert owner.made("get_item", item_id=item["id"])["due_time"] == "17:00"


@each("day", [date.min, date.max])
@each("time", ["00:00", "23:59"])
@each("zone", ["Pacific/Kiritimati", "Pacific/Honolulu"])
def test_a_calendar_of_extreme_dates_is_written(make_member: Any, zone: str, time: str, day: date) -> None:
    member = make_member("one@example.org", time_zone=zone)
    ItemFactory.create(member=member, due_on=day, due_time=time)
    assert b"BEGIN:VEVENT" in b"".join(write_calendar(member))
