"""update_item: PATCH /v1/items/{item_id}."""

from unittest.mock import ANY

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.samples import fetched_item

pytestmark = pytest.mark.same_statements


@pytest.fixture
def exam(owner: RestEntryPoint, course, time_machine):
    """An item with every field set."""
    time_machine.move_to("2026-11-21T12:00:00Z")
    return owner.made("create_item", course_id=course["id"], title="Midterm", kind="exam", due_on="2026-12-03")


def test_it_changes_every_field(owner: RestEntryPoint, exam) -> None:
    changed = owner.made("update_item", item_id=exam["id"], title=" Report ", kind="lab", due_on="2026-11-23")
    new = {"title": "Report", "kind": "lab", "due_on": "2026-11-23", "days_until": 2, "updated_at": ANY}
    assert changed == exam | new
    assert fetched_item(owner, exam["id"]) == changed


@each(("field", "value"), [("title", "Report"), ("kind", "quiz")])
def test_it_changes_only_sent_fields(owner: RestEntryPoint, exam, field: str, value: str) -> None:
    """Conventions, 3: the default of `kind` applies only to new items."""
    changed = owner.made("update_item", item_id=exam["id"], **{field: value})
    assert changed == exam | {field: value, "updated_at": ANY}


@pytest.mark.database("both")
def test_null_clears_the_date(owner: RestEntryPoint, exam) -> None:
    changed = owner.made("update_item", item_id=exam["id"], due_on=None)
    assert changed == exam | {"due_on": None, "days_until": None, "updated_at": ANY}


def test_unknown_fields_change_nothing(owner: RestEntryPoint, exam) -> None:
    """An item stays in its course: `course_id` is read-only."""
    other = owner.made("create_course", name="Algebra")
    sent = {"course_id": other["id"], "created_at": "2001-01-01T00:00:00Z", "days_until": 7, "no": 1}
    assert owner.made("update_item", item_id=exam["id"], **sent) == exam
    assert fetched_item(owner, exam["id"]) == exam


def test_only_updated_at_changes(owner: RestEntryPoint, exam, time_machine) -> None:
    """`created_at` is for polling: a change does not make an item new."""
    time_machine.move_to("2099-01-01T00:00:00Z", tick=False)
    changed = owner.made("update_item", item_id=exam["id"], title="Report")
    assert changed["created_at"] == exam["created_at"]
    assert changed["updated_at"] == "2099-01-01T00:00:00.000000Z"
    assert owner.made("list_items", created_after=exam["created_at"])["data"] == []


def test_sending_it_twice_leaves_the_same(owner: RestEntryPoint, exam) -> None:
    first = owner.made("update_item", item_id=exam["id"], title="Report", due_on=None)
    second = owner.made("update_item", item_id=exam["id"], title="Report", due_on=None)
    assert second == first | {"updated_at": ANY}


def test_a_new_title_appears_on_milestones(owner: RestEntryPoint, item, milestone) -> None:
    owner.made("update_item", item_id=item["id"], title="Final")
    assert owner.made("list_milestones", item_id=item["id"])["data"] == [milestone | {"item_title": "Final"}]


def test_other_items_are_unchanged(owner: RestEntryPoint, exam, item) -> None:
    owner.made("update_item", item_id=exam["id"], title="Report")
    assert fetched_item(owner, item["id"]) == item
