"""list_items: GET /v1/items. test_items_cursor tests walks over several pages, test_polling polling."""

from typing import Any
from unittest.mock import ANY

import pytest

from courses.models import Course
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import ItemFactory, stored
from tests.support.samples import NOT_ENDED, UNKNOWN_ID

pytestmark = pytest.mark.same_statements


@pytest.fixture
def add(owner: RestEntryPoint, course):
    """Adds items to the owner's course: `add("Midterm", "2026-12-03", kind="exam")`."""

    def add_item(title: str, due_on: str | None = None, **fields: Any) -> Any:
        return owner.made("create_item", **({"course_id": course["id"], "title": title, "due_on": due_on} | fields))

    return add_item


def _titles(owner: RestEntryPoint, **filters: Any) -> list[str]:
    return [item["title"] for item in owner.made("list_items", **filters)["data"]]


def test_it_returns_an_empty_page(owner: RestEntryPoint) -> None:
    assert owner.made("list_items") == {"data": [], "has_more": False, "next_cursor": None}


def test_it_returns_complete_items(owner: RestEntryPoint, course, add, time_machine) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")
    item = add("Midterm", "2026-12-03", kind="exam")
    page = owner.made("list_items")
    assert page == {
        "data": [
            {
                "id": item["id"],
                "course_id": course["id"],
                "course_name": "Cell Biology",
                "title": "Midterm",
                "kind": "exam",
                "due_on": "2026-12-03",
                "days_until": 12,
                **NOT_ENDED,
                "created_at": ANY,
                "updated_at": ANY,
            }
        ],
        "has_more": False,
        "next_cursor": None,
    }
    assert page["data"] == [item]


def test_the_soonest_due_is_first_and_undated_last(owner: RestEntryPoint, add) -> None:
    """Operation rules: soonest due first; undated items last."""
    for title, due_on in [("c", "2027-01-02"), ("d", None), ("a", "2020-01-01"), ("e", None), ("b", "2027-01-01")]:
        add(title, due_on)
    assert _titles(owner) == ["a", "b", "c", "d", "e"]


def test_items_due_on_one_day_are_sorted_by_age(owner: RestEntryPoint, add) -> None:
    """Fine print, Cursor: items with equal due dates are oldest first."""
    for title in ["b", "c", "a"]:
        add(title, "2026-12-03")
    assert _titles(owner) == ["b", "c", "a"]


def test_it_lists_only_the_members_own_items(owner: RestEntryPoint, stranger: RestEntryPoint, item) -> None:
    theirs = stranger.made("create_course", name="Theirs")
    other = stranger.made("create_item", course_id=theirs["id"], title="Other")
    assert owner.made("list_items")["data"] == [item]
    assert stranger.made("list_items")["data"] == [other]


def test_course_id_filters_by_course(owner: RestEntryPoint, add) -> None:
    other = owner.made("create_course", name="Algebra")
    add("Here")
    add("There", course_id=other["id"])
    assert _titles(owner, course_id=other["id"]) == ["There"]
    assert _titles(owner, course_id=other["id"].upper()) == ["There"]


@pytest.mark.database("both")
def test_an_unknown_course_is_an_empty_page(owner: RestEntryPoint, stranger: RestEntryPoint, item) -> None:
    """Fine print: an unknown id in a filter yields an empty page."""
    empty = {"data": [], "has_more": False, "next_cursor": None}
    assert stranger.made("list_items", course_id=item["course_id"]) == empty
    assert owner.made("list_items", course_id=UNKNOWN_ID) == empty


def test_kind_filters_by_kind(owner: RestEntryPoint, add) -> None:
    for kind in ["exam", "quiz", "other"]:
        add(kind, kind=kind)
    assert _titles(owner, kind="quiz") == ["quiz"]
    assert _titles(owner, kind="lab") == []


def test_from_and_to_are_inclusive(owner: RestEntryPoint, add) -> None:
    """Operation rules: `from`: due on or after; `to`: due on or before. Undated items match neither."""
    for due_on in ["2026-12-01", "2026-12-02", "2026-12-03", "2026-12-04", None]:
        add(due_on or "undated", due_on)
    assert _titles(owner, **{"from": "2026-12-02"}) == ["2026-12-02", "2026-12-03", "2026-12-04"]
    assert _titles(owner, to="2026-12-02") == ["2026-12-01", "2026-12-02"]
    assert _titles(owner, to="2026-12-03", **{"from": "2026-12-02"}) == ["2026-12-02", "2026-12-03"]
    assert _titles(owner, to="2026-12-02", **{"from": "2026-12-03"}) == []


def test_created_after_filters_items_added_later(owner: RestEntryPoint, add) -> None:
    """Operation rules: only items added after it, so none at that time."""
    first, second, third = add("1"), add("2"), add("3")
    assert _titles(owner, created_after="2020-01-01T00:00:00Z") == ["1", "2", "3"]
    assert _titles(owner, created_after=first["created_at"]) == ["2", "3"]
    assert _titles(owner, created_after=second["created_at"]) == ["3"]
    assert _titles(owner, created_after=third["created_at"]) == []


@pytest.mark.database("both")
def test_filters_are_combined(owner: RestEntryPoint, course, add) -> None:
    other = owner.made("create_course", name="Algebra")
    first = add("old", "2026-12-02", kind="exam")
    add("kind", "2026-12-02", kind="quiz")
    add("early", "2026-12-01", kind="exam")
    add("late", "2026-12-03", kind="exam")
    add("course", "2026-12-02", kind="exam", course_id=other["id"])
    add("all", "2026-12-02", kind="exam")
    filters = {"course_id": course["id"], "kind": "exam", "from": "2026-12-02", "to": "2026-12-02"}
    assert _titles(owner, **filters, created_after=first["created_at"]) == ["all"]


def test_a_page_has_25_items_by_default(owner: RestEntryPoint, add) -> None:
    for number in range(26):
        add(str(number))
    page = owner.made("list_items")
    assert (len(page["data"]), page["has_more"], type(page["next_cursor"])) == (25, True, str)


def test_a_full_last_page_has_no_cursor(owner: RestEntryPoint, add) -> None:
    for number in range(3):
        add(str(number))
    page = owner.made("list_items", limit=3)
    assert (len(page["data"]), page["has_more"], page["next_cursor"]) == (3, False, None)


@each("limit", [1, 100])
def test_the_limits_of_limit_are_inclusive(owner: RestEntryPoint, item, limit: int) -> None:
    assert owner.made("list_items", limit=limit)["data"] == [item]


def test_a_hundred_items_fit_one_page(owner: RestEntryPoint, owner_member, course) -> None:
    stored(ItemFactory, 101, member=owner_member, course=Course(id=course["id"]))
    page = owner.made("list_items", limit=100)
    assert (len(page["data"]), page["has_more"]) == (100, True)
