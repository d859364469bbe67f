"""Shapes of calendars, written after the documentation of the systems that send them: their dates and labels."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.school_calendars.conftest import Calls
from tests.support.calendar_files import BLACKBOARD, CANVAS, GOOGLE, MOODLE, NEW_YORK, calendar, deadline, event
from tests.support.schools import School

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.database("sqlite", "reads files")]

BRIGHTSPACE = "-//D2L//NONSGML Desire2Learn//EN"
OUTLOOK = "Microsoft Exchange Server 2010"

Dates = list[tuple[str, str]]


def canvas_of_two_courses() -> tuple[bytes, Dates]:
    return calendar(
        CANVAS,
        event("event-assignment-1", "DTSTART:20261204T225900Z", summary="Essay [BIO 210 Cell Biology]"),
        event("event-assignment-2", "DTSTART;VALUE=DATE;VALUE=DATE:20261205", summary="Sheet 3 [PHY101 Physics]"),
        head=["METHOD:PUBLISH", "X-WR-CALNAME:Ada Calendar (Canvas)"],
    ), [("Essay", "Cell Biology"), ("Sheet 3", "Physics")]


def canvas_with_brackets_inside() -> tuple[bytes, Dates]:
    return calendar(
        CANVAS, event("event-assignment-3", "DTSTART:20261204T120000Z", summary="Quiz [draft] [BIO 210 [Fall\\, 2026]]")
    ), [("Quiz [draft]", "Cell Biology")]


def canvas_with_a_long_title() -> tuple[bytes, Dates]:
    title = "Read the chapters on membranes and answer every question " * 4
    return calendar(CANVAS, deadline("event-assignment-4", "20261204", f"{title}[BIO 210]")), [
        (f"{title.strip()[:159]}…", "Cell Biology")
    ]


def moodle_by_category() -> tuple[bytes, Dates]:
    return calendar(
        MOODLE,
        event("81@moodle", "DTSTART:20261204T225900Z", "CATEGORIES:BIO 210", summary="Problem set is due"),
        event("82@moodle", "DTSTART:20261205T120000Z", "CATEGORIES:PHY101", summary="Quiz closes"),
        event("83@moodle", "DTSTART:20261205T080000Z", "CATEGORIES:PHY101", summary="Quiz opens"),
    ), [("Problem set is due", "Cell Biology"), ("Quiz closes", "Physics")]


def moodle_with_a_category_of_its_own() -> tuple[bytes, Dates]:
    return calendar(
        MOODLE,
        event("84@moodle", "DTSTART;VALUE=DATE:20261204", "CATEGORIES:cell-biology", summary="Report"),
    ), [("Report", "Cell Biology")]


def moodle_with_a_personal_event() -> tuple[bytes, Dates]:
    return calendar(
        MOODLE,
        event("85@moodle", "DTSTART:20261204T225900Z", "CATEGORIES:BIO 210", summary="Labs &amp; report is due"),
        event("86@moodle", "DTSTART:20261205T120000Z", summary="Dentist"),
    ), [("Labs & report is due", "Cell Biology"), ("Dentist", "Other")]


def blackboard_without_labels() -> tuple[bytes, Dates]:
    return calendar(
        BLACKBOARD, NEW_YORK, event("_71_1", "DTSTART;TZID=America/New_York:20261203T235900", summary="Essay draft")
    ), [("Essay draft", "Other")]


def blackboard_of_one_place() -> tuple[bytes, Dates]:
    return calendar(BLACKBOARD, event("_72_1", "DTSTART:20261203T235900", "LOCATION:PHY101-02", summary="Essay")), [
        ("Essay", "Physics")
    ]


def brightspace_by_place() -> tuple[bytes, Dates]:
    return calendar(
        BRIGHTSPACE,
        event("6606-1@d2l", "DTSTART:20261204T035900Z", "LOCATION:Cell Biology", summary="Dropbox - Due"),
        event("6606-2@d2l", "DTSTART;VALUE=DATE:20261205", "LOCATION:Physics", summary="Forum - Availability Ends"),
        event("6606-3@d2l", "DTSTART;VALUE=DATE:20261204", "LOCATION:Physics", summary="Quiz - Available"),
        head=["X-WR-CALNAME:All Courses"],
    ), [("Dropbox - Due", "Cell Biology"), ("Forum - Availability Ends", "Physics")]


def google_with_a_broken_alarm() -> tuple[bytes, Dates]:
    alarm = "BEGIN:VALARM\nTRIGGER-P0DT1H0M0S\nEND:VALARM"
    return calendar(GOOGLE, event("g4", "DTSTART:20261203T120000Z", *alarm.splitlines(), summary="Essay [BIO 210]")), [
        ("Essay", "Cell Biology")
    ]


def google_weekly() -> tuple[bytes, Dates]:
    return calendar(
        GOOGLE,
        NEW_YORK,
        event("g1", "DTSTART;VALUE=DATE:20261201", "RRULE:FREQ=WEEKLY;COUNT=2", summary="Sheet [BIO 210]"),
    ), [("Sheet", "Cell Biology"), ("Sheet", "Cell Biology")]


def google_with_places_of_some() -> tuple[bytes, Dates]:
    """If not every event has a location, locations are not labels."""
    return calendar(
        GOOGLE,
        deadline("g2", "20261201", "Talk", "LOCATION:Physics"),
        deadline("g3", "20261202", "Test"),
    ), [("Talk", "Other"), ("Test", "Other")]


def outlook_by_category() -> tuple[bytes, Dates]:
    return calendar(
        OUTLOOK,
        event(
            "040000008200E00074C5B7101A82E008",
            'DTSTART;TZID="Eastern Standard Time":20261203T090000',
            "CATEGORIES:PHY101,Important",
            summary="Lab test",
        ),
        head=["METHOD:PUBLISH"],
    ), [("Lab test", "Physics")]


def outlook_that_is_busy() -> tuple[bytes, Dates]:
    """A calendar shared without details."""
    return calendar(OUTLOOK, deadline("o1", "20261203", "Busy"), deadline("o2", "20261204", "Busy")), [
        ("Busy", "Other"),
        ("Busy", "Other"),
    ]


SHAPES: list[Callable[[], tuple[bytes, Dates]]] = [
    canvas_of_two_courses,
    canvas_with_brackets_inside,
    canvas_with_a_long_title,
    moodle_by_category,
    moodle_with_a_category_of_its_own,
    moodle_with_a_personal_event,
    blackboard_without_labels,
    blackboard_of_one_place,
    brightspace_by_place,
    google_with_a_broken_alarm,
    google_weekly,
    google_with_places_of_some,
    outlook_by_category,
    outlook_that_is_busy,
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda one: one.__name__)
def test_each_date_reaches_its_course_and_a_second_reading_changes_nothing(
    calls: Calls, school: School, shape: Callable[[], tuple[bytes, Dates]]
) -> None:
    calls.course("Cell Biology", "BIO 210")
    calls.course("Physics", "PHY101")
    other = calls.course("Other")
    file, expected = shape()
    school.sends(file, Content_Type="text/calendar")
    added = calls.add(course_id=other["id"], accept=True)
    assert added["state"] == "ok", added
    assert _items(calls) == sorted(expected)
    again = calls.refresh(added)["counts"]
    assert again == {"new": 0, "changed": 0, "kept": 0, "gone": 0, "unchanged": len(expected)}


def _items(calls: Calls) -> list[tuple[Any, Any]]:
    return sorted((one["title"], one["course_name"]) for one in calls.owner.made("list_items", limit=100)["data"])
