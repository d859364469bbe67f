"""import_calendar: events that are not deadlines, or no longer."""

from typing import Any

import pytest

from tests.support.calendar_files import CANVAS, calendar, deadline, event
from tests.support.entry_points import RestEntryPoint
from tests.support.uploads import multipart

pytestmark = [
    pytest.mark.rest,
    pytest.mark.django_db,
    pytest.mark.database("sqlite", "reads files"),
    pytest.mark.time_machine("2026-11-22T12:00:00Z", tick=False),
]

FORM = "multipart/form-data; boundary=BoUnDaRyStRiNg"


def imported(owner: RestEntryPoint, course: Any, *parts: str) -> Any:
    path = f"/v1/courses/{course['id']}/calendar"
    response = owner.client.post(path, multipart(calendar(CANVAS, *parts)), content_type=FORM)
    assert response.status_code == 200, response.content
    return response.json()


def task(uid: str, *lines: str) -> str:
    return event(uid, "DUE;VALUE=DATE:20261218", *lines, summary=f"Task {uid}", name="VTODO")


def test_completed_tasks_are_skipped(owner: RestEntryPoint, course: Any) -> None:
    answer = imported(
        owner,
        course,
        task("status", "STATUS:COMPLETED"),
        task("moment", "COMPLETED:20261120T120000Z"),
        task("percent", "PERCENT-COMPLETE:100"),
        task("open", "STATUS:IN-PROCESS", "PERCENT-COMPLETE:50"),
    )
    assert [one["title"] for one in answer["new"]] == ["Task open"]
    assert sorted((one["uid"], one["title"], one["reason"]) for one in answer["skipped"]) == [
        ("moment", "Task moment", "completed"),
        ("percent", "Task percent", "completed"),
        ("status", "Task status", "completed"),
    ]


def test_a_task_completed_later_is_not_gone(owner: RestEntryPoint, course: Any) -> None:
    """The file still contains it, and its item stays."""
    [item] = imported(owner, course, task("a"))["new"]
    answer = imported(owner, course, task("a", "STATUS:COMPLETED"))
    assert (answer["gone"], [one["reason"] for one in answer["skipped"]]) == ([], ["completed"])
    assert owner.made("get_item", item_id=item["item_id"])["title"] == "Task a"
    again = imported(owner, course, task("a"))
    assert (again["unchanged"], again["skipped"]) == (1, [])


def test_only_the_completed_occurrence_of_a_recurring_task_is_skipped(owner: RestEntryPoint, course: Any) -> None:
    series = event(
        "w", "DTSTART;VALUE=DATE:20261201", "DUE;VALUE=DATE:20261201", "RRULE:FREQ=WEEKLY;COUNT=2", name="VTODO",
        summary="Weekly",
    )  # fmt: skip
    done = event(
        "w", "RECURRENCE-ID;VALUE=DATE:20261201", "DTSTART;VALUE=DATE:20261201", "DUE;VALUE=DATE:20261201",
        "STATUS:COMPLETED", name="VTODO", summary="Weekly",
    )  # fmt: skip
    assert len(imported(owner, course, series)["new"]) == 2
    answer = imported(owner, course, series, done)
    assert (answer["unchanged"], answer["gone"]) == (1, [])
    assert [(one["uid"], one["reason"]) for one in answer["skipped"]] == [("w", "completed")]


OPENINGS = [
    "Quiz 1 opens",
    "Quiz 1 (Quiz opens)",
    "Quiz 3 opens [BIO 210 Cell Biology]",
    "Peer review opens for submissions",
    "Essay opens at 9:00",
    "Quiz 1 - Available",
    "Unit 3 Test - Availability Starts",
    "Problem set 4 is now available",
    "Take-home exam available from 3 December",
    "Available: Lab report 2",
    "Now available: Essay 1",
    "Opens: Quiz 2",
    "The quiz is open",
    "Prüfung „Zellatmung“ öffnet",
    "Übungsblatt 3 ist verfügbar",
    "Le devoir 2 est disponible",
    "El cuestionario 1 se abre",
]
DEADLINES = [
    "Quiz 1 closes",
    "Quiz 1 - Due",
    "Unit 3 Test - Availability Ends",
    "Quiz opens and closes today",
    "Quiz 1 opens (due Friday)",
    "Essay due; late box opens",
    "Quiz 1 no longer available",
    "Quiz 1 not available",
    "Quiz 2 unavailable",
    "Available until 3 December: Quiz 2",
    "Essay on available energy",
    "Open book exam",
    "Opening essay",
    "US Open report",
    "Blatt 2 nicht mehr verfügbar",
]


def test_events_that_only_announce_an_opening_are_skipped(owner: RestEntryPoint, course: Any) -> None:
    titles = [*OPENINGS, *DEADLINES]
    answer = imported(owner, course, *[deadline(str(at), "20261203", title) for at, title in enumerate(titles)])
    assert [(one["title"], one["reason"]) for one in answer["skipped"]] == [(title, "opens") for title in OPENINGS]
    assert [one["title"] for one in answer["new"]] == DEADLINES


def test_a_task_with_such_a_name_is_imported(owner: RestEntryPoint, course: Any) -> None:
    """The component has a due date."""
    parts = event("a", "DUE;VALUE=DATE:20261218", summary="Note when the quiz opens", name="VTODO")
    assert len(imported(owner, course, parts)["new"]) == 1


def test_a_canceled_event_is_not_reported_as_skipped(owner: RestEntryPoint, course: Any) -> None:
    answer = imported(owner, course, deadline("a", "20261203", "Quiz opens", "STATUS:CANCELLED"))
    assert (answer["new"], answer["skipped"]) == ([], [])
