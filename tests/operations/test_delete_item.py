"""delete_item: DELETE /v1/items/{item_id}."""

import pytest

from tests.support.entry_points import RestEntryPoint

pytestmark = pytest.mark.same_statements


def test_it_deletes(owner: RestEntryPoint, item) -> None:
    assert owner.made("delete_item", item_id=item["id"]) == {"id": item["id"], "deleted": True}
    assert owner.call("get_item", item_id=item["id"]).error == "not_found"
    assert owner.made("list_items")["data"] == []


def test_its_milestones_are_deleted(owner: RestEntryPoint, item, milestone) -> None:
    """Operation rules: permanent; removes its milestones."""
    owner.made("delete_item", item_id=item["id"])
    assert owner.call("list_milestones", item_id=item["id"]).error == "not_found"
    assert owner.call("update_milestone", milestone_id=milestone["id"], done=True).error == "not_found"
    assert owner.call("delete_milestone", milestone_id=milestone["id"]).error == "not_found"


def test_everything_else_is_unchanged(owner: RestEntryPoint, course, item) -> None:
    other = owner.made("create_item", course_id=course["id"], title="Final")
    step = owner.made("create_milestone", item_id=other["id"], title="Outline")
    owner.made("delete_item", item_id=item["id"])
    assert owner.made("list_items")["data"] == [other]
    assert owner.made("list_milestones", item_id=other["id"])["data"] == [step]
    assert owner.made("list_courses")["data"] == [course]
