"""import_calendar: the instances of series, as programs write their ends, exceptions and changes."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
import time_machine

from accounts.models import Member
from tests.support.calendar_files import event
from tests.support.calendar_imports import dates_of, import_events
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint

pytestmark = [
    pytest.mark.rest,
    pytest.mark.django_db,
    pytest.mark.database("sqlite", "reads files"),
    pytest.mark.time_machine("2026-11-22T12:00:00Z", tick=False),
]


@pytest.fixture
def owner_member(make_member: Any) -> Member:
    member: Member = make_member("owner@example.org", time_zone="America/New_York")
    return member


NEW_YORK = ";TZID=America/New_York"


def days(found: Any) -> list[str]:
    """The dates of December, as `09`."""
    return [one["due_on"].removeprefix("2026-12-") for one in found]


def series(*lines: str, start: str = f"DTSTART{NEW_YORK}:20261202T080000", uid: str = "w", title: str = "Quiz") -> str:
    return event(uid, start, *lines, summary=title)


def weekly(until: str) -> str:
    return f"RRULE:FREQ=WEEKLY;UNTIL={until}"


ENDS = [
    # the last day as a date, or in local time
    (series(weekly("20261216")), ["02", "09", "16"]),
    (series(weekly("20261216T080000")), ["02", "09", "16"]),
    (series(weekly("20261216T000000")), ["02", "09", "16"]),
    (series(weekly("20261216"), start="DTSTART:20261202T130000Z"), ["02", "09", "16"]),
    (series(weekly("20261216"), start="DTSTART:20261202T080000"), ["02", "09", "16"]),
    (series(weekly("20261216"), start=f"DTSTART{NEW_YORK}:20261202T235900"), ["02", "09", "16"]),
    (series(weekly("20261216T235959"), start="DTSTART;TZID=Asia/Tokyo:20261202T120000"), ["01", "08", "15"]),
    (series("RRULE:FREQ=DAILY;INTERVAL=7;UNTIL=20261216"), ["02", "09", "16"]),
    (series("RRULE:FREQ=WEEKLY;BYDAY=WE,FR;UNTIL=20261211"), ["02", "04", "09", "11"]),
    # as they are
    (series(weekly("20261216T130000Z")), ["02", "09", "16"]),
    (series(weekly("20261216T125959Z")), ["02", "09"]),
    (series(weekly("20261216"), start="DTSTART;VALUE=DATE:20261202"), ["02", "09", "16"]),
    (series(weekly("20261215")), ["02", "09"]),
    (series("RRULE:FREQ=WEEKLY;COUNT=3"), ["02", "09", "16"]),
]


@each("written, expected", ENDS)
def test_a_series_includes_its_last_day(owner: RestEntryPoint, course: Any, written: str, expected: list[str]) -> None:
    assert days(import_events(owner, course, written)["new"]) == expected


def changed(instance: str, *lines: str, ranged: bool = True, title: str = "Quiz") -> str:
    """The instance of the series on a day, changed, and all later ones if `ranged`."""
    range_ = ";RANGE=THISANDFUTURE" if ranged else ""
    return event("w", f"RECURRENCE-ID{range_}{NEW_YORK}:{instance}T080000", *lines, summary=title)


FOUR = series("RRULE:FREQ=WEEKLY;COUNT=4")
LATER = [
    ([FOUR, changed("20261209", f"DTSTART{NEW_YORK}:20261210T080000")], ["02", "10", "17", "24"]),
    ([FOUR, changed("20261209", f"DTSTART{NEW_YORK}:20261208T170000")], ["02", "08", "15", "22"]),
    ([FOUR, changed("20261202", f"DTSTART{NEW_YORK}:20261203T080000")], ["03", "10", "17", "24"]),
    ([FOUR, changed("20261223", f"DTSTART{NEW_YORK}:20261224T080000")], ["02", "09", "16", "24"]),
    (
        [
            FOUR,
            changed("20261209", f"DTSTART{NEW_YORK}:20261210T080000"),
            changed("20261216", f"DTSTART{NEW_YORK}:20261218T080000"),
        ],
        ["02", "10", "18", "25"],
    ),
    (
        [
            FOUR,
            changed("20261209", f"DTSTART{NEW_YORK}:20261210T080000"),
            changed("20261216", f"DTSTART{NEW_YORK}:20261214T080000", ranged=False),
        ],
        ["02", "10", "14", "24"],
    ),
    (
        [
            series(
                "RRULE:FREQ=WEEKLY;COUNT=4", f"EXDATE{NEW_YORK}:20261216T080000",
            ),
            changed("20261209", f"DTSTART{NEW_YORK}:20261210T080000"),
        ],
        ["02", "10", "24"],
    ),
    (
        [
            series("RRULE:FREQ=WEEKLY;COUNT=4", start="DTSTART;VALUE=DATE:20261202"),
            event(
                "w", "RECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20261209", "DTSTART;VALUE=DATE:20261211",
                summary="Quiz",
            ),
        ],
        ["02", "11", "18", "25"],
    ),
    # as they are
    ([FOUR, changed("20261209", f"DTSTART{NEW_YORK}:20261210T080000", ranged=False)], ["02", "10", "16", "23"]),
    ([FOUR], ["02", "09", "16", "23"]),
]  # fmt: skip


@each("written, expected", LATER)
def test_a_change_of_this_and_later_instances_moves_all_of_them(
    owner: RestEntryPoint, course: Any, written: list[str], expected: list[str]
) -> None:
    import_events(owner, course, written[0])
    assert import_events(owner, course, *written)["new"] == []
    assert days({"due_on": due_on} for _, due_on in dates_of(owner)) == expected


@each("line", ["STATUS:CANCELLED", "SUMMARY:Test"])
def test_later_instances_are_canceled_or_renamed_with_an_earlier_one(
    owner: RestEntryPoint, course: Any, line: str
) -> None:
    import_events(owner, course, FOUR)
    lines = f"DTSTART{NEW_YORK}:20261209T080000", line
    found = import_events(owner, course, FOUR, changed("20261209", *lines, title="" if "SUMMARY" in line else "Quiz"))
    assert days(found["gone" if line.startswith("STATUS") else "changed"]) == ["09", "16", "23"]


EXCEPTIONS = [
    (["EXDATE:"], ["02", "09", "16"]),
    ([f"EXDATE{NEW_YORK}:"], ["02", "09", "16"]),
    (["EXDATE;VALUE=DATE: "], ["02", "09", "16"]),
    (["EXDATE:", "RDATE:", "EXDATE:"], ["02", "09", "16"]),
    (["EXDATE:never"], ["02", "09", "16"]),
    ([f"EXDATE{NEW_YORK}:20261209T080000,never"], ["02", "16"]),
    ([f"EXDATE{NEW_YORK}:,20261209T080000,"], ["02", "16"]),
    (["EXDATE:", f"EXDATE{NEW_YORK}:20261209T080000"], ["02", "16"]),
    (['EXDATE;X-ZONE="(UTC-05:00), Eastern"' + f"{NEW_YORK}:20261202T080000,20261209T080000"], ["16"]),
    # as they are
    ([f"EXDATE{NEW_YORK}:20261209T080000"], ["02", "16"]),
    ([f"RDATE{NEW_YORK}:20261218T080000"], ["02", "09", "16", "18"]),
]


@each("lines, expected", EXCEPTIONS)
def test_exceptions_without_a_date_are_none(
    owner: RestEntryPoint, course: Any, lines: list[str], expected: list[str]
) -> None:
    assert sorted(days(import_events(owner, course, series("RRULE:FREQ=WEEKLY;COUNT=3", *lines))["new"])) == expected


def test_a_series_without_a_date_stays_skipped(owner: RestEntryPoint, course: Any) -> None:
    found = import_events(owner, course, event("w", "DTSTART:", "RRULE:FREQ=WEEKLY;COUNT=3", "EXDATE:", summary="Quiz"))
    assert (found["new"], [one["reason"] for one in found["skipped"]]) == ([], ["no_date"])


@each(
    ("lines", "expected"),
    [
        ([f"RECURRENCE-ID{NEW_YORK}:someday", f"DTSTART{NEW_YORK}:20261210T080000"], ["02", "09", "16"]),
        ([f"RECURRENCE-ID{NEW_YORK}:20261209T080000", "DTSTART:someday"], ["02", "09", "16"]),
        ([f"RECURRENCE-ID{NEW_YORK}:20261209T080000", "STATUS:CANCELLED"], ["02", "16"]),
    ],
)
def test_a_changed_instance_that_cannot_be_read_costs_only_itself(
    owner: RestEntryPoint, course: Any, lines: list[str], expected: list[str]
) -> None:
    found = import_events(owner, course, series("RRULE:FREQ=WEEKLY;COUNT=3"), event("w", *lines, summary="Quiz"))
    assert days(found["new"]) == expected


WEEKLY = "RRULE:FREQ=WEEKLY;COUNT=3"
NIGHT = f"DTSTART{NEW_YORK}:20261202T235900"


def at(day: str, *lines: str, time: str = "235900", rule: str = WEEKLY, title: str = "Quiz") -> str:
    """The weekly quiz from a day of December on."""
    return series(rule, *lines, title=title, start=f"DTSTART{NEW_YORK}:202612{day}T{time}")


MOVED = [
    # another time of day, or zone
    ([at("02")], [at("02", time="170000")], ["02", "09", "16"]),
    ([at("02")], [series(WEEKLY, start="DTSTART:20261203T020000Z")], ["02", "09", "16"]),
    ([at("02")], [series(WEEKLY, start="DTSTART:20261202T235900")], ["02", "09", "16"]),
    ([at("02")], [series(WEEKLY, start="DTSTART;TZID=Asia/Tokyo:20261203T120000")], ["02", "09", "16"]),
    # another weekday
    ([at("02")], [at("03")], ["03", "10", "17"]),
    ([at("02")], [at("01")], ["01", "08", "15"]),
    ([at("02")], [at("04", time="120000")], ["04", "11", "18"]),
    (
        [at("02", rule="RRULE:FREQ=WEEKLY;BYDAY=WE,FR;COUNT=4")],
        [at("03", rule="RRULE:FREQ=WEEKLY;BYDAY=TH,FR;COUNT=4")],
        ["03", "04", "10", "11"],
    ),
    ([at("02")], [at("04", title="Test")], ["04", "11", "18"]),
    ([at("02")], [at("18")], ["18", "25", "2027-01-01"]),
    # all-day and timed
    ([series(WEEKLY, start="DTSTART;VALUE=DATE:20261202")], [at("02")], ["02", "09", "16"]),
    ([at("02")], [series(WEEKLY, start="DTSTART;VALUE=DATE:20261202")], ["02", "09", "16"]),
    ([at("02")], [series(WEEKLY, start="DTSTART;VALUE=DATE:20261203")], ["03", "10", "17"]),
    # a changed instance, which is changed again or no more
    (
        [at("02"), event("w", f"RECURRENCE-ID{NEW_YORK}:20261209T235900", f"DTSTART{NEW_YORK}:20261210T235900",
                         summary="Quiz")],
        [at("02", time="170000")],
        ["02", "09", "16"],
    ),
    (
        [at("02")],
        [at("02", time="170000"), event("w", f"RECURRENCE-ID{NEW_YORK}:20261209T170000",
                                        f"DTSTART{NEW_YORK}:20261211T170000", summary="Quiz")],
        ["02", "11", "16"],
    ),
    # instances of a day
    (
        [at("02", rule="RRULE:FREQ=DAILY;COUNT=2"), event("v", "DTSTART;VALUE=DATE:20261202", summary="Quiz")],
        [at("02", rule="RRULE:FREQ=DAILY;COUNT=2", time="120000"),
         event("v", "DTSTART;VALUE=DATE:20261202", summary="Quiz")],
        ["02", "02", "03"],
    ),
]  # fmt: skip


@each("before, after, expected", MOVED)
def test_a_series_that_changes_is_moved(
    owner: RestEntryPoint, course: Any, before: list[str], after: list[str], expected: list[str]
) -> None:
    import_events(owner, course, *before)
    ids = {item["id"] for item in owner.made("list_items")["data"]}
    found = import_events(owner, course, *after)
    assert (found["new"], found["gone"]) == ([], [])
    items = owner.made("list_items")["data"]
    assert ({item["id"] for item in items}, days(items)) == (ids, expected)
    again = import_events(owner, course, *after)
    assert (again["unchanged"], again["new"], again["changed"]) == (len(expected), [], [])


SINGLE = series(start=NIGHT)
OTHER_SIZES = [
    # a single event becomes a series, and back
    ([SINGLE], [at("02")], ["09", "16"], []),
    ([SINGLE], [at("03")], ["10", "17"], []),
    ([series(start=f"DTSTART{NEW_YORK}:20261209T120000")], [at("02")], ["02", "16"], []),
    ([at("02")], [SINGLE], [], ["09", "16"]),
    ([at("02")], [series(start=f"DTSTART{NEW_YORK}:20261217T120000")], [], ["02", "09"]),
    # more or fewer instances
    ([at("02")], [at("02", rule="RRULE:FREQ=WEEKLY;COUNT=4", time="170000")], ["23"], []),
    ([at("02")], [at("03", rule="RRULE:FREQ=WEEKLY;COUNT=2")], [], ["16"]),
    ([at("09")], [at("03", rule="RRULE:FREQ=WEEKLY;COUNT=4")], ["03"], []),
    # an exception
    ([at("02")], [at("02", f"EXDATE{NEW_YORK}:20261209T170000", time="170000")], [], ["09"]),
    # as they are: an instance left out is not the one that was added
    ([at("02")], [at("02", f"EXDATE{NEW_YORK}:20261209T235900", rule="RRULE:FREQ=WEEKLY;COUNT=4")], ["23"], ["09"]),
    ([at("02")], [at("02", f"EXDATE{NEW_YORK}:20261209T235900")], [], ["09"]),
    ([at("02")], [at("02", rule="RRULE:FREQ=WEEKLY;COUNT=4")], ["23"], []),
    ([at("02")], [at("09")], ["23"], ["02"]),
    ([at("02")], [at("14").replace("Quiz", "Lab")], ["14", "21", "28"], ["02", "09", "16"]),
    ([at("02")], [at("02").replace("UID:w", "UID:v")], ["02", "09", "16"], ["02", "09", "16"]),
]


@each("case", OTHER_SIZES)
def test_only_instances_without_a_counterpart_are_new_or_gone(owner: RestEntryPoint, course: Any, case: Any) -> None:
    before, after, new, gone = case
    import_events(owner, course, *before)
    found = import_events(owner, course, *after)
    assert (days(found["new"]), days(found["gone"])) == (new, gone)
    assert import_events(owner, course, *after)["new"] == []


def test_edits_and_deletions_by_the_member_hold_when_a_series_moves(owner: RestEntryPoint, course: Any) -> None:
    import_events(owner, course, at("02"))
    first, second, third = owner.made("list_items")["data"]
    owner.made("update_item", item_id=first["id"], title="Quiz 1", due_on="2026-12-01")
    owner.made("delete_item", item_id=second["id"])
    found = import_events(owner, course, at("03"))
    assert [one["file"]["due_on"] for one in found["kept"]] == ["2026-12-03"]
    assert [one["item_id"] for one in found["changed"]] == [third["id"]]
    assert [one["reason"] for one in found["skipped"]] == ["deleted"]
    assert dates_of(owner) == [("Quiz 1", "2026-12-01"), ("Quiz", "2026-12-17")]


def test_a_series_without_an_end_moves_as_time_goes_on(owner: RestEntryPoint, course: Any) -> None:
    """Of such a series the nearest hundred instances are read, and an older one is not moved to the newest."""
    import_events(owner, course, series("RRULE:FREQ=WEEKLY", start="DTSTART;TZID=Europe/Berlin:20240103T120000"))
    with time_machine.travel(datetime(2026, 12, 20, 12, tzinfo=UTC), tick=False):
        found = import_events(
            owner, course, series("RRULE:FREQ=WEEKLY", start="DTSTART;TZID=Europe/Berlin:20240104T120000")
        )
    days = [date.fromisoformat(one["due_on"]) - date.fromisoformat(one["before"]["due_on"]) for one in found["changed"]]
    assert ({one.days for one in days}, len(found["new"]), found["gone"]) == ({1}, 4, [])
