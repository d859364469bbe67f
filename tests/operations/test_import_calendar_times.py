"""Times of day of imported calendar events."""

from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from accounts.models import Member
from planning.models import ImportedEvent
from tests.operations.test_import_calendar import imported, nothing
from tests.support.calendar_files import CANVAS, NEW_YORK, calendar, deadline, event
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint

pytestmark = [
    pytest.mark.rest,
    pytest.mark.django_db,
    pytest.mark.database("sqlite", "other tests send the same statements"),
]

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def owner_member(make_member: Any) -> Member:
    member: Member = make_member("owner@example.org", time_zone="America/New_York")
    return member


@pytest.fixture(autouse=True)
def _now() -> Any:
    with time_machine.travel(NOW, tick=False):
        yield


def at(start: str, *, uid: str = "a", title: str = "Essay 1") -> str:
    """An event with this start in UTC."""
    return event(uid, f"DTSTART:{start}", summary=title)


def all_day(day: str = "20261203", title: str = "Essay 1") -> str:
    return deadline("a", day, title)


def due(owner: RestEntryPoint) -> list[tuple[str | None, str | None]]:
    return [(item["due_on"], item["due_time"]) for item in owner.made("list_items", limit=100)["data"]]


def told(item_id: Any, due_on: str | None, due_time: str | None, title: str = "Essay 1") -> dict[str, Any]:
    return {"uid": "a", "item_id": item_id, "title": title, "kind": "paper", "due_on": due_on, "due_time": due_time}


def forget_times(owner: RestEntryPoint) -> None:
    """Make the imported events and their items as an upgrade leaves them."""
    for item in owner.made("list_items", limit=100)["data"]:
        owner.made("update_item", item_id=item["id"], due_time=None)
    ImportedEvent.objects.update(due_time=ImportedEvent._meta.get_field("due_time").db_default)


@each(
    ("lines", "expected"),
    [
        (["DTSTART:20261204T045900Z"], ("2026-12-03", "23:59")),
        (["DTSTART:20261204T045959Z"], ("2026-12-03", "23:59")),
        (["DTSTART;TZID=America/New_York:20261203T090000"], ("2026-12-03", "09:00")),
        (["DTSTART:20261203T000000"], ("2026-12-03", "00:00")),
        (["DTSTART;VALUE=DATE:20261203"], ("2026-12-03", None)),
        (["DTSTART;VALUE=DATE;VALUE=DATE:20261203"], ("2026-12-03", None)),
    ],
)
def test_the_start_of_an_event_is_its_time(
    owner: RestEntryPoint, course: Any, lines: list[str], expected: tuple[str, str | None]
) -> None:
    """In the member's zone and without seconds; an all-day event has none."""
    [new] = imported(owner, course, NEW_YORK, event("a", *lines, summary="Essay 1"))["new"]
    assert new == told(new["item_id"], *expected)
    assert due(owner) == [expected]


@each(("line", "expected"), [("DUE:20261204T015900Z", "20:59"), ("DUE;VALUE=DATE:20261203", None)])
def test_a_task_is_due_at_its_time(owner: RestEntryPoint, course: Any, line: str, expected: str | None) -> None:
    imported(owner, course, event("a", line, summary="Essay 1", name="VTODO"))
    assert due(owner) == [("2026-12-03", expected)]


@pytest.mark.database("both")
def test_a_time_that_only_the_file_changed_is_changed(owner: RestEntryPoint, course: Any) -> None:
    [new] = imported(owner, course, at("20261203T140000Z"))["new"]
    answer = imported(owner, course, at("20261203T150000Z"))
    before = {"title": "Essay 1", "due_on": "2026-12-03", "due_time": "09:00"}
    item_id = new["item_id"]
    assert answer == nothing(changed=[told(item_id, "2026-12-03", "10:00") | {"before": before}])
    assert imported(owner, course, all_day())["changed"][0]["due_time"] is None
    assert due(owner) == [("2026-12-03", None)]


def test_a_time_that_only_the_member_changed_stays(owner: RestEntryPoint, course: Any) -> None:
    [new] = imported(owner, course, at("20261203T140000Z"))["new"]
    owner.made("update_item", item_id=new["item_id"], due_time="17:00")
    assert imported(owner, course, at("20261203T140000Z")) == nothing(unchanged=1)
    assert imported(owner, course, at("20261204T140000Z"))["changed"][0]["due_time"] == "17:00"
    assert due(owner) == [("2026-12-04", "17:00")]


def test_a_time_that_both_changed_stays_and_is_reported(owner: RestEntryPoint, course: Any) -> None:
    [new] = imported(owner, course, at("20261203T140000Z"))["new"]
    owner.made("update_item", item_id=new["item_id"], due_time="17:00")
    answer = imported(owner, course, at("20261203T150000Z"))
    file = {"title": "Essay 1", "due_on": "2026-12-03", "due_time": "10:00"}
    assert answer == nothing(kept=[told(new["item_id"], "2026-12-03", "17:00") | {"file": file}])
    assert due(owner) == [("2026-12-03", "17:00")]


def test_an_item_whose_date_was_cleared_gets_no_time(owner: RestEntryPoint, course: Any) -> None:
    [new] = imported(owner, course, all_day())["new"]
    owner.made("update_item", item_id=new["item_id"], due_on=None)
    imported(owner, course, at("20261203T140000Z"))
    assert due(owner) == [(None, None)]


@pytest.mark.database("both")
def test_the_first_known_time_of_an_event_is_filled_in(owner: RestEntryPoint, course: Any) -> None:
    """Events from before the upgrade have no known time. Filling it in counts as unchanged."""
    imported(owner, course, at("20261203T140000Z"))
    forget_times(owner)
    assert due(owner) == [("2026-12-03", None)]
    assert imported(owner, course, at("20261203T140000Z"), query="?dry_run=true")["unchanged"] == 1
    assert due(owner) == [("2026-12-03", None)]
    assert imported(owner, course, at("20261203T140000Z")) == nothing(unchanged=1)
    assert due(owner) == [("2026-12-03", "09:00")]
    assert imported(owner, course, at("20261203T150000Z"))["changed"][0]["due_time"] == "10:00"


def test_a_time_of_the_member_is_not_filled_over(owner: RestEntryPoint, course: Any) -> None:
    [new] = imported(owner, course, at("20261203T140000Z"))["new"]
    forget_times(owner)
    owner.made("update_item", item_id=new["item_id"], due_time="17:00")
    assert imported(owner, course, at("20261203T140000Z")) == nothing(unchanged=1)
    assert imported(owner, course, at("20261203T140000Z")) == nothing(unchanged=1)
    assert due(owner) == [("2026-12-03", "17:00")]


def test_an_event_from_before_that_moved_gets_its_time_too(owner: RestEntryPoint, course: Any) -> None:
    imported(owner, course, at("20261203T140000Z"))
    forget_times(owner)
    [changed] = imported(owner, course, at("20261204T140000Z"))["changed"]
    assert (changed["due_time"], changed["before"]["due_time"]) == ("09:00", None)
    assert due(owner) == [("2026-12-04", "09:00")]


def test_an_all_day_event_from_before_can_get_a_time_later(owner: RestEntryPoint, course: Any) -> None:
    imported(owner, course, all_day())
    forget_times(owner)
    assert imported(owner, course, all_day()) == nothing(unchanged=1)
    assert len(imported(owner, course, at("20261203T140000Z"))["changed"]) == 1
    assert due(owner) == [("2026-12-03", "09:00")]


def test_instances_of_a_series_have_its_time(owner: RestEntryPoint, course: Any) -> None:
    """At the same local time, although the clocks change in between."""
    lines = ["DTSTART;TZID=America/New_York:20261027T173000", "RRULE:FREQ=WEEKLY;COUNT=3"]
    answer = imported(owner, course, NEW_YORK, event("a", *lines, summary="Homework"), prodid=CANVAS)
    assert [one["due_time"] for one in answer["new"]] == ["17:30"] * 3


def test_an_exported_calendar_keeps_the_times(owner: RestEntryPoint, owner_member: Member, course: Any) -> None:
    from tests.operations.test_import_calendar import send
    from tests.support.calendars import Subscription

    owner.made("create_item", course_id=course["id"], title="Essay", due_on="2026-12-03", due_time="23:59")
    file = Subscription(owner_member).fetch().content
    other = owner.made("create_course", name="Copy")
    [new] = send(owner, other, file).json()["new"]
    assert (new["due_on"], new["due_time"]) == ("2026-12-03", "23:59")
    assert calendar(CANVAS) != file
