"""update_milestone: PATCH /v1/milestones/{milestone_id}."""

from typing import Any

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.samples import UNKNOWN_ID

pytestmark = pytest.mark.same_statements


@pytest.fixture
def step(owner: RestEntryPoint, item):
    """A dated milestone, due in the far future."""
    return owner.made("create_milestone", item_id=item["id"], title="Outline", due_on="2099-01-01")


def _stored(owner: RestEntryPoint, item: Any) -> Any:
    return owner.made("list_milestones", item_id=item["id"])["data"]


@pytest.mark.database("both")
def test_it_changes_every_field(owner: RestEntryPoint, item, step) -> None:
    changed = owner.made("update_milestone", milestone_id=step["id"], title=" Read ", due_on="2099-02-02", done=True)
    assert changed == step | {"title": "Read", "due_on": "2099-02-02", "done": True}
    assert _stored(owner, item) == [changed]


@each(("field", "value"), [("title", "Read"), ("due_on", "2099-02-02"), ("done", True)])
def test_it_changes_only_sent_fields(owner: RestEntryPoint, step, field: str, value: object) -> None:
    assert owner.made("update_milestone", milestone_id=step["id"], **{field: value}) == step | {field: value}


def test_done_equals_the_sent_value(owner: RestEntryPoint, step) -> None:
    """States: `done` equals the sent value, from either value. Sending it twice is valid."""
    for done in [True, True, False, False, True]:
        assert owner.made("update_milestone", milestone_id=step["id"], done=done) == step | {"done": done}


def test_done_ends_overdue_and_undone_restores_it(owner: RestEntryPoint, item) -> None:
    late = owner.made("create_milestone", item_id=item["id"], title="Late", due_on="2020-01-01")
    assert owner.made("update_milestone", milestone_id=late["id"], done=True) == late | {"done": True, "overdue": False}
    assert owner.made("update_milestone", milestone_id=late["id"], done=False) == late


@pytest.mark.database("both")
def test_null_clears_the_date(owner: RestEntryPoint, step) -> None:
    assert owner.made("update_milestone", milestone_id=step["id"], due_on=None) == step | {"due_on": None}


def test_unknown_and_server_set_fields_change_nothing(owner: RestEntryPoint, item, step) -> None:
    """Its position and its item are read-only."""
    sent = {"id": UNKNOWN_ID, "item_id": UNKNOWN_ID, "position": 9, "overdue": True, "course_name": "x", "no": 1}
    assert owner.made("update_milestone", milestone_id=step["id"], **sent) == step
    assert _stored(owner, item) == [step]


@pytest.mark.database("both")
def test_a_change_keeps_its_position(owner: RestEntryPoint, item, step) -> None:
    second = owner.made("create_milestone", item_id=item["id"], title="Second", due_on="2030-01-01")
    changed = owner.made("update_milestone", milestone_id=step["id"], due_on=None, done=True)
    assert _stored(owner, item) == [changed, second]


def test_other_milestones_are_unchanged(owner: RestEntryPoint, item, milestone, step) -> None:
    changed = owner.made("update_milestone", milestone_id=step["id"], title="Read", done=True)
    assert _stored(owner, item) == [milestone, changed]
