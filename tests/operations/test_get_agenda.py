"""get_agenda: GET /v1/agenda. test_time_zones tests the member's today."""

from typing import Any
from unittest.mock import ANY

import pytest

from courses.models import Course
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import ItemFactory, stored
from tests.support.samples import NOT_ENDED, later

TODAY = "2026-11-21"
pytestmark = [pytest.mark.same_statements, pytest.mark.time_machine(f"{TODAY}T12:00:00Z")]


@pytest.fixture
def add(owner: RestEntryPoint, course):
    """Adds items, due some days from today: `add("Midterm", 3)`."""

    def add_item(title: str, days: int | None = None, **fields: Any) -> Any:
        due_on = None if days is None else later(TODAY, days)
        return owner.made("create_item", course_id=course["id"], title=title, due_on=due_on, **fields)

    return add_item


@pytest.fixture
def step(owner: RestEntryPoint):
    """Adds milestones, due some days from today: `step(item, "Outline", 3)`."""

    def add_step(item: Any, title: str, days: int | None = None) -> Any:
        due_on = None if days is None else later(TODAY, days)
        return owner.made("create_milestone", item_id=item["id"], title=title, due_on=due_on)

    return add_step


def _items(owner: RestEntryPoint, **query: Any) -> list[str]:
    return [item["title"] for item in owner.made("get_agenda", **query)["items"]]


def _milestones(owner: RestEntryPoint, **query: Any) -> list[str]:
    return [step["title"] for step in owner.made("get_agenda", **query)["milestones"]]


def test_it_returns_an_empty_agenda(owner: RestEntryPoint) -> None:
    """Operations: `days` is 14 by default; decisions, 6: `until = today + days`."""
    assert owner.made("get_agenda") == {
        "today": TODAY,
        "weekday": "Saturday",
        "until": "2026-12-05",
        "items": [],
        "milestones": [],
        "readiness": [],
        "missed": [],
    }


def test_it_returns_complete_items_and_milestones(owner: RestEntryPoint, course, add, step) -> None:
    item = add("Midterm", 3, kind="exam")
    milestone = step(item, "Outline", -1)
    assert owner.made("get_agenda", days=7) == {
        "today": TODAY,
        "weekday": "Saturday",
        "until": "2026-11-28",
        "items": [
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
        ],
        "milestones": [
            {
                "id": milestone["id"],
                "item_id": item["id"],
                "title": "Outline",
                "due_on": "2026-11-20",
                "done": False,
                "position": 1,
                "item_title": "Midterm",
                "course_name": "Cell Biology",
                "overdue": True,
            }
        ],
        "readiness": [],
        "missed": [],
    }


def test_items_are_due_from_today_to_until(owner: RestEntryPoint, add) -> None:
    """Decisions, 6: `today <= due_on <= until`."""
    for title, days in [("past", -1), ("today", 0), ("until", 7), ("after", 8), ("undated", None)]:
        add(title, days)
    assert _items(owner, days=7) == ["today", "until"]


@each(("days", "titles"), [(1, ["1"]), (14, ["1", "14"]), (120, ["1", "14", "120"])])
def test_days_sets_the_range(owner: RestEntryPoint, add, days: int, titles: list[str]) -> None:
    for due in [1, 14, 120, 121]:
        add(str(due), due)
    agenda = owner.made("get_agenda", days=days)
    assert agenda["until"] == later(TODAY, days)
    assert [item["title"] for item in agenda["items"]] == titles


def test_days_with_many_digits_are_too_large(owner: RestEntryPoint) -> None:
    answer = owner.call("get_agenda", days=10**30)
    assert answer.body["details"] == [{"field": "days", "message": "Must be at most 120."}]


def test_items_are_sorted_by_date_then_age(owner: RestEntryPoint, add) -> None:
    for title, days in [("d", 5), ("b", 2), ("c", 2), ("a", 1)]:
        add(title, days)
    assert _items(owner) == ["a", "b", "c", "d"]


def test_milestones_are_due_by_the_end_including_overdue_ones(owner: RestEntryPoint, add, step) -> None:
    """Operation rules: unfinished milestones (overdue ones included, flagged `overdue`), whatever their item's date."""
    item = add("Far away", 300)
    for title, days in [("long ago", -500), ("yesterday", -1), ("today", 0), ("until", 14), ("after", 15)]:
        step(item, title, days)
    found = owner.made("get_agenda")["milestones"]
    assert [(milestone["title"], milestone["overdue"]) for milestone in found] == [
        ("long ago", True),
        ("yesterday", True),
        ("today", False),
        ("until", False),
    ]


def test_done_milestones_are_omitted(owner: RestEntryPoint, add, step) -> None:
    late, soon = step(add("Midterm", 3), "Late", -2), step(add("Final", 4), "Soon", 2)
    for milestone in [late, soon]:
        owner.made("update_milestone", milestone_id=milestone["id"], done=True)
    assert _milestones(owner) == []
    owner.made("update_milestone", milestone_id=late["id"], done=False)
    assert owner.made("get_agenda")["milestones"] == [late]


def test_undated_milestones_of_an_item_in_range_are_included(owner: RestEntryPoint, add, step) -> None:
    """Decisions, 6: or undated under an item due within the range."""
    for title, days in [("past", -1), ("today", 0), ("until", 14), ("after", 15), ("undated", None)]:
        step(add(title, days), f"of {title}")
    assert _milestones(owner) == ["of today", "of until"]


def test_a_milestone_dated_after_until_is_omitted_even_with_its_item_in_range(owner: RestEntryPoint, add, step) -> None:
    step(add("Midterm", 3), "Afterwards", 20)
    assert _milestones(owner) == []


def test_milestones_are_sorted_by_date_then_position_then_age(owner: RestEntryPoint, add, step) -> None:
    """Decisions, 6: sorted by due date (undated last), then position, then age."""
    first, second = add("Midterm", 3), add("Final", 4)
    for item, title, days in [
        (first, "e", None),
        (first, "c", 2),
        (second, "b", 2),
        (second, "d", 2),
        (second, "a", 1),
        (first, "f", None),
    ]:
        step(item, title, days)
    assert _milestones(owner) == ["a", "b", "c", "d", "e", "f"]


def test_milestones_at_one_position_are_sorted_by_age(owner: RestEntryPoint, add, step) -> None:
    first, second = add("Midterm", 3), add("Final", 4)
    step(second, "older", 2)
    step(first, "newer", 2)
    assert _milestones(owner) == ["older", "newer"]


def test_it_returns_only_the_members_own_objects(owner: RestEntryPoint, stranger: RestEntryPoint, add, step) -> None:
    step(add("Midterm", 3), "Outline", 2)
    assert stranger.made("get_agenda") == {
        "today": TODAY,
        "weekday": "Saturday",
        "until": "2026-12-05",
        "items": [],
        "milestones": [],
        "readiness": [],
        "missed": [],
    }


def test_it_covers_all_courses(owner: RestEntryPoint, add) -> None:
    other = owner.made("create_course", name="Algebra")
    add("Here", 2)
    owner.made("create_item", course_id=other["id"], title="There", due_on=later(TODAY, 1))
    assert _items(owner) == ["There", "Here"]


def test_it_returns_everything_at_once(owner: RestEntryPoint, owner_member, course) -> None:
    """Operation rules: everything due within the range, without pages."""
    stored(ItemFactory, 200, member=owner_member, course=Course(id=course["id"]), due_on=TODAY)
    assert len(owner.made("get_agenda")["items"]) == 200


def test_the_number_of_queries_is_independent_of_the_data(
    owner: RestEntryPoint, add, step, django_assert_num_queries
) -> None:
    """Decisions, 6: one answer costs a fixed number of queries."""
    owner.made("get_agenda")
    with django_assert_num_queries(3):
        owner.made("get_agenda")
    for number in range(10):
        step(add(str(number), number), "Outline", number)
    with django_assert_num_queries(3):
        owner.made("get_agenda")
