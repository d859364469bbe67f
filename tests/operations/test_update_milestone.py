"""update_milestone: PATCH /v1/milestones/{milestone_id}."""

from typing import Any

import pytest

from tests.support.doors import RestDoor
from tests.support.samples import NOT_BOOLEANS, NOT_DATES, NOT_STRINGS, UNITS, UNKNOWN_ID, refusal, text

pytestmark = pytest.mark.once("statements that others make too")


@pytest.fixture
def step(owner: RestDoor, item):
    """A dated milestone, due in the far future."""
    return owner.made("create_milestone", item_id=item["id"], title="Outline", due_on="2099-01-01")


def _stored(owner: RestDoor, item: Any) -> Any:
    return owner.made("list_milestones", item_id=item["id"])["data"]


@pytest.mark.every_database
def test_it_changes_every_field(owner: RestDoor, item, step) -> None:
    changed = owner.made("update_milestone", milestone_id=step["id"], title=" Read ", due_on="2099-02-02", done=True)
    assert changed == step | {"title": "Read", "due_on": "2099-02-02", "done": True}
    assert _stored(owner, item) == [changed]


@pytest.mark.parametrize(("field", "value"), [("title", "Read"), ("due_on", "2099-02-02"), ("done", True)])
def test_it_changes_only_what_is_sent(owner: RestDoor, step, field: str, value: object) -> None:
    assert owner.made("update_milestone", milestone_id=step["id"], **{field: value}) == step | {field: value}


def test_done_equals_the_value_sent(owner: RestDoor, step) -> None:
    """States: `done` equals the sent value, from either value; sending it twice is no error."""
    for done in [True, True, False, False, True]:
        assert owner.made("update_milestone", milestone_id=step["id"], done=done) == step | {"done": done}


def test_done_ends_overdue_and_undone_brings_it_back(owner: RestDoor, item) -> None:
    late = owner.made("create_milestone", item_id=item["id"], title="Late", due_on="2020-01-01")
    assert owner.made("update_milestone", milestone_id=late["id"], done=True) == late | {"done": True, "overdue": False}
    assert owner.made("update_milestone", milestone_id=late["id"], done=False) == late


@pytest.mark.every_database
def test_null_clears_the_date(owner: RestDoor, step) -> None:
    assert owner.made("update_milestone", milestone_id=step["id"], due_on=None) == step | {"due_on": None}


def test_title_and_done_are_never_null(owner: RestDoor, step) -> None:
    """Fine print, Null."""
    for field in ["title", "done"]:
        answer = owner.call("update_milestone", milestone_id=step["id"], **{field: None})
        assert (answer.error, answer.fields) == ("validation_failed", [field]), field


@pytest.mark.every_database
def test_an_empty_object_changes_nothing(owner: RestDoor, item, step) -> None:
    from planning.models import Milestone

    before = Milestone.objects.get(id=step["id"]).updated_at
    assert owner.made("update_milestone", milestone_id=step["id"]) == step
    assert _stored(owner, item) == [step]
    assert Milestone.objects.get(id=step["id"]).updated_at == before


def test_a_fetched_milestone_can_be_sent_back(owner: RestDoor, item, step) -> None:
    [fetched] = _stored(owner, item)
    changed = owner.made("update_milestone", milestone_id=step["id"], **(fetched | {"done": True}))
    assert changed == step | {"done": True}


def test_unknown_and_server_set_fields_change_nothing(owner: RestDoor, item, step) -> None:
    """Its place and its item are not writable."""
    sent = {"id": UNKNOWN_ID, "item_id": UNKNOWN_ID, "position": 9, "overdue": True, "course_name": "x", "no": 1}
    assert owner.made("update_milestone", milestone_id=step["id"], **sent) == step
    assert _stored(owner, item) == [step]


@pytest.mark.every_database
def test_a_change_does_not_move_it(owner: RestDoor, item, step) -> None:
    second = owner.made("create_milestone", item_id=item["id"], title="Second", due_on="2030-01-01")
    changed = owner.made("update_milestone", milestone_id=step["id"], due_on=None, done=True)
    assert _stored(owner, item) == [changed, second]


@pytest.mark.parametrize("unit", UNITS)
def test_a_title_has_at_most_160_code_points(owner: RestDoor, step, unit: str) -> None:
    longest = text(unit, 160)
    assert owner.made("update_milestone", milestone_id=step["id"], title=f" {longest} ")["title"] == longest
    answer = owner.call("update_milestone", milestone_id=step["id"], title=text(unit, 161))
    assert (answer.error, answer.fields) == ("validation_failed", ["title"])


def test_a_title_is_text_and_not_blank(owner: RestDoor, step) -> None:
    for title in ["", "  ", "a\x00b", *NOT_STRINGS]:
        answer = owner.call("update_milestone", milestone_id=step["id"], title=title)
        assert (answer.error, answer.fields) == ("validation_failed", ["title"]), title


def test_other_dates_are_refused(owner: RestDoor, step) -> None:
    for due_on in [*NOT_DATES, 20261121, True, [], {}]:
        answer = owner.call("update_milestone", milestone_id=step["id"], due_on=due_on)
        assert (answer.error, answer.fields) == ("validation_failed", ["due_on"]), due_on


def test_done_is_a_boolean(owner: RestDoor, step) -> None:
    """Decisions, 4: strict JSON types."""
    for done in NOT_BOOLEANS:
        answer = owner.call("update_milestone", milestone_id=step["id"], done=done)
        assert (answer.error, answer.fields) == ("validation_failed", ["done"]), done


def test_one_wrong_field_changes_none(owner: RestDoor, item, step) -> None:
    answer = owner.call("update_milestone", milestone_id=step["id"], title="Read", due_on="soon", done=1)
    assert (answer.error, sorted(answer.fields)) == ("validation_failed", ["done", "due_on"])
    assert _stored(owner, item) == [step]


def test_other_milestones_stay(owner: RestDoor, item, milestone, step) -> None:
    changed = owner.made("update_milestone", milestone_id=step["id"], title="Read", done=True)
    assert _stored(owner, item) == [milestone, changed]


def test_someone_elses_milestone_is_not_found_and_stays(owner: RestDoor, stranger: RestDoor, item, step) -> None:
    foreign = stranger.call("update_milestone", milestone_id=step["id"], done=True)
    assert foreign.error == "not_found"
    assert refusal(foreign) == refusal(stranger.call("update_milestone", milestone_id=UNKNOWN_ID, done=True))
    assert _stored(owner, item) == [step]


def test_an_items_id_is_no_milestone(owner: RestDoor, item) -> None:
    assert owner.call("update_milestone", milestone_id=item["id"], done=True).error == "not_found"


def test_a_missing_milestone_comes_before_a_wrong_body(stranger: RestDoor, step) -> None:
    assert stranger.call("update_milestone", milestone_id=UNKNOWN_ID, done="yes").error == "not_found"
    assert stranger.call("update_milestone", milestone_id=step["id"], done="yes").error == "not_found"
    assert stranger.call("update_milestone", milestone_id=UNKNOWN_ID).error == "not_found"


def test_a_malformed_id_comes_first_and_alone(owner: RestDoor) -> None:
    answer = owner.call("update_milestone", milestone_id="nope", done="yes")
    assert (answer.error, answer.fields) == ("validation_failed", ["milestone_id"])


@pytest.mark.rest
def test_over_rest_the_body_is_optional(owner: RestDoor, step) -> None:
    response = owner.request("PATCH", f"/v1/milestones/{step['id']}")
    assert (response.status_code, response.json()) == (200, step)
