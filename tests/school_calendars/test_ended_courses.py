"""School calendars: events of ended courses are left, and a calendar with only such courses is not read."""

from datetime import timedelta
from typing import Any

import pytest

from tests.school_calendars.conftest import Calls
from tests.school_calendars.test_readcalendars import run
from tests.support.calendar_files import CANVAS, calendar, deadline
from tests.support.cases import each
from tests.support.schools import School, essay

pytestmark = [
    pytest.mark.rest,
    pytest.mark.django_db,
    pytest.mark.database("sqlite", "other tests send the same statements"),
]

HALF_A_DAY = timedelta(hours=12)
DONE = [("Essay 1", "2026-12-03")]


def archive(calls: Calls, course: Any, *, archived: bool = True) -> None:
    calls.owner.made("update_course", course_id=course["id"], archived=archived)


def labels(calendar: Any) -> dict[str, Any]:
    return {one["label"]: one["course_id"] for one in calendar["labels"]}


@pytest.fixture
def physics(calls: Calls) -> Any:
    return calls.course("Physics", "PHY101")


@pytest.fixture
def both(calls: Calls, school: School, biology: Any, physics: Any) -> Any:
    """A calendar of two courses, chosen by the member."""
    school.has(essay(label="B"), essay(uid="p", title="Lab", label="P"))
    added = calls.add()
    calls.update(added, courses={"B": biology["id"], "P": physics["id"]})
    return added


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_it_is_not_read_when_all_its_courses_have_ended(
    calls: Calls, school: School, both: Any, physics: Any, clock: Any
) -> None:
    calls.course("Another one")
    for course_id in labels(calls.get(both)).values():
        clock.shift(HALF_A_DAY)
        assert run() == {"read": 1, "unchanged": 1}
        archive(calls, {"id": course_id})
    gets = school.gets
    clock.shift(HALF_A_DAY)
    assert run() == {"read": 1, "ended": 1}
    refused = calls.owner.call("refresh_school_calendar", calendar_id=both["id"])
    assert (refused.error, refused.body["message"]) == (
        "conflict",
        "All courses of this calendar have ended, so it is not read. Reopen one, or give the calendar another course.",
    )
    assert school.gets == gets
    archive(calls, physics, archived=False)
    clock.shift(HALF_A_DAY)
    assert run() == {"read": 1, "unchanged": 1}


@pytest.mark.django_db(transaction=True)
def test_courses_that_the_rule_of_labels_found_count_as_well(
    calls: Calls, school: School, biology: Any, clock: Any
) -> None:
    school.has(essay(label="BIO210"))
    calls.add(accept=True)
    archive(calls, biology)
    clock.shift(HALF_A_DAY)
    assert run() == {"read": 1, "ended": 1}


@pytest.mark.django_db(transaction=True)
def test_it_is_read_once_after_a_new_course_which_may_be_one_of_its(
    calls: Calls, school: School, biology: Any, clock: Any
) -> None:
    school.has(essay())
    calls.add(accept=True)
    archive(calls, biology)
    calls.course("Chess club")
    outcomes = []
    for _ in range(2):
        clock.shift(HALF_A_DAY)
        outcomes.append(run())
    assert outcomes == [{"read": 1, "unchanged": 1}, {"read": 1, "ended": 1}]
    chemistry = calls.course("Chemistry", "CHM101")
    school.has(essay("20270203", "Titration", label="CHM101", uid="n"))
    clock.shift(HALF_A_DAY)
    assert run() == {"read": 1, "taken": 1}
    assert calls.dates(chemistry) == [("Titration", "2027-02-03")]


def test_another_course_of_the_calendar_lets_it_be_read_again(calls: Calls, school: School, biology: Any) -> None:
    school.has(essay())
    added = calls.add(accept=True)
    archive(calls, biology)
    chemistry = calls.course("Chemistry")
    calls.update(added, course_id=chemistry["id"])
    school.has(essay(), essay(uid="c", title="Lab", label=""))
    calls.refresh(added)
    assert calls.dates(chemistry) == [("Lab", "2026-12-03")]


@pytest.mark.database("both")
def test_events_of_an_ended_course_are_left_and_taken_after_reopening(
    calls: Calls, school: School, both: Any, biology: Any, physics: Any
) -> None:
    archive(calls, biology)
    quiz = essay("20261210", uid="q", title="Quiz", label="B")
    school.has(essay("20261204", label="B"), quiz, essay("20261205", uid="p", title="Lab", label="P"))
    read = calls.refresh(both)
    assert (calls.dates(biology), calls.dates(physics)) == (DONE, [("Lab", "2026-12-05")])
    assert (read["state"], labels(read)["B"]) == ("ok", biology["id"])
    assert read["counts"] == {"new": 0, "changed": 1, "kept": 0, "gone": 0, "unchanged": 0}
    archive(calls, biology, archived=False)
    assert calls.refresh(both)["counts"]["new"] == 1
    assert calls.dates(biology) == [("Essay 1", "2026-12-04"), ("Quiz", "2026-12-10")]


def test_events_missing_from_the_school_are_not_told_of_an_ended_course(
    calls: Calls, school: School, both: Any, biology: Any
) -> None:
    archive(calls, biology)
    school.has(essay(uid="p", title="Lab", label="P"))
    assert calls.refresh(both)["counts"]["gone"] == 0
    archive(calls, biology, archived=False)
    read = calls.refresh(both)
    assert [one["course_id"] for one in read["held"] if one["gone"]] == [biology["id"]]


def test_the_rule_of_labels_leaves_ended_courses_out(calls: Calls, school: School, biology: Any) -> None:
    """The same course of the next term takes the new events; those of before stay where they are."""
    school.has(essay(label="BIO210"))
    added = calls.add(accept=True)
    archive(calls, biology)
    assert labels(calls.get(added)) == {"BIO210": None}
    next_term = calls.course("Biology II", "BIO210")
    assert labels(calls.get(added)) == {"BIO210": next_term["id"]}
    school.has(essay("20261204", label="BIO210"), essay("20270203", uid="n", title="Essay 2", label="BIO210"))
    calls.refresh(added)
    assert (calls.dates(biology), calls.dates(next_term)) == (DONE, [("Essay 2", "2027-02-03")])


def test_another_event_with_the_uid_of_one_that_was_left_is_new(calls: Calls, school: School, biology: Any) -> None:
    """Timetables count their UIDs from 0 in each term."""
    school.has(essay(label="BIO210", uid="0"))
    added = calls.add(accept=True)
    archive(calls, biology)
    chemistry = calls.course("Chemistry", "CHM101")
    calls.update(added, course_id=chemistry["id"])
    school.has(essay("20270203", "Titration", label="CHM101", uid="0"))
    calls.refresh(added)
    assert (calls.dates(biology), calls.dates(chemistry)) == (DONE, [("Titration", "2027-02-03")])


def test_a_label_given_to_an_ended_course_waits_for_its_reopening(calls: Calls, school: School, biology: Any) -> None:
    school.has(essay(label="X"))
    added = calls.add()
    archive(calls, biology)
    assert calls.update(added, courses={"X": biology["id"]})["state"] == "ok"
    assert calls.dates() == []
    archive(calls, biology, archived=False)
    calls.refresh(added)
    assert calls.dates(biology) == DONE


@each("label", [None, "Biology"])
def test_a_file_is_imported_into_an_ended_course(calls: Calls, biology: Any, label: str | None) -> None:
    archive(calls, biology)
    file = calendar(CANVAS, deadline("a", "20261203", "Essay 1 [Biology]"))
    only = {} if label is None else {"label": label}
    taken = calls.owner.made("import_calendar", course_id=biology["id"], file=file, **only)
    assert (len(taken["new"]), taken["labels"][0]["course_id"]) == (1, None)
    assert len(calls.dates(biology)) == 1
