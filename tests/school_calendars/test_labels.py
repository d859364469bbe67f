"""Labels of a school calendar: each label's course, matched by name or chosen, and events that change their label."""

from typing import Any

import pytest

from tests.school_calendars.conftest import Calls
from tests.support.calendar_files import MOODLE, deadline
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.schools import URL, School, essay, labelled, many

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.same_statements]


@pytest.mark.database("both")
def test_one_file_can_contain_two_courses(calls: Calls, school: School, biology: Any) -> None:
    physics = calls.course("Physics I")
    school.has(essay(), essay(uid="b", title="Lab", label="PHYSICS I"), essay(uid="c", title="Party", label="Club"))
    added = calls.add(accept=True)
    assert {one["label"]: one["course_id"] for one in added["labels"]} == {
        "Biology": biology["id"],
        "PHYSICS I": physics["id"],
        "Club": None,
    }
    assert added["state"] == "unassigned"
    assert (calls.dates(biology), calls.dates(physics)) == ([("Essay 1", "2026-12-03")], [("Lab", "2026-12-03")])
    assert {row["object"]["id"] for row in calls.readings()} == {biology["id"], physics["id"]}
    ignored = calls.update(added, courses={"Club": "ignore"})
    assert (ignored["state"], [one["ignored"] for one in ignored["labels"]]) == ("ok", [False, False, True])


@pytest.mark.database("both")
def test_choosing_a_course_creates_the_items_of_the_label(calls: Calls, school: School) -> None:
    school.has(essay(label="21F-BIO"))
    added = calls.add()
    assert (added["state"], added["held"]) == ("unassigned", None)
    course = calls.course("Cell Biology")
    chosen = calls.update(added, courses={"21F-BIO": course["id"]})
    assert chosen["state"] == "ok"
    assert calls.dates(course) == [("Essay 1", "2026-12-03")]
    assert school.gets == 1
    school.has(essay("20261204", label="21F-BIO"))
    calls.refresh(added)
    assert calls.dates(course) == [("Essay 1", "2026-12-04")]


def test_choosing_while_a_reading_waits_applies_only_that_label(calls: Calls, school: School, biology: Any) -> None:
    school.has(essay(), essay(uid="b", title="Lab", label="Other"))
    added = calls.add()
    physics = calls.course("Physics")
    chosen = calls.update(added, courses={"Other": physics["id"]})
    assert (chosen["state"], [one["course_id"] for one in chosen["held"] if one["new"]]) == ("held", [biology["id"]])
    assert calls.dates() == [("Lab", "2026-12-03")]
    calls.answer(added, accept=True)
    assert len(calls.dates()) == 2


def test_another_choice_moves_items_that_the_member_did_not_change(calls: Calls, school: School, biology: Any) -> None:
    physics = calls.course("Physics")
    school.has(essay(), essay(uid="b", title="Lab"))
    added = calls.add(accept=True)
    [lab] = [one for one in calls.owner.made("list_items")["data"] if one["title"] == "Lab"]
    calls.owner.made("update_item", item_id=lab["id"], note="Bring goggles")
    calls.update(added, courses={"Biology": physics["id"]})
    assert (calls.dates(biology), calls.dates(physics)) == ([("Lab", "2026-12-03")], [("Essay 1", "2026-12-03")])
    read = calls.refresh(added)
    assert (read["state"], read["counts"]["new"], read["counts"]["unchanged"]) == ("ok", 0, 1)
    assert len(calls.dates()) == 2


def test_an_event_whose_label_changes_is_moved_and_never_duplicated(calls: Calls, school: School, biology: Any) -> None:
    physics = calls.course("Physics")
    others = [*many(3), *[labelled(f"p{one}", "20261203", f"P {one}", "Physics") for one in range(3)]]
    school.has(essay(), *others)
    added = calls.add(accept=True)
    school.has(essay(label="Physics"), *others)
    assert calls.refresh(added)["state"] == "ok"
    assert ("Essay 1", "2026-12-03") in calls.dates(physics)
    assert ("Essay 1", "2026-12-03") not in calls.dates(biology)
    assert len(calls.dates()) == 7


def test_invalid_choices_are_422_and_apply_nothing(
    calls: Calls, school: School, biology: Any, stranger: RestEntryPoint
) -> None:
    theirs = stranger.made("create_course", name="Theirs")
    school.has(essay(label="X"), essay(uid="b", label="Y"))
    added = calls.add()
    courses: Any
    for courses in (
        {"X": biology["id"], "Z": biology["id"]},
        {"X": biology["id"], "Y": theirs["id"]},
        {"X": biology["id"], "": biology["id"]},
        {"X": "biology"},
        {"X": None},
        [],
        None,
    ):
        refused = calls.owner.call("update_school_calendar", calendar_id=added["id"], courses=courses)
        assert (refused.error, refused.fields) == ("validation_failed", ["courses"]), courses
    assert calls.dates() == []


def test_a_deleted_course_unassigns_its_label_and_an_undo_restores_it(
    calls: Calls, school: School, biology: Any
) -> None:
    school.has(essay(label="X"))
    added = calls.add()
    calls.update(added, courses={"X": biology["id"]})
    calls.owner.made("delete_course", course_id=biology["id"])
    assert calls.refresh(added)["state"] == "unassigned"
    [deleted] = [row for row in calls.owner.made("list_changes")["data"] if row["operation"] == "delete_course"]
    calls.owner.made("undo_change", change_id=deleted["id"])
    assert calls.get(added)["state"] == "ok"
    read = calls.refresh(added)
    assert (read["counts"]["unchanged"], calls.dates(biology)) == (1, [("Essay 1", "2026-12-03")])


def test_events_without_a_label_belong_to_the_calendars_course(calls: Calls, school: School, biology: Any) -> None:
    school.has(essay(label=""))
    added = calls.add(course_id=biology["id"], accept=True)
    assert (added["course_id"], calls.dates(biology)) == (biology["id"], [("Essay 1", "2026-12-03")])
    later = calls.add(url=f"{URL}?2")
    assert later["state"] == "unassigned"
    assert calls.update(later, course_id=biology["id"])["state"] == "ok"
    assert len(calls.dates()) == 1


def by(name: str, *labels: str) -> list[str]:
    """A deadline for each label, in this property if it is not empty."""
    return [
        deadline(f"m{number}", "20261203", f"Quiz {number}", *([f"{name}:{label}"] if label else []))
        for number, label in enumerate(labels)
    ]


@each(
    ("events", "found"),
    [
        (by("CATEGORIES", "BIO210", ""), {"BIO210": 1, "": 1}),
        (by("CATEGORIES", "BIO210", "BIO210", "PHY1", ""), {"BIO210": 2, "PHY1": 1, "": 1}),
        (by("CATEGORIES", *["BIO210"] * 9, ""), {"BIO210": 9, "": 1}),
        (by("LOCATION", "Biology", "Biology", ""), {"Biology": 2, "": 1}),
        (by("LOCATION", "", "Biology", "Physics"), {"": 1, "Biology": 1, "Physics": 1}),
        ([*by("CATEGORIES", "BIO210"), labelled("z", "20261203", "Lab", "Club")], {"BIO210": 1, "Club": 1}),
        # as they are
        (by("CATEGORIES", "BIO210", "", ""), {"": 3}),
        (by("LOCATION", "Hall 3", ""), {"": 2}),
        (by("LOCATION", "Hall 3", "", ""), {"": 3}),
    ],
)
def test_the_label_that_most_events_have_decides(calls: Calls, school: School, events: list[str], found: Any) -> None:
    school.has(*events, prodid=MOODLE)
    assert {one["label"]: one["events"] for one in calls.add()["labels"]} == found


@each("name, label", [("CATEGORIES", "BIO210"), ("LOCATION", "Biology")])
def test_events_without_a_label_go_where_the_member_says(
    calls: Calls, school: School, biology: Any, name: str, label: str
) -> None:
    private = calls.course("Private")
    school.has(*by(name, label, label, ""), prodid=MOODLE)
    added = calls.add(accept=True)
    assert (added["state"], len(calls.dates(biology))) == ("unassigned", 2)
    assert calls.update(added, course_id=private["id"])["state"] == "ok"
    assert (len(calls.dates(biology)), calls.dates(private)) == (2, [("Quiz 2", "2026-12-03")])
