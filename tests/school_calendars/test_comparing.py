"""Comparing readings of a school calendar with imported items: differences, waiting readings, and undo."""

from typing import Any

import pytest

from tests.school_calendars.conftest import Calls
from tests.support.calendar_files import CANVAS, MOODLE, calendar, deadline, event
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import ItemFactory, stored
from tests.support.internet import OTHER_PUBLIC, Internet
from tests.support.schools import URL, School, essay, labelled, many

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.same_statements]


@pytest.mark.database("both")
def test_moves_by_the_school_are_applied_unless_the_member_changed_the_item(
    calls: Calls, school: School, biology: Any
) -> None:
    school.has(essay(), essay(uid="b", title="Lab"))
    added = calls.add(accept=True)
    [lab] = [one for one in calls.owner.made("list_items")["data"] if one["title"] == "Lab"]
    calls.owner.made("update_item", item_id=lab["id"], due_on="2026-12-20")
    school.has(essay("20261205"), essay(uid="b", title="Lab report"))
    read = calls.refresh(added)
    assert read["counts"] == {"new": 0, "changed": 2, "kept": 0, "gone": 0, "unchanged": 0}
    assert calls.dates() == [("Essay 1", "2026-12-05"), ("Lab report", "2026-12-20")]
    school.has(essay("20261205"), essay("20261204", uid="b", title="Lab report"))
    assert calls.refresh(added)["counts"]["kept"] == 1
    assert calls.refresh(added)["counts"] == {"new": 0, "changed": 0, "kept": 0, "gone": 0, "unchanged": 2}
    assert calls.dates() == [("Essay 1", "2026-12-05"), ("Lab report", "2026-12-20")]


def test_a_title_changed_by_both_is_kept_and_reported(calls: Calls, school: School, biology: Any) -> None:
    school.has(essay())
    added = calls.add(accept=True)
    [item] = calls.owner.made("list_items")["data"]
    calls.owner.made("update_item", item_id=item["id"], title="My essay")
    school.has(essay(title="Essay one"))
    assert calls.refresh(added)["counts"]["kept"] == 1
    assert calls.dates() == [("My essay", "2026-12-03")]


def test_missing_events_are_reported_and_not_deleted(calls: Calls, school: School, biology: Any) -> None:
    school.has(essay(), *many(4))
    added = calls.add(accept=True)
    school.has(*many(4))
    read = calls.refresh(added)
    assert (read["state"], read["counts"]["gone"]) == ("ok", 1)
    assert ("Essay 1", "2026-12-03") in calls.dates()
    school.has(essay("20261204"), *many(4))
    assert calls.refresh(added)["counts"] == {"new": 0, "changed": 1, "kept": 0, "gone": 0, "unchanged": 4}


def test_a_deleted_item_is_never_created_again(calls: Calls, school: School, biology: Any) -> None:
    school.has(essay())
    added = calls.add(accept=True)
    [item] = calls.owner.made("list_items")["data"]
    calls.owner.made("delete_item", item_id=item["id"])
    school.has(essay("20261206"))
    calls.refresh(added)
    assert calls.dates() == []
    calls.owner.made("delete_school_calendar", calendar_id=added["id"])
    calls.add(accept=True)
    assert calls.dates() == []


ODD: dict[str, tuple[list[str], list[str]]] = {
    "more than 50 new": (many(1), many(52)),
    "ten and a quarter changed": (many(40), many(10, day="20261209") + many(30, first=10)),
    "half gone": (many(10), many(5)),
    "all gone": (many(3), []),
}
EVEN: dict[str, tuple[list[str], list[str]]] = {
    "50 new": (many(1), many(51)),
    "ten of more than forty": (many(41), many(10, day="20261209") + many(31, first=10)),
    "nine of nine": (many(9), many(9, day="20261209")),
    "fewer than half gone": (many(11), many(6)),
}


@pytest.mark.parametrize("how", ODD)
def test_a_suspicious_reading_waits_for_confirmation(calls: Calls, school: School, biology: Any, how: str) -> None:
    first, then = ODD[how]
    school.has(*first)
    added = calls.add(accept=True)
    before = calls.dates()
    school.has(*then)
    read = calls.refresh(added)
    assert read["state"] == "held"
    assert calls.dates() == before
    [held] = read["held"]
    assert held["course_id"] == biology["id"]
    taken = calls.answer(added, accept=True)
    assert (taken["state"], taken["held"]) == ("ok", None)
    assert taken["counts"] == {name: held[name] if name == "unchanged" else len(held[name]) for name in taken["counts"]}
    assert calls.refresh(added)["state"] == "ok"


@pytest.mark.parametrize("how", EVEN)
def test_an_ordinary_reading_is_applied(calls: Calls, school: School, biology: Any, how: str) -> None:
    first, then = EVEN[how]
    school.has(*first)
    added = calls.add(accept=True)
    school.has(*then)
    assert calls.refresh(added)["state"] == "ok"


def test_past_events_that_disappear_are_not_suspicious(calls: Calls, school: School, biology: Any) -> None:
    school.has(*many(2, day="20261101"), essay())
    added = calls.add(accept=True)
    school.has(essay())
    read = calls.refresh(added)
    assert (read["state"], read["counts"]["gone"]) == ("ok", 2)


def test_a_rejected_reading_does_not_ask_again_but_a_new_one_does(calls: Calls, school: School, biology: Any) -> None:
    school.has(essay())
    added = calls.add()
    assert calls.answer(added, accept=False)["held"] is None
    assert calls.refresh(added)["state"] == "ok"
    assert calls.dates() == []
    school.has(essay("20261204"))
    read = calls.refresh(added)
    assert (read["state"], read["held"][0]["new"][0]["due_on"]) == ("held", "2026-12-04")


def test_a_newer_reading_replaces_a_waiting_one(calls: Calls, school: School, biology: Any) -> None:
    school.has(essay())
    added = calls.add()
    school.has(essay("20261204"))
    assert calls.refresh(added)["held"][0]["new"][0]["due_on"] == "2026-12-04"
    calls.answer(added, accept=True)
    assert calls.dates() == [("Essay 1", "2026-12-04")]


@pytest.mark.database("both")
def test_items_imported_from_a_file_are_recognized(calls: Calls, school: School, biology: Any) -> None:
    file = calendar(MOODLE, deadline("a", "20261203", "Essay 1"))
    calls.owner.made("import_calendar", course_id=biology["id"], file=file)
    school.has(essay())
    added = calls.add(accept=True)
    assert added["counts"] == {"new": 0, "changed": 0, "kept": 0, "gone": 0, "unchanged": 1}
    school.has(essay("20261204"))
    assert calls.refresh(added)["counts"] == {"new": 0, "changed": 1, "kept": 0, "gone": 0, "unchanged": 0}
    school.has(*many(1))
    assert calls.refresh(added)["state"] == "held"
    assert calls.dates() == [("Essay 1", "2026-12-04")]


@each("event", [essay("20261204"), essay(title="Report"), essay("20261204", "Report")])
def test_an_event_of_a_file_with_another_title_or_date_is_another_item(
    calls: Calls, school: School, biology: Any, event: str
) -> None:
    """Programs of two schools may write the same UID."""
    file = calendar(MOODLE, deadline("a", "20261203", "Essay 1"))
    calls.owner.made("import_calendar", course_id=biology["id"], file=file)
    school.has(event)
    added = calls.add(accept=True)
    assert (added["counts"]["new"], len(calls.dates())) == (1, 2)
    assert calls.refresh(added)["counts"]["unchanged"] == 1
    assert calls.owner.made("import_calendar", course_id=biology["id"], file=file)["unchanged"] == 1
    assert ("Essay 1", "2026-12-03") in calls.dates()


@each("edit", [{"title": "My essay"}, {"due_on": "2026-12-01"}, None])
def test_what_the_member_did_to_an_item_of_a_file_holds_when_it_is_recognized(
    calls: Calls, school: School, biology: Any, edit: Any
) -> None:
    file = calendar(MOODLE, deadline("a", "20261203", "Essay 1"))
    [made] = calls.owner.made("import_calendar", course_id=biology["id"], file=file)["new"]
    if edit is None:
        calls.owner.made("delete_item", item_id=made["item_id"])
    else:
        calls.owner.made("update_item", item_id=made["item_id"], **edit)
    before = calls.dates()
    school.has(essay())
    assert calls.add(accept=True)["counts"]["new"] == 0
    assert calls.dates() == before


def test_a_second_file_is_compared_with_the_first_whatever_changed(calls: Calls, biology: Any) -> None:
    for day, title, prodid in (("03", "Essay 1", MOODLE), ("05", "Report", MOODLE), ("09", "Test", CANVAS)):
        file = calendar(prodid, deadline("a", f"202612{day}", title))
        calls.owner.made("import_calendar", course_id=biology["id"], file=file)
        assert calls.dates() == [(title, f"2026-12-{day}")]


def test_a_file_is_compared_with_what_a_calendar_read(calls: Calls, school: School, biology: Any) -> None:
    school.has(essay())
    calls.add(accept=True)
    file = calendar(MOODLE, deadline("a", "20261209", "Essay 1"))
    assert len(calls.owner.made("import_calendar", course_id=biology["id"], file=file)["changed"]) == 1
    assert calls.dates() == [("Essay 1", "2026-12-09")]


@pytest.mark.database("both")
def test_a_reading_is_undone_as_one_and_counts_as_the_members_change(
    calls: Calls, school: School, biology: Any
) -> None:
    school.has(essay(), *many(3))
    added = calls.add(accept=True)
    before = calls.dates()
    school.has(essay("20261205", "Essay one"), *many(5))
    calls.refresh(added)
    [change, _] = calls.readings()
    calls.owner.made("undo_change", change_id=change["id"])
    assert calls.dates() == before
    assert calls.refresh(added)["counts"] == {"new": 0, "changed": 0, "kept": 0, "gone": 0, "unchanged": 4}
    assert calls.dates() == before
    school.has(essay("20261209", "Essay one"), *many(5))
    assert calls.refresh(added)["counts"]["kept"] == 1


def test_nothing_is_applied_over_a_count_limit(calls: Calls, school: School, biology: Any) -> None:
    from courses.models import Course, Item

    course = Course.objects.get(name="Biology")
    stored(ItemFactory, 999, member=course.member, course=course)
    calls.course("Physics")
    school.has(labelled("p", "20261203", "Lab", "Physics"), *many(2))
    added = calls.add(accept=True)
    assert (added["state"], added["last_error"]["type"]) == ("failing", "limit_reached")
    assert Item.objects.count() == 999
    Item.objects.all().delete()
    assert calls.refresh(added)["state"] == "ok"
    assert len(calls.dates()) == 3


def test_a_sign_in_page_or_a_truncated_file_changes_nothing(calls: Calls, school: School, biology: Any) -> None:
    school.has(essay())
    added = calls.add(accept=True)
    whole = calendar("x", essay("20261209"))
    for body in (b"<!doctype html><title>Sign in</title>", whole[: len(whole) // 2], b""):
        school.sends(body)
        read = calls.refresh(added)
        assert (read["state"], read["last_error"]["type"]) == ("failing", "not_a_calendar")
        assert calls.dates() == [("Essay 1", "2026-12-03")]
    school.has(essay("20261209"))
    assert calls.refresh(added)["last_error"] is None


def test_adding_changing_and_pausing_can_be_undone_but_deleting_cannot(
    calls: Calls, school: School, biology: Any
) -> None:
    from planning.models import DueCalendar

    added = calls.add()
    calls.update(added, paused=True, name="Canvas")
    assert DueCalendar.objects.count() == 0
    [paused, made] = calls.owner.made("list_changes")["data"][:2]
    calls.owner.made("undo_change", change_id=paused["id"])
    again = calls.get(added)
    assert (again["paused"], again["name"], DueCalendar.objects.count()) == (False, added["name"], 1)
    calls.owner.made("undo_change", change_id=made["id"])
    assert calls.owner.made("list_school_calendars")["data"] == []
    later = calls.add()
    calls.owner.made("delete_school_calendar", calendar_id=later["id"])
    deleted = calls.owner.made("list_changes", limit=1)["data"][0]
    assert (deleted["operation"], deleted["undoable"]) == ("delete_school_calendar", False)
    refused = calls.owner.call("undo_change", change_id=deleted["id"])
    assert (refused.error, refused.body["message"]) == (
        "conflict",
        "Deleting a calendar cannot be undone. Add it again.",
    )


@pytest.mark.database("both")
def test_two_calendars_with_the_same_events_create_them_once(calls: Calls, school: School, biology: Any) -> None:
    school.has(essay())
    first, second = calls.add(accept=True), calls.add(url=f"{URL}?2", accept=True)
    assert (second["counts"]["new"], second["counts"]["unchanged"], len(calls.dates())) == (0, 1, 1)
    school.has(essay("20261205"))
    assert calls.refresh(second)["counts"]["changed"] == 1
    assert calls.refresh(first)["counts"] == {"new": 0, "changed": 0, "kept": 0, "gone": 0, "unchanged": 1}
    assert calls.dates() == [("Essay 1", "2026-12-05")]


OTHER = "moodle.other.example"


@pytest.mark.database("both")
def test_two_calendars_may_have_the_same_uid_for_different_events(
    calls: Calls, school: School, biology: Any, internet: Internet
) -> None:
    other = School(internet, OTHER, OTHER_PUBLIC).has(essay("20261210", "Lab report"))
    school.has(essay())
    first, second = calls.add(accept=True), calls.add(url=f"https://{OTHER}/a.ics", accept=True)
    assert (second["counts"]["new"], len(calls.dates())) == (1, 2)
    school.has(essay("20261204"))
    other.has(essay("20261211", "Lab report"))
    assert [calls.refresh(one)["counts"]["changed"] for one in (first, second)] == [1, 1]
    assert calls.dates() == [("Essay 1", "2026-12-04"), ("Lab report", "2026-12-11")]
    other.has(*many(1))
    calls.answer(calls.refresh(second), accept=True)
    assert calls.refresh(first)["counts"]["unchanged"] == 1


def test_an_archive_has_what_each_calendar_remembers(
    calls: Calls, school: School, biology: Any, internet: Internet, stranger: RestEntryPoint
) -> None:
    School(internet, OTHER, OTHER_PUBLIC).has(essay("20261210", "Lab report"))
    school.has(essay())
    for url in (URL, f"https://{OTHER}/a.ics"):
        calls.add(url=url, accept=True)
    stranger.made("import_data", file=calls.owner.made("export_data"))
    restored = Calls(stranger)
    assert restored.dates() == calls.dates()
    assert restored.add(accept=True)["counts"]["unchanged"] == 1
    assert restored.dates() == calls.dates()


def test_an_event_that_another_calendar_still_has_is_not_gone(calls: Calls, school: School, biology: Any) -> None:
    school.has(essay(), *many(4))
    first, second = calls.add(accept=True), calls.add(url=f"{URL}?2", accept=True)
    school.has(*many(4))
    assert calls.refresh(first)["counts"]["gone"] == 0
    assert calls.refresh(second)["counts"]["gone"] == 0


def test_an_item_deleted_here_is_not_created_by_a_second_calendar(calls: Calls, school: School, biology: Any) -> None:
    school.has(essay())
    calls.add(accept=True)
    [item] = calls.owner.made("list_items")["data"]
    calls.owner.made("delete_item", item_id=item["id"])
    second = calls.add(url=f"{URL}?2", accept=True)
    school.has(essay("20261206"))
    calls.refresh(second)
    assert calls.dates() == []


SERIES = "DTSTART:20261202T045900Z"


def weekly(start: str = SERIES, *lines: str, count: int = 3) -> str:
    return event("w", start, f"RRULE:FREQ=WEEKLY;COUNT={count}", *lines, summary="Quiz [Biology]")


@each(
    ("then", "expected"),
    [
        (weekly("DTSTART:20261202T010000Z"), ["02", "09", "16"]),
        (weekly("DTSTART:20261203T045900Z"), ["03", "10", "17"]),
        (weekly("DTSTART;VALUE=DATE:20261202"), ["02", "09", "16"]),
        (weekly("DTSTART;TZID=America/New_York:20261204T235900"), ["05", "12", "19"]),
        (weekly("DTSTART:20261202T010000Z", "EXDATE:20261209T010000Z"), ["02", "09", "16"]),
    ],
)
def test_a_series_that_changes_in_a_school_calendar_is_moved(
    calls: Calls, school: School, biology: Any, then: str, expected: list[str]
) -> None:
    school.has(weekly())
    added = calls.add(accept=True)
    school.has(then)
    counts = calls.refresh(added)["counts"]
    assert (counts["new"], counts["gone"]) == (0, int("EXDATE" in then))
    assert [due_on.removeprefix("2026-12-") for _, due_on in calls.dates()] == expected
    assert calls.refresh(added)["counts"]["changed"] == 0


@each(
    ("then", "changed"),
    [(weekly(), 0), (weekly("DTSTART:20261202T010000Z"), 3), (weekly("DTSTART;VALUE=DATE:20261202"), 3)],
)
def test_a_series_of_a_file_is_recognized_at_another_time_of_the_same_days(
    calls: Calls, school: School, biology: Any, then: str, changed: int
) -> None:
    file = calendar(MOODLE, weekly().replace(" [Biology]", ""))
    calls.owner.made("import_calendar", course_id=biology["id"], file=file)
    school.has(then)
    added = calls.add(accept=True)
    assert added["counts"] == {"new": 0, "changed": changed, "kept": 0, "gone": 0, "unchanged": 3 - changed}
    assert calls.refresh(added)["counts"]["unchanged"] == 3
    school.has(weekly("DTSTART:20261203T010000Z"))
    assert calls.refresh(added)["counts"]["changed"] == 3
    assert [due_on for _, due_on in calls.dates()] == ["2026-12-03", "2026-12-10", "2026-12-17"]


def test_a_series_that_changes_and_moves_to_another_course_is_not_doubled(
    calls: Calls, school: School, biology: Any
) -> None:
    physics = calls.course("Physics")
    school.has(weekly(), *many(3))
    added = calls.add(accept=True)
    school.has(weekly("DTSTART:20261202T010000Z").replace("[Biology]", "[Physics]"), *many(3))
    calls.refresh(added)
    assert (len(calls.dates(biology)), len(calls.dates(physics))) == (3, 3)
