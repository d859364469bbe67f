"""list_milestones: GET /v1/items/{item_id}/milestones."""

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint

pytestmark = pytest.mark.same_statements

TODAY = "2026-11-21"


@pytest.fixture
def _today(time_machine) -> None:
    time_machine.move_to(f"{TODAY}T12:00:00Z")


def test_it_returns_an_empty_page(owner: RestEntryPoint, item) -> None:
    page = owner.made("list_milestones", item_id=item["id"])
    assert page == {"data": [], "has_more": False, "next_cursor": None}


def test_it_returns_complete_milestones(owner: RestEntryPoint, item, time_machine) -> None:
    """Milestone: all nine fields are always present, with no others."""
    time_machine.move_to(f"{TODAY}T12:00:00Z")
    made = owner.made("create_milestone", item_id=item["id"], title="Outline", due_on="2026-11-20")
    assert owner.made("list_milestones", item_id=item["id"]) == {
        "data": [
            {
                "id": made["id"],
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
        "has_more": False,
        "next_cursor": None,
    }


def test_twenty_are_one_page_in_order(owner: RestEntryPoint, item) -> None:
    """Operations: Page of Milestone, in order, whatever their title, due date or state."""
    made = [
        owner.made("create_milestone", item_id=item["id"], title=f"{number * 7 % 20}", due_on=f"2027-01-{20 - number}")
        for number in range(10)
    ]
    made += [owner.made("create_milestone", item_id=item["id"], title=f"{number}") for number in range(10)]
    done = owner.made("update_milestone", milestone_id=made[4]["id"], done=True)
    page = owner.made("list_milestones", item_id=item["id"])
    assert page == {"data": [*made[:4], done, *made[5:]], "has_more": False, "next_cursor": None}


@pytest.mark.database("both")
@each(
    ("due_on", "done", "overdue"),
    [
        ("2026-11-20", False, True),
        ("2026-11-20", True, False),
        ("2026-11-21", False, False),
        ("2026-11-22", False, False),
        (None, False, False),
    ],
)
@pytest.mark.usefixtures("_today")
def test_overdue_means_not_done_and_due_before_today(owner: RestEntryPoint, milestone, due_on, done, overdue) -> None:
    """Decisions, 5: `overdue` = not done and `due_on` before today."""
    owner.made("update_milestone", milestone_id=milestone["id"], due_on=due_on, done=done)
    [listed] = owner.made("list_milestones", item_id=milestone["item_id"])["data"]
    assert listed == milestone | {"due_on": due_on, "done": done, "overdue": overdue}


def test_time_makes_a_milestone_overdue(owner: RestEntryPoint, item, time_machine) -> None:
    """States: time passes, `due_on` earlier than the member's today."""
    time_machine.move_to("2026-11-21T12:00:00Z")
    made = owner.made("create_milestone", item_id=item["id"], title="Outline", due_on="2026-11-21")
    time_machine.move_to("2026-11-22T12:00:00Z")
    assert owner.made("list_milestones", item_id=item["id"])["data"] == [made | {"overdue": True}]


def test_it_lists_only_the_items_milestones(owner: RestEntryPoint, course, milestone) -> None:
    other = owner.made("create_item", course_id=course["id"], title="Final")
    step = owner.made("create_milestone", item_id=other["id"], title="Read")
    assert owner.made("list_milestones", item_id=milestone["item_id"])["data"] == [milestone]
    assert owner.made("list_milestones", item_id=other["id"])["data"] == [step]
