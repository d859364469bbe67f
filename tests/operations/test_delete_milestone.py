"""delete_milestone: DELETE /v1/milestones/{milestone_id}."""

import pytest

from tests.support.entry_points import RestEntryPoint
from tests.support.samples import fetched_item

pytestmark = pytest.mark.same_statements


def test_it_deletes(owner: RestEntryPoint, item, milestone) -> None:
    assert owner.made("delete_milestone", milestone_id=milestone["id"]) == {"id": milestone["id"], "deleted": True}
    assert owner.made("list_milestones", item_id=item["id"])["data"] == []
    assert fetched_item(owner, item["id"]) == item


def test_other_milestones_keep_their_positions(owner: RestEntryPoint, item) -> None:
    """Fine print: positions are not renumbered after a delete."""
    first, second, third = (owner.made("create_milestone", item_id=item["id"], title=title) for title in "abc")
    owner.made("delete_milestone", milestone_id=first["id"])
    assert owner.made("list_milestones", item_id=item["id"])["data"] == [second, third]
    assert [second["position"], third["position"]] == [2, 3]
