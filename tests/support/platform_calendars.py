"""Four calendars with their expected dates: Canvas, Moodle, Blackboard and Google, for a member in New York."""

from dataclasses import dataclass, field

from tests.support.calendar_files import (
    BLACKBOARD,
    CANVAS,
    GOOGLE,
    MOODLE,
    NEW_YORK,
    calendar,
    deadline,
    event,
)

ZONE = "America/New_York"
LONG = "Read the chapters on membranes, transport and signalling, then answer the questions " * 8


@dataclass(frozen=True)
class PlatformCalendar:
    """A file, and its expected titles and dates, in order."""

    file: bytes
    dates: list[tuple[str, str]]
    skipped: list[dict[str, str]] = field(default_factory=list)


def canvas() -> PlatformCalendar:
    """Assignments are events at their deadline in UTC, or all-day events with a repeated `VALUE`."""
    return PlatformCalendar(
        calendar(
            CANVAS,
            event(
                "event-assignment-501",
                "DTSTART:20261204T045900Z",
                "DTEND:20261204T045900Z",
                "CLASS:PUBLIC",
                f"DESCRIPTION:{LONG}",
                "SEQUENCE:0",
                "URL:https://canvas.example.edu/calendar?include_contexts=course_77&month=12&year=2026",
                summary="Lab report 2 [BIO 210 Cell Biology]",
            ),
            event(
                "event-assignment-502",
                "DTSTART;VALUE=DATE;VALUE=DATE:20261210",
                "CLASS:PUBLIC",
                summary="Term paper [BIO 210 Cell Biology]",
            ),
            # 23:59 in New York before the clocks change; one hour earlier in UTC.
            event("event-assignment-503", "DTSTART:20261030T035900Z", summary="Quiz 3 [BIO 210 Cell Biology]"),
            event(
                "event-calendar-event-9",
                "DTSTART:20261201T150000Z",
                "DTEND:20261201T160000Z",
                "LOCATION:Hall 3",
                summary="Review session",
            ),
            head=["CALSCALE:GREGORIAN", "METHOD:PUBLISH", "X-WR-CALNAME:Ada Calendar (Canvas)"],
        ),
        [
            ("Quiz 3 [BIO 210 Cell Biology]", "2026-10-29"),
            ("Review session", "2026-12-01"),
            ("Lab report 2 [BIO 210 Cell Biology]", "2026-12-03"),
            ("Term paper [BIO 210 Cell Biology]", "2026-12-10"),
        ],
    )


def moodle() -> PlatformCalendar:
    """Zero-length deadlines in UTC, escaped characters, UIDs with the host name, and opening events."""
    return PlatformCalendar(
        calendar(
            MOODLE,
            event(
                "8101@moodle.example.edu",
                "DESCRIPTION:Hand in as PDF.\\n\\nOne file\\, please.\\n",
                "CLASS:PUBLIC",
                "LAST-MODIFIED:20261101T080000Z",
                "DTSTART:20261216T045900Z",
                "DTEND:20261216T045900Z",
                "CATEGORIES:BIO210",
                summary="Problem set 4\\, part A is due",
            ),
            event("8102@moodle.example.edu", "DTSTART:20261120T140000Z", summary="Prüfung „Zellatmung“ öffnet"),
            event("8103@moodle.example.edu", "DTSTART;VALUE=DATE:20270105", "DTEND;VALUE=DATE:20270106", summary=LONG),
            head=["METHOD:PUBLISH"],
        ),
        [
            ("Problem set 4, part A is due", "2026-12-15"),
            (LONG[:159] + "…", "2027-01-05"),
        ],
        [{"uid": "8102@moodle.example.edu", "title": "Prüfung „Zellatmung“ öffnet", "reason": "opens"}],
    )


def blackboard() -> PlatformCalendar:
    """Times in a zone defined by the file, one with a Windows zone name, and one without a zone."""
    windows = NEW_YORK.replace("America/New_York", "Eastern Standard Time")
    return PlatformCalendar(
        calendar(
            BLACKBOARD,
            NEW_YORK,
            windows,
            event("_71_1-blackboard", "DTSTART;TZID=America/New_York:20261203T235900", summary="Essay draft"),
            event("_72_1-blackboard", 'DTSTART;TZID="Eastern Standard Time":20261204T235900', summary="Essay"),
            event("_73_1-blackboard", "DTSTART:20261205T235900", summary="Final exam"),
            head=["CALSCALE:GREGORIAN"],
        ),
        [("Essay draft", "2026-12-03"), ("Essay", "2026-12-04"), ("Final exam", "2026-12-05")],
    )


def google() -> PlatformCalendar:
    """A weekly event with one occurrence excluded, one moved and one canceled; tasks; and a canceled event."""
    return PlatformCalendar(
        calendar(
            GOOGLE,
            NEW_YORK,
            event(
                "weekly@google.com",
                "DTSTART;TZID=America/New_York:20261102T233000",
                "DTEND;TZID=America/New_York:20261102T235900",
                "RRULE:FREQ=WEEKLY;UNTIL=20261208T045959Z",
                "EXDATE;TZID=America/New_York:20261109T233000",
                summary="Homework",
            ),
            event(
                "weekly@google.com",
                "RECURRENCE-ID;TZID=America/New_York:20261116T233000",
                "DTSTART;TZID=America/New_York:20261117T180000",
                "SEQUENCE:1",
                summary="Homework, a day later",
            ),
            event(
                "weekly@google.com",
                "RECURRENCE-ID;TZID=America/New_York:20261130T233000",
                "DTSTART;TZID=America/New_York:20261130T233000",
                "STATUS:CANCELLED",
                summary="Homework",
            ),
            deadline("off@google.com", "20261215", "Excursion", "STATUS:CANCELLED"),
            event(
                "task@google.com", "DUE;VALUE=DATE:20261218", "STATUS:NEEDS-ACTION", summary="Portfolio", name="VTODO"
            ),
            head=["CALSCALE:GREGORIAN", "METHOD:PUBLISH", "X-WR-TIMEZONE:America/New_York"],
        ),
        [
            ("Homework", "2026-11-02"),
            ("Homework, a day later", "2026-11-17"),
            ("Homework", "2026-11-23"),
            ("Homework", "2026-12-07"),
            ("Portfolio", "2026-12-18"),
        ],
    )


PLATFORMS = {"canvas": canvas, "moodle": moodle, "blackboard": blackboard, "google": google}
