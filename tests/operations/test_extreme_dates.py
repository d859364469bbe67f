"""Dates and times at the limits of the calendar: a correct answer or a 422, on either database."""

from datetime import date

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.samples import fetched_item

FIRST, LAST = "0001-01-01", "9999-12-31"
TODAY = "2026-11-21"


@pytest.fixture
def _today(time_machine) -> None:
    time_machine.move_to(f"{TODAY}T12:00:00Z")


def _days_until(day: str) -> int:
    return (date.fromisoformat(day) - date.fromisoformat(TODAY)).days


@pytest.mark.usefixtures("_today")
@each("due_on", [FIRST, LAST])
def test_an_item_can_be_due_on_it(owner: RestEntryPoint, course, due_on: str) -> None:
    made = owner.made("create_item", course_id=course["id"], title="x", due_on=due_on)
    assert (made["due_on"], made["days_until"]) == (due_on, _days_until(due_on))
    assert fetched_item(owner, made["id"]) == made
    assert owner.made("list_items", to=due_on, **{"from": due_on})["data"] == [made]


@pytest.mark.usefixtures("_today")
@each("due_on", [FIRST, LAST])
def test_an_item_can_be_moved_to_it(owner: RestEntryPoint, item, due_on: str) -> None:
    changed = owner.made("update_item", item_id=item["id"], due_on=due_on)
    assert (changed["due_on"], changed["days_until"]) == (due_on, _days_until(due_on))
    assert owner.made("list_items")["data"] == [changed]


@pytest.mark.usefixtures("_today")
@each(("due_on", "overdue"), [(FIRST, True), (LAST, False)])
def test_a_milestone_can_be_due_on_it(owner: RestEntryPoint, item, due_on: str, overdue: bool) -> None:
    made = owner.made("create_milestone", item_id=item["id"], title="x", due_on=due_on)
    assert (made["due_on"], made["overdue"]) == (due_on, overdue)
    assert owner.made("list_milestones", item_id=item["id"])["data"] == [made]
    assert owner.made("get_agenda", days=120)["milestones"] == ([made] if overdue else [])


@pytest.mark.usefixtures("_today")
def test_items_are_sorted_up_to_the_limits(owner: RestEntryPoint, course) -> None:
    for due_on in [None, LAST, "9999-12-30", TODAY, "0001-01-02", FIRST]:
        owner.made("create_item", course_id=course["id"], title=due_on or "undated", due_on=due_on)
    seen, page = [], owner.made("list_items", limit=1)
    seen += page["data"]
    while page["has_more"]:
        page = owner.made("list_items", limit=1, cursor=page["next_cursor"])
        seen += page["data"]
    assert [item["due_on"] for item in seen] == [FIRST, "0001-01-02", TODAY, "9999-12-30", LAST, None]


@pytest.mark.usefixtures("_today")
def test_from_and_to_accept_the_limits(owner: RestEntryPoint, course) -> None:
    for due_on in [FIRST, TODAY, LAST]:
        owner.made("create_item", course_id=course["id"], title=due_on, due_on=due_on)
    assert len(owner.made("list_items", to=LAST, **{"from": FIRST})["data"]) == 3
    assert [item["due_on"] for item in owner.made("list_items", **{"from": LAST})["data"]] == [LAST]
    assert [item["due_on"] for item in owner.made("list_items", to=FIRST)["data"]] == [FIRST]
    assert owner.made("list_items", to=FIRST, **{"from": LAST})["data"] == []


@pytest.mark.usefixtures("_today")
def test_the_next_items_include_the_last_day(owner: RestEntryPoint, course) -> None:
    for due_on in [FIRST, LAST]:
        owner.made("create_item", course_id=course["id"], title=due_on, due_on=due_on)
    detail = owner.made("get_course", course_id=course["id"])
    assert [item["due_on"] for item in detail["next_items"]] == [LAST]


@pytest.fixture
def two(owner: RestEntryPoint, course, time_machine) -> None:
    """Items added at noon and one microsecond later."""
    time_machine.move_to("2099-11-21T12:00:00Z", tick=False)
    for title in ["noon", "later"]:
        owner.made("create_item", course_id=course["id"], title=title)


BOTH, LATER, NONE = ["noon", "later"], ["later"], list[str]()


@pytest.mark.usefixtures("two")
@each("name", ["created_after", "updated_after"])
@each(
    "moment",
    [
        "2099-11-21T14:00:00.000000+0200",
        "2099-11-21T12:00:00+00",
        "2099-11-21T06:30:00-0530",
        "2099-11-21T14:00:00 0200",
        "2099-11-21T12:00:00 00",
        "2099-11-21 12:00:00Z",
        "2099-11-21 14:00:00.0+02:00",
        "2099-11-21T12:00:00,0Z",
        "2099-11-21T12:00Z",
        "2099-11-21T12Z",
        "20991121T120000Z",
        "20991121T140000.000+0200",
        "20991121T1200+00",
    ],
)
def test_a_moment_may_have_any_calendar_form_of_iso_8601(owner: RestEntryPoint, name: str, moment: str) -> None:
    [item] = owner.made("list_items", **{name: moment})["data"]
    assert item["title"] == "later"


@pytest.mark.usefixtures("two")
@each(
    ("created_after", "titles"),
    [
        ("2099-11-21T11:59:59.999999Z", BOTH),
        ("2099-11-21T12:00:00Z", LATER),
        ("2099-11-21T12:00:00.0Z", LATER),
        ("2099-11-21T12:00:00.000001Z", NONE),
        ("2099-11-21t12:00:00z", LATER),
        ("2099-11-21T12:00:00+00:00", LATER),
        ("2099-11-21T12:00:00-00:00", LATER),
        ("2099-11-21T14:00:00+02:00", LATER),
        ("2099-11-21T13:59:59+02:00", BOTH),
        ("2099-11-21T14:00:00 02:00", LATER),
        ("2099-11-21T13:59:59 02:00", BOTH),
        ("2099-11-21T06:15:00-05:45", LATER),
        ("2099-11-21T12:59:00+00:59", LATER),
        ("2099-11-22T11:59:00+23:59", LATER),
        ("2099-11-20T12:01:00-23:59", LATER),
    ],
)
def test_created_after_accepts_z_or_any_offset(owner: RestEntryPoint, created_after: str, titles: list[str]) -> None:
    """Fine print: `Z` or an offset. A `+` decoded as a space is read as `+`."""
    found = owner.made("list_items", created_after=created_after)["data"]
    assert [item["title"] for item in found] == titles


@pytest.mark.usefixtures("two")
@each(
    ("created_after", "titles"),
    [
        ("2099-11-21T11:59:59.999999999Z", BOTH),
        ("2099-11-21T12:00:00.000000999Z", LATER),
        ("2099-11-21T14:00:00.000000999+02:00", LATER),
        ("2099-11-21T12:00:00.000001999Z", NONE),
        (f"2099-11-21T12:00:00.{'0' * 100}9Z", LATER),
    ],
)
def test_digits_beyond_microseconds_are_truncated(owner: RestEntryPoint, created_after: str, titles: list[str]) -> None:
    """Fine print: truncated, not rounded, so that pollers miss nothing."""
    found = owner.made("list_items", created_after=created_after)["data"]
    assert [item["title"] for item in found] == titles


@pytest.mark.usefixtures("two")
@each(
    ("created_after", "titles"),
    [
        ("0001-01-01T00:00:00Z", BOTH),
        ("0001-01-01T00:00:00+23:59", BOTH),
        ("0001-01-01T00:00:00-23:59", BOTH),
        ("1969-12-31T23:59:59.999999Z", BOTH),
        ("1970-01-01T00:00:00Z", BOTH),
        ("9999-12-31T23:59:59.999999999Z", NONE),
        ("9999-12-31T23:59:59-23:59", NONE),
        ("9999-12-31T23:59:59+23:59", NONE),
    ],
)
def test_created_after_accepts_the_limits(owner: RestEntryPoint, created_after: str, titles: list[str]) -> None:
    page = owner.made("list_items", created_after=created_after, limit=1)
    seen = page["data"]
    if page["has_more"]:
        seen += owner.made("list_items", created_after=created_after, cursor=page["next_cursor"])["data"]
    assert [item["title"] for item in seen] == titles


def test_an_invalid_time_is_rejected(owner: RestEntryPoint) -> None:
    for created_after in [
        "0000-12-31T23:59:59Z",
        "10000-01-01T00:00:00Z",
        "-001-01-01T00:00:00Z",
        "2026-11-21T24:00:00Z",
        "2026-11-21T23:60:00Z",
        "2016-12-31T23:59:60Z",
        "2026-11-21T12:00:00+24:00",
        "2026-11-21T12:00:00+23:60",
        "2026-11-21T12:00:00+00:60",
        "2026-11-21T12:00:00-00:60",
        "2026-11-21T12:00:00 00:60",
        "2026-11-21T12:00:00+00:99",
        "2026-11-21T12:00:00+22:60",
        "2026-11-21T12:00:00-24:00",
        "2026-11-21T12:00:00+99:00",
        "2026-11-21T12:00:00+02:00:00",
        "2026-11-21T12:00:00  02:00",
        "2026-W47-6T12:00:00Z",
        "2026-325T12:00:00Z",
        "2026-11-21",
        "2026-11-21T12:00:00",
        "20261121T120000",
        "2026-11-2112:00:00Z",
        "2026-11-21_12:00:00Z",
        "2026-11-21T12:0000Z",
        "2026-11-21T12:00:00+02:0",
        "2026-11-21T12:00:00+002",
        "2026-11-21T12:00:00.Z",
        "2026-11-31T12:00:00Z",
    ]:
        answer = owner.call("list_items", created_after=created_after)
        assert (answer.error, answer.fields) == ("validation_failed", ["created_after"]), created_after


@pytest.mark.rest
@pytest.mark.usefixtures("two")
def test_a_bare_plus_in_a_query_is_an_offset(owner: RestEntryPoint) -> None:
    response = owner.request("GET", "/v1/items?created_after=2099-11-21T14:00:00+02:00")
    assert [item["title"] for item in response.json()["data"]] == ["later"]
