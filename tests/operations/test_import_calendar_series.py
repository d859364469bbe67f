"""import_calendar: the instances of series, as programs write their ends, exceptions and changes."""

from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine

from accounts.models import Member
from tests.support.calendar_files import event
from tests.support.calendar_imports import dates_of, import_events
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.database("sqlite", "reads files")]


@pytest.fixture
def owner_member(make_member: Any) -> Member:
    member: Member = make_member("owner@example.org", time_zone="America/New_York")
    return member


@pytest.fixture(autouse=True)
def _now() -> Any:
    with time_machine.travel(datetime(2026, 11, 22, 12, tzinfo=UTC), tick=False):
        yield


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
    ([f"EXDATE{NEW_YORK}:,20261209T080000,"], ["02", "16"]),
    (["EXDATE:", f"EXDATE{NEW_YORK}:20261209T080000"], ["02", "16"]),
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
