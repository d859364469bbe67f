"""delete_milestone: DELETE /v1/milestones/{milestone_id}."""

import pytest

from tests.support.doors import RestDoor
from tests.support.samples import UNKNOWN_ID, fetched_item, refusal

pytestmark = pytest.mark.once("statements that others make too")


def test_it_deletes(owner: RestDoor, item, milestone) -> None:
    assert owner.made("delete_milestone", milestone_id=milestone["id"]) == {"id": milestone["id"], "deleted": True}
    assert owner.made("list_milestones", item_id=item["id"])["data"] == []
    assert fetched_item(owner, item["id"]) == item


def test_the_others_keep_their_positions(owner: RestDoor, item) -> None:
    """Fine print: positions are not renumbered after a delete."""
    first, second, third = (owner.made("create_milestone", item_id=item["id"], title=title) for title in "abc")
    owner.made("delete_milestone", milestone_id=first["id"])
    assert owner.made("list_milestones", item_id=item["id"])["data"] == [second, third]
    assert [second["position"], third["position"]] == [2, 3]


def test_twice_is_not_found(owner: RestDoor, milestone) -> None:
    owner.made("delete_milestone", milestone_id=milestone["id"])
    assert owner.call("delete_milestone", milestone_id=milestone["id"]).error == "not_found"


def test_someone_elses_milestone_is_not_found_and_stays(owner: RestDoor, stranger: RestDoor, item, milestone) -> None:
    foreign = stranger.call("delete_milestone", milestone_id=milestone["id"])
    assert foreign.error == "not_found"
    assert refusal(foreign) == refusal(stranger.call("delete_milestone", milestone_id=UNKNOWN_ID))
    assert owner.made("list_milestones", item_id=item["id"])["data"] == [milestone]


def test_a_malformed_id_is_named(owner: RestDoor) -> None:
    answer = owner.call("delete_milestone", milestone_id="nope")
    assert (answer.error, answer.fields) == ("validation_failed", ["milestone_id"])


@pytest.mark.rest
def test_over_rest_it_is_200(owner: RestDoor, milestone) -> None:
    response = owner.request("DELETE", f"/v1/milestones/{milestone['id']}")
    assert (response.status_code, response.json()) == (200, {"id": milestone["id"], "deleted": True})
