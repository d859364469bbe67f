"""import_calendar: files with lines that cannot be read, and texts in HTML."""

from typing import Any

import pytest

from accounts.models import Member
from tests.support.calendar_files import CANVAS, MOODLE, NEW_YORK, calendar, deadline, event
from tests.support.calendar_imports import dates_of, import_events, import_file
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint

pytestmark = [
    pytest.mark.rest,
    pytest.mark.django_db,
    pytest.mark.database("sqlite", "reads files"),
    pytest.mark.time_machine("2026-11-22T12:00:00Z", tick=False),
]

ESSAY = deadline("a", "20261203", "Essay")


@pytest.fixture
def owner_member(make_member: Any) -> Member:
    member: Member = make_member("owner@example.org", time_zone="America/New_York")
    return member


def part(name: str, *lines: str) -> str:
    """A component with these lines."""
    return "\n".join([f"BEGIN:{name}", *lines, f"END:{name}"])


def with_alarm(*lines: str) -> str:
    """The essay with an alarm before its title."""
    return ESSAY.replace("SUMMARY", f"{part('VALARM', *lines)}\nSUMMARY")


BROKEN = {
    "alarm": with_alarm("ACTION:DISPLAY", "TRIGGER-P0DT1H0M0S"),
    "value of an alarm": with_alarm("TRIGGER:soon", "DURATION:x"),
    "task": part("VTODO", "UID:b", "DUE:20261201T1", "SUMMARY no colon", "PERCENT-COMPLETE:half") + "\n" + ESSAY,
    "journal": part("VJOURNAL", "UID:j", "DTSTART:yesterday", "no colon") + "\n" + ESSAY,
    "free and busy": part("VFREEBUSY", "FREEBUSY:busy", "DTSTART:20261301") + "\n" + ESSAY,
    "zone": NEW_YORK.replace("RRULE:FREQ=YEARLY;BYMONTH=3", "no colon\nRRULE:YEARLY") + "\n" + ESSAY,
    "beginning of a rule": NEW_YORK.replace("BEGIN:DAYLIGHT", "BEGIN DAYLIGHT") + "\n" + ESSAY,
    "end of a rule": NEW_YORK.replace("END:DAYLIGHT", "END DAYLIGHT") + "\n" + ESSAY,
    "end of a zone": NEW_YORK.replace("END:VTIMEZONE", "END VTIMEZONE") + "\n" + ESSAY,
    "a component of no standard": part("X-ROOM", "no colon") + "\n" + ESSAY,
    "no end of an alarm": ESSAY.replace("END:VEVENT", "BEGIN:VALARM\nACTION:DISPLAY\nEND:VEVENT"),
    "no end of a task": "BEGIN:VTODO\nUID:b\n" + ESSAY,
    "an end of nothing": ESSAY.replace("SUMMARY", "END:\nBEGIN:\nE ND:VALARM;\nSUMMARY"),
    "an end too many": "END:VALARM\n" + ESSAY,
    "a wrong end": part("VJOURNAL", "UID:j").replace("END:VJOURNAL", "END:VTODO") + "\n" + ESSAY,
}
HEADS = [
    ["X-WR-CALDESC:First line", "second line without a colon"],
    ["CALSCALE"],
    ["REFRESH-INTERVAL;VALUE=DURATION:hourly"],
    ["X-WR-TIMEZONE:Nowhere/Town"],
    ["=;:", ";", ":", "METHOD:PUBLISH:"],
]


@each("how", BROKEN)
def test_a_broken_line_outside_an_event_costs_only_itself(owner: RestEntryPoint, course: Any, how: str) -> None:
    imported = import_events(owner, course, BROKEN[how])
    assert [one["title"] for one in imported["new"]] == ["Essay"]
    assert [one for one in imported["skipped"] if one["uid"] == "a"] == []


@each("head", HEADS)
def test_a_broken_line_of_the_head_costs_only_itself(owner: RestEntryPoint, course: Any, head: list[str]) -> None:
    weekly = event("w", "DTSTART:20261202T130000Z", "RRULE:FREQ=WEEKLY;COUNT=2", summary="Quiz")
    import_file(owner, course, calendar(CANVAS, ESSAY, weekly, head=head))
    assert dates_of(owner) == [("Quiz", "2026-12-02"), ("Essay", "2026-12-03"), ("Quiz", "2026-12-09")]


@each("text", ["Sign in\n{}", "{}\ntrailing", "\n\n{}\n\n", "END:VCALENDAR\n{}", "X-OLD:1\n{}", "v{}"])
def test_lines_outside_of_a_calendar_are_ignored(owner: RestEntryPoint, course: Any, text: str) -> None:
    import_file(owner, course, text.format(calendar(CANVAS, ESSAY).decode()).encode())
    assert dates_of(owner) == [("Essay", "2026-12-03")]


@each("file", ["Sign in", "BEGIN:VCALENDAR", "BEGIN:VCALENDAR\n" + ESSAY, part("VEVENT", "UID:a"), "END:VCALENDAR"])
def test_a_file_that_ends_early_or_has_no_calendar_stays_400(owner: RestEntryPoint, course: Any, file: str) -> None:
    answer = owner.client.post(f"/v1/courses/{course['id']}/calendar", file.encode(), content_type="text/calendar")
    assert answer.status_code == 400


def zone(name: str, *rules: str) -> str:
    return part("VTIMEZONE", f"TZID:{name}", *rules)


CUSTOM = NEW_YORK.replace("America/New_York", "Custom")
RULELESS = {
    "no rules": zone("Custom"),
    "no offset": zone("Custom", part("STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:-0500")),
    "a broken offset": zone(
        "Custom", part("STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:-0500", "TZOFFSETTO:east")
    ),
    "no start": zone("Custom", part("STANDARD", "TZOFFSETFROM:-0500", "TZOFFSETTO:-0500")),
    "another component": zone("Custom", part("X-RULE", "DTSTART:19700101T000000")),
    "a broken rule": zone(
        "Custom",
        part("STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:-0500", "TZOFFSETTO:-0500", "RRULE:FREQ=NEVER"),
    ),
}


@each("how", RULELESS)
def test_a_zone_without_rules_is_utc_and_reported_for_the_events_that_use_it(
    owner: RestEntryPoint, course: Any, how: str
) -> None:
    late = event("late", "DTSTART;TZID=Custom:20261204T030000", summary="Lab")  # 22:00 on the 3rd in New York
    imported = import_events(owner, course, RULELESS[how], ESSAY, late)
    assert dates_of(owner) == [("Lab", "2026-12-03"), ("Essay", "2026-12-03")]  # which has no time
    assert imported["skipped"] == [{"uid": "late", "title": "Lab", "reason": "unknown_zone"}]


@each(
    ("name", "definition"),
    [
        ("America/New_York", zone("America/New_York")),
        ("Eastern Standard Time", zone("Eastern Standard Time")),
        ("America/New_York", ""),
        ("Custom", CUSTOM),
        ("Custom", CUSTOM.replace("END:VTIMEZONE", "BEGIN:STANDARD\nEND:STANDARD\nEND:VTIMEZONE")),
    ],
)
def test_a_zone_with_rules_or_a_known_name_stays_itself(
    owner: RestEntryPoint, course: Any, name: str, definition: str
) -> None:
    late = event("late", f'DTSTART;TZID="{name}":20261203T235900', summary="Lab")
    imported = import_events(owner, course, *([definition] if definition else []), late)
    assert (dates_of(owner), imported["skipped"]) == ([("Lab", "2026-12-03")], [])


@each("name", ["Europe", "x" * 3000, "../etc", "No/Where"])
def test_a_zone_that_nothing_defines_leaves_the_time_unchanged(owner: RestEntryPoint, course: Any, name: str) -> None:
    import_events(owner, course, event("a", f"DTSTART;TZID={name}:20261203T235900", summary="Lab"))
    assert dates_of(owner) == [("Lab", "2026-12-03")]


def test_events_with_broken_bytes_are_reported(owner: RestEntryPoint, course: Any) -> None:
    file = calendar(CANVAS, deadline("a", "20261203", "Übung für ?"), deadline("b", "20261204", "Quiz �"))
    imported = import_file(owner, course, file.replace(b" ?", b" \xff"))
    assert imported["skipped"] == [
        {"uid": "a", "title": "Übung für �", "reason": "unreadable_text"},
        {"uid": "b", "title": "Quiz �", "reason": "unreadable_text"},
    ]


TEXTS = {
    "Labs &amp; Reports is due": "Labs & Reports is due",
    "&quot;Hamlet&quot; essay": '"Hamlet" essay',
    "Student&#039;s choice": "Student's choice",
    "Student&#x27;s choice": "Student's choice",
    "x &lt; y &gt; z": "x < y > z",
    "Quiz&nbsp;3": "Quiz 3",
    "Caf&eacute; &ndash; report": "Café – report",
    "Labs &amp\\; Reports": "Labs & Reports",
    "&amp;lt;b&amp;gt;": "&lt;b&gt;",
    # as they are
    "Q&A; notes": "Q&A; notes",
    "AT&T report": "AT&T report",
    "Research &notes &copy": "Research &notes &copy",
    "Fish &chips; salad": "Fish &chips; salad",
}


@each("text, title", TEXTS.items())
def test_html_in_titles_is_decoded(owner: RestEntryPoint, course: Any, text: str, title: str) -> None:
    import_events(owner, course, deadline("a", "20261203", text), prodid=MOODLE)
    assert dates_of(owner) == [(title, "2026-12-03")]


@each("line", ["CATEGORIES:Arts &amp; Crafts", "LOCATION:Arts &amp\\; Crafts", "CATEGORIES:Arts&nbsp;&#38; Crafts"])
def test_html_in_labels_is_decoded_before_they_are_compared(owner: RestEntryPoint, line: str) -> None:
    arts = owner.made("create_course", name="Arts & Crafts")
    imported = import_events(owner, arts, deadline("a", "20261203", "Essay", line), prodid=MOODLE)
    [label] = imported["labels"]
    assert (label["label"], label["course_id"]) == ("Arts & Crafts", arts["id"])
