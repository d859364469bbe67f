"""Rule 5: "today" is always the member's date in the time zone of the member's profile."""

import pytest

from tests.support.entry_points import RestEntryPoint
from tests.support.samples import fetched_item

pytestmark = pytest.mark.same_statements

INSTANT = "2026-11-21T10:30:00Z"
"""In Kiritimati (UTC+14) the 22nd is half an hour old; in Pago Pago (UTC-11) the 20th ends in half an hour."""

EAST, WEST = ("Pacific/Kiritimati", "2026-11-22"), ("Pacific/Pago_Pago", "2026-11-20")


@pytest.fixture
def living_in(make_member, entry_point):
    """Opens the API for a new member in a time zone."""

    def member_in(time_zone: str, **fields: object) -> RestEntryPoint:
        opened: RestEntryPoint = entry_point(make_member(time_zone=time_zone, **fields))
        return opened

    return member_in


@pytest.mark.parametrize(("zone", "today"), [EAST, WEST, ("UTC", "2026-11-21")])
def test_each_member_has_a_separate_today(living_in, time_machine, zone: str, today: str) -> None:
    time_machine.move_to(INSTANT)
    member = living_in(zone)
    assert member.made("get_me")["today"] == today
    agenda = member.made("get_agenda", days=1)
    assert (agenda["today"], agenda["until"] > today) == (today, True)


@pytest.mark.parametrize(("zone", "days_until"), [(EAST[0], -1), (WEST[0], 1), ("UTC", 0)])
def test_days_until_counts_from_the_members_today(living_in, time_machine, zone: str, days_until: int) -> None:
    time_machine.move_to(INSTANT)
    member = living_in(zone)
    course = member.made("create_course", name="Cell Biology")
    made = member.made("create_item", course_id=course["id"], title="Midterm", due_on="2026-11-21")
    assert made["days_until"] == days_until
    assert fetched_item(member, made["id"]) == made
    assert member.made("list_items")["data"] == [made]


@pytest.mark.parametrize(("zone", "overdue"), [(EAST[0], True), (WEST[0], False), ("UTC", False)])
def test_overdue_counts_from_the_members_today(living_in, time_machine, zone: str, overdue: bool) -> None:
    time_machine.move_to(INSTANT)
    member = living_in(zone)
    course = member.made("create_course", name="Cell Biology")
    item = member.made("create_item", course_id=course["id"], title="Midterm")
    step = member.made("create_milestone", item_id=item["id"], title="Outline", due_on="2026-11-21")
    assert step["overdue"] is overdue
    assert member.made("list_milestones", item_id=item["id"])["data"] == [step]
    assert member.made("get_agenda")["milestones"] == [step]


@pytest.mark.parametrize(("zone", "titles"), [(EAST[0], ["22", "23"]), (WEST[0], ["20", "21"]), ("UTC", ["21", "22"])])
def test_the_agenda_begins_on_the_members_today(living_in, time_machine, zone: str, titles: list[str]) -> None:
    time_machine.move_to(INSTANT)
    member = living_in(zone)
    course = member.made("create_course", name="Cell Biology")
    for day in range(19, 25):
        member.made("create_item", course_id=course["id"], title=str(day), due_on=f"2026-11-{day}")
    assert [item["title"] for item in member.made("get_agenda", days=1)["items"]] == titles


@pytest.mark.parametrize(("zone", "titles"), [(EAST[0], ["22"]), (WEST[0], ["20", "21", "22"])])
def test_the_next_items_begin_on_the_members_today(living_in, time_machine, zone: str, titles: list[str]) -> None:
    time_machine.move_to(INSTANT)
    member = living_in(zone)
    course = member.made("create_course", name="Cell Biology")
    for day in range(19, 23):
        member.made("create_item", course_id=course["id"], title=str(day), due_on=f"2026-11-{day}")
    detail = member.made("get_course", course_id=course["id"])
    assert [item["title"] for item in detail["next_items"]] == titles


@pytest.mark.parametrize(
    ("zone", "instant", "today"),
    [
        ("Europe/Paris", "2026-03-28T22:59:59Z", "2026-03-28"),
        ("Europe/Paris", "2026-03-28T23:00:00Z", "2026-03-29"),
        ("Europe/Paris", "2026-03-29T21:59:59Z", "2026-03-29"),
        ("Europe/Paris", "2026-03-29T22:00:00Z", "2026-03-30"),
        ("Europe/Paris", "2026-10-24T21:59:59Z", "2026-10-24"),
        ("Europe/Paris", "2026-10-24T22:00:00Z", "2026-10-25"),
        ("Europe/Paris", "2026-10-25T22:59:59Z", "2026-10-25"),
        ("Europe/Paris", "2026-10-25T23:00:00Z", "2026-10-26"),
        ("Asia/Kathmandu", "2026-11-20T18:14:59Z", "2026-11-20"),
        ("Asia/Kathmandu", "2026-11-20T18:15:00Z", "2026-11-21"),
        ("Pacific/Apia", "2011-12-30T09:59:59Z", "2011-12-29"),
        ("Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31"),
    ],
)
def test_the_day_changes_at_midnight_in_the_time_zone(
    living_in, time_machine, zone: str, instant: str, today: str
) -> None:
    """Days of 23 and 25 hours, an offset of 45 minutes, and a day that was skipped in Samoa."""
    time_machine.move_to(instant, tick=False)
    member = living_in(zone)
    assert member.made("get_me")["today"] == today
    assert member.made("get_agenda")["today"] == today


@pytest.mark.parametrize(("today", "due_on"), [("2026-03-28", "2026-03-30"), ("2026-10-24", "2026-10-26")])
def test_days_until_counts_dates_rather_than_hours(
    owner: RestEntryPoint, item, time_machine, today: str, due_on: str
) -> None:
    """Across the short and the long day of Paris."""
    time_machine.move_to(f"{today}T12:00:00+01:00")
    owner.made("update_item", item_id=item["id"], due_on=due_on)
    assert owner.made("get_item", item_id=item["id"])["days_until"] == 2


def test_moving_changes_today_immediately(make_member, entry_point, time_machine) -> None:
    time_machine.move_to(INSTANT)
    member = make_member(time_zone=EAST[0])
    opened = entry_point(member)
    assert opened.made("get_agenda")["today"] == EAST[1]
    member.time_zone = WEST[0]
    member.save()
    assert opened.made("get_agenda")["today"] == WEST[1]


@pytest.mark.parametrize(("zone", "error"), [(EAST[0], "membership_required"), (WEST[0], None), ("UTC", None)])
def test_a_membership_ends_after_its_last_day_in_the_members_zone(living_in, time_machine, zone: str, error) -> None:
    """Fine print, Membership: `until` is the last day included, in the member's zone."""
    time_machine.move_to(INSTANT)
    member = living_in(zone, membership_until="2026-11-21")
    assert member.call("list_courses").error == error
    assert member.made("get_me")["membership"] == {"active": error is None, "until": "2026-11-21", "renew_url": None}


def test_a_membership_lapses_at_midnight_and_can_be_renewed(make_member, entry_point, time_machine) -> None:
    """States: calls work again when the subscription is renewed."""
    time_machine.move_to("2026-11-21T22:59:59Z", tick=False)
    member = make_member(time_zone="Europe/Paris", membership_until="2026-11-21")
    opened = entry_point(member)
    assert opened.call("get_agenda").error is None
    time_machine.move_to("2026-11-21T23:00:00Z", tick=False)
    assert opened.call("get_agenda").error == "membership_required"
    member.membership_until = "2026-11-22"
    member.save()
    assert opened.call("get_agenda").error is None


def test_timestamps_are_utc_in_every_time_zone(living_in, time_machine) -> None:
    """Common shapes: ISO 8601 in UTC."""
    time_machine.move_to(INSTANT, tick=False)
    member = living_in(EAST[0])
    assert member.made("get_me")["created_at"] == "2026-11-21T10:30:00.000000Z"
    assert member.made("create_course", name="Cell Biology")["created_at"].startswith("2026-11-21T10:30:00.")


@pytest.mark.parametrize(("zone", "weekday"), [(EAST[0], "Sunday"), (WEST[0], "Friday"), ("UTC", "Saturday")])
def test_the_weekday_matches_the_members_today(living_in, time_machine, zone: str, weekday: str) -> None:
    time_machine.move_to(INSTANT)
    member = living_in(zone)
    assert [member.made(name)["weekday"] for name in ("get_me", "get_agenda")] == [weekday] * 2
