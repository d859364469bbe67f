"""create_milestone: POST /v1/items/{item_id}/milestones."""

from unittest.mock import ANY

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.samples import UNKNOWN_ID, fetched_item

pytestmark = pytest.mark.same_statements


def test_it_creates(owner: RestEntryPoint, item, time_machine) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")
    made = owner.made("create_milestone", item_id=item["id"], title="  Outline ", due_on="2026-11-28")
    assert made == {
        "id": ANY,
        "item_id": item["id"],
        "title": "Outline",
        "due_on": "2026-11-28",
        "done": False,
        "position": 1,
        "item_title": "Midterm",
        "course_name": "Cell Biology",
        "overdue": False,
    }
    assert owner.made("list_milestones", item_id=item["id"])["data"] == [made]


@each("given", [{}, {"due_on": None}])
def test_it_is_undated_by_default(owner: RestEntryPoint, item, given: dict[str, None]) -> None:
    made = owner.made("create_milestone", item_id=item["id"], title="Outline", **given)
    assert (made["due_on"], made["overdue"]) == (None, False)


def test_a_past_date_is_overdue_at_once(owner: RestEntryPoint, item) -> None:
    assert owner.made("create_milestone", item_id=item["id"], title="Outline", due_on="2020-01-01")["overdue"] is True


def test_new_milestones_are_appended(owner: RestEntryPoint, item) -> None:
    """Milestone: new milestones are appended at the end; decisions, 5: `position` counts from 1."""
    made = [owner.made("create_milestone", item_id=item["id"], title=title) for title in "cab"]
    assert [step["position"] for step in made] == [1, 2, 3]
    assert owner.made("list_milestones", item_id=item["id"])["data"] == made


def test_positions_are_per_item(owner: RestEntryPoint, course, milestone) -> None:
    other = owner.made("create_item", course_id=course["id"], title="Final")
    assert owner.made("create_milestone", item_id=other["id"], title="Read")["position"] == 1


def test_a_deleted_milestone_leaves_a_gap(owner: RestEntryPoint, item) -> None:
    """Fine print: positions are not renumbered; a new one is still appended."""
    first, second, third = (owner.made("create_milestone", item_id=item["id"], title=title) for title in "abc")
    owner.made("delete_milestone", milestone_id=second["id"])
    fourth = owner.made("create_milestone", item_id=item["id"], title="d")
    assert fourth["position"] == 4
    assert owner.made("list_milestones", item_id=item["id"])["data"] == [first, third, fourth]


def test_calling_it_twice_creates_two(owner: RestEntryPoint, item) -> None:
    first = owner.made("create_milestone", item_id=item["id"], title="Outline")
    second = owner.made("create_milestone", item_id=item["id"], title="Outline")
    assert owner.made("list_milestones", item_id=item["id"])["data"] == [first, second]


def test_done_is_ignored_on_creation(owner: RestEntryPoint, item) -> None:
    """Milestone: `done` is for updates only. Here it is an unknown field, ignored whatever its value."""
    for done in [True, "yes"]:
        assert owner.made("create_milestone", item_id=item["id"], title="Outline", done=done)["done"] is False


def test_unknown_and_server_set_fields_are_ignored(owner: RestEntryPoint, item) -> None:
    sent = {"id": UNKNOWN_ID, "position": 9, "overdue": True, "item_title": "x", "no": 1}
    made = owner.made("create_milestone", item_id=item["id"], title="Outline", **sent)
    assert made["id"] != UNKNOWN_ID
    assert (made["position"], made["overdue"], made["item_title"]) == (1, False, "Midterm")
    assert "no" not in made


def test_the_item_is_unchanged(owner: RestEntryPoint, item) -> None:
    owner.made("create_milestone", item_id=item["id"], title="Outline")
    assert fetched_item(owner, item["id"]) == item


def test_the_twenty_first_is_a_conflict(owner: RestEntryPoint, course, item) -> None:
    """Limits: 20 milestones per item (409)."""
    made = [owner.made("create_milestone", item_id=item["id"], title=f"{number}") for number in range(20)]
    assert owner.call("create_milestone", item_id=item["id"], title="One more").error == "conflict"
    assert owner.made("list_milestones", item_id=item["id"])["data"] == made
    other = owner.made("create_item", course_id=course["id"], title="Final")
    owner.made("create_milestone", item_id=other["id"], title="On another item")
    owner.made("delete_milestone", milestone_id=made[0]["id"])
    assert owner.made("create_milestone", item_id=item["id"], title="One more")["position"] == 21


def test_done_milestones_count_toward_the_limit(owner: RestEntryPoint, item) -> None:
    for number in range(20):
        made = owner.made("create_milestone", item_id=item["id"], title=f"{number}")
        owner.made("update_milestone", milestone_id=made["id"], done=True)
    assert owner.call("create_milestone", item_id=item["id"], title="One more").error == "conflict"
