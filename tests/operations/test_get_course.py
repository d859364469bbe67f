"""get_course: GET /v1/courses/{course_id}."""

from typing import Any
from unittest.mock import ANY

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.samples import NOT_ENDED, UNKNOWN_ID, later

pytestmark = pytest.mark.same_statements

TODAY = "2026-11-21"


@pytest.fixture
def _today(time_machine) -> None:
    time_machine.move_to(f"{TODAY}T12:00:00Z")


def _titles(detail: dict[str, Any]) -> list[str]:
    return [item["title"] for item in detail["next_items"]]


@pytest.mark.usefixtures("_today")
def test_it_returns_the_course_with_its_next_items(owner: RestEntryPoint, course) -> None:
    item = owner.made("create_item", course_id=course["id"], title="Midterm", kind="exam", due_on="2026-11-24")
    assert owner.made("get_course", course_id=course["id"]) == course | {
        "next_items": [
            {
                "id": item["id"],
                "course_id": course["id"],
                "course_name": "Cell Biology",
                "title": "Midterm",
                "kind": "exam",
                "due_on": "2026-11-24",
                "days_until": 3,
                **NOT_ENDED,
                "created_at": ANY,
                "updated_at": ANY,
            }
        ]
    }


def test_it_returns_a_course_without_items(owner: RestEntryPoint, course) -> None:
    assert owner.made("get_course", course_id=course["id"]) == course | {"next_items": []}


@pytest.mark.usefixtures("_today")
def test_the_next_items_are_the_five_soonest(owner: RestEntryPoint, course) -> None:
    """Course: plus its next five dated items."""
    for days in [6, 2, 5, 1, 4, 3]:
        owner.made("create_item", course_id=course["id"], title=str(days), due_on=later(TODAY, days))
    assert _titles(owner.made("get_course", course_id=course["id"])) == ["1", "2", "3", "4", "5"]


@pytest.mark.usefixtures("_today")
def test_the_next_items_begin_today(owner: RestEntryPoint, course) -> None:
    """Decisions, 5: up to five dated items from today on."""
    for title, due_on in [("past", later(TODAY, -1)), ("today", TODAY), ("undated", None)]:
        owner.made("create_item", course_id=course["id"], title=title, due_on=due_on)
    assert _titles(owner.made("get_course", course_id=course["id"])) == ["today"]


@pytest.mark.usefixtures("_today")
def test_items_due_on_one_day_are_sorted_by_age(owner: RestEntryPoint, course) -> None:
    for title in ["b", "c", "a"]:
        owner.made("create_item", course_id=course["id"], title=title, due_on=TODAY)
    assert _titles(owner.made("get_course", course_id=course["id"])) == ["b", "c", "a"]


@pytest.mark.usefixtures("_today")
def test_the_next_items_belong_to_the_course(owner: RestEntryPoint, course) -> None:
    other = owner.made("create_course", name="Algebra")
    owner.made("create_item", course_id=other["id"], title="Elsewhere", due_on=TODAY)
    assert _titles(owner.made("get_course", course_id=course["id"])) == []


def test_the_syllabus_text_is_returned_only_on_request(owner: RestEntryPoint, course) -> None:
    from courses.models import Course

    Course.objects.filter(id=course["id"]).update(syllabus_text="Week 1\n  cells 🎓\n")
    plain = course | {"has_syllabus": True, "next_items": []}
    assert owner.made("get_course", course_id=course["id"]) == plain
    assert owner.made("get_course", course_id=course["id"], include_syllabus=False) == plain
    detail = owner.made("get_course", course_id=course["id"], include_syllabus=True)
    assert detail == plain | {"syllabus_text": "Week 1\n  cells 🎓\n", "syllabus_length": 17}


def test_read_scope_is_enough_for_the_syllabus_text(reader: RestEntryPoint, course) -> None:
    """Spec, Scopes: `read` allows courses including syllabus text."""
    from courses.models import Course

    Course.objects.filter(id=course["id"]).update(syllabus_text="Week 1")
    assert reader.made("get_course", course_id=course["id"], include_syllabus=True)["syllabus_text"] == "Week 1"


def test_a_missing_syllabus_is_null(owner: RestEntryPoint, course) -> None:
    detail = owner.made("get_course", course_id=course["id"], include_syllabus=True)
    assert detail == course | {"next_items": [], "syllabus_text": None, "syllabus_length": 0}


@pytest.mark.rest
def test_the_longest_syllabus_is_returned_complete(owner: RestEntryPoint, course) -> None:
    """Decisions, 6: syllabus text up to 500,000 characters; a tool's answer would be too long."""
    from courses.models import Course

    syllabus = "é" * 500_000
    Course.objects.filter(id=course["id"]).update(syllabus_text=syllabus)
    assert owner.made("get_course", course_id=course["id"], include_syllabus=True)["syllabus_text"] == syllabus


def test_parameters_are_checked_before_the_course(owner: RestEntryPoint) -> None:
    """Decisions, 3: path ids and parameters (422), then the object (404)."""
    answer = owner.call("get_course", course_id=UNKNOWN_ID, include_syllabus="maybe")
    assert (answer.error, answer.fields) == ("validation_failed", ["include_syllabus"])


PARTS = [
    ({}, "Week 1: 🎓 cells", 15),
    ({"syllabus_from": 0, "syllabus_limit": 500_000}, "Week 1: 🎓 cells", 15),
    ({"syllabus_limit": 6}, "Week 1", 15),
    ({"syllabus_from": 8, "syllabus_limit": 1}, "🎓", 15),
    ({"syllabus_from": 10}, "cells", 15),
    ({"syllabus_from": 15}, "", 15),
    ({"syllabus_from": 500_000}, "", 15),
    ({"syllabus_from": 500_001}, "", 15),
    ({"syllabus_from": 2**31}, "", 15),
    ({"syllabus_from": 10**300, "syllabus_limit": 500_000}, "", 15),
]


@each(("part", "text", "length"), PARTS)
def test_a_part_of_the_syllabus_can_be_requested(
    owner: RestEntryPoint, part: dict[str, int], text: str, length: int
) -> None:
    """Positions are in code points, and the length is that of the whole text."""
    course = owner.made("create_course", name="Cell Biology", syllabus_text="Week 1: 🎓 cells")
    found = owner.made("get_course", course_id=course["id"], include_syllabus=True, **part)
    assert (found["syllabus_text"], found["syllabus_length"]) == (text, length)


def test_without_a_syllabus_there_is_no_part(owner: RestEntryPoint, course) -> None:
    found = owner.made("get_course", course_id=course["id"], include_syllabus=True, syllabus_from=3, syllabus_limit=3)
    assert (found["syllabus_text"], found["syllabus_length"]) == (None, 0)


WRONG_PARTS = [
    ({"include_syllabus": False, "syllabus_from": 0, "syllabus_limit": 9}, ["syllabus_from", "syllabus_limit"]),
    ({"syllabus_limit": 9}, ["syllabus_limit"]),
    ({"include_syllabus": True, "syllabus_limit": 0}, ["syllabus_limit"]),
    ({"include_syllabus": True, "syllabus_limit": 500_001}, ["syllabus_limit"]),
    ({"include_syllabus": True, "syllabus_from": -1}, ["syllabus_from"]),
]


@each(("part", "fields"), WRONG_PARTS)
def test_invalid_parts_are_rejected(owner: RestEntryPoint, course, part: dict[str, int], fields: list[str]) -> None:
    answer = owner.call("get_course", course_id=course["id"], **part)
    assert (answer.error, answer.fields) == ("validation_failed", fields)
