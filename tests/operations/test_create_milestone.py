"""create_milestone: POST /v1/items/{item_id}/milestones."""

from unittest.mock import ANY

import pytest

from tests.support.doors import RestDoor
from tests.support.samples import NOT_DATES, NOT_STRINGS, UNITS, UNKNOWN_ID, fetched_item, refusal, text

pytestmark = pytest.mark.once("statements that others make too")


def test_it_creates(owner: RestDoor, item, time_machine) -> None:
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


@pytest.mark.parametrize("given", [{}, {"due_on": None}], ids=repr)
def test_it_is_undated_by_default(owner: RestDoor, item, given: dict[str, None]) -> None:
    made = owner.made("create_milestone", item_id=item["id"], title="Outline", **given)
    assert (made["due_on"], made["overdue"]) == (None, False)


def test_a_past_date_is_overdue_at_once(owner: RestDoor, item) -> None:
    assert owner.made("create_milestone", item_id=item["id"], title="Outline", due_on="2020-01-01")["overdue"] is True


def test_new_ones_are_appended(owner: RestDoor, item) -> None:
    """Milestone: new milestones are appended at the end; decisions, 5: `position` counts from 1."""
    made = [owner.made("create_milestone", item_id=item["id"], title=title) for title in "cab"]
    assert [step["position"] for step in made] == [1, 2, 3]
    assert owner.made("list_milestones", item_id=item["id"])["data"] == made


def test_positions_count_for_each_item(owner: RestDoor, course, milestone) -> None:
    other = owner.made("create_item", course_id=course["id"], title="Final")
    assert owner.made("create_milestone", item_id=other["id"], title="Read")["position"] == 1


def test_a_deleted_one_leaves_its_place_empty(owner: RestDoor, item) -> None:
    """Fine print: positions are not renumbered; a new one still goes to the end."""
    first, second, third = (owner.made("create_milestone", item_id=item["id"], title=title) for title in "abc")
    owner.made("delete_milestone", milestone_id=second["id"])
    fourth = owner.made("create_milestone", item_id=item["id"], title="d")
    assert fourth["position"] == 4
    assert owner.made("list_milestones", item_id=item["id"])["data"] == [first, third, fourth]


def test_twice_makes_two(owner: RestDoor, item) -> None:
    first = owner.made("create_milestone", item_id=item["id"], title="Outline")
    second = owner.made("create_milestone", item_id=item["id"], title="Outline")
    assert owner.made("list_milestones", item_id=item["id"])["data"] == [first, second]


def test_done_is_for_changes_only(owner: RestDoor, item) -> None:
    """Milestone: `done` (boolean, update only); here it is an unknown field, ignored whatever it holds."""
    for done in [True, "yes"]:
        assert owner.made("create_milestone", item_id=item["id"], title="Outline", done=done)["done"] is False


def test_unknown_and_server_set_fields_are_ignored(owner: RestDoor, item) -> None:
    sent = {"id": UNKNOWN_ID, "position": 9, "overdue": True, "item_title": "x", "no": 1}
    made = owner.made("create_milestone", item_id=item["id"], title="Outline", **sent)
    assert made["id"] != UNKNOWN_ID
    assert (made["position"], made["overdue"], made["item_title"]) == (1, False, "Midterm")
    assert "no" not in made


@pytest.mark.parametrize("unit", UNITS)
def test_a_title_has_at_most_160_code_points(owner: RestDoor, item, unit: str) -> None:
    longest = text(unit, 160)
    assert owner.made("create_milestone", item_id=item["id"], title=f" {longest}\t")["title"] == longest
    answer = owner.call("create_milestone", item_id=item["id"], title=text(unit, 161))
    assert (answer.error, answer.fields) == ("validation_failed", ["title"])


def test_a_title_is_text_and_not_blank(owner: RestDoor, item) -> None:
    for title in [None, "", " \n", "a\x00b", *NOT_STRINGS]:
        answer = owner.call("create_milestone", item_id=item["id"], title=title)
        assert (answer.error, answer.fields) == ("validation_failed", ["title"]), title


def test_other_dates_are_refused(owner: RestDoor, item) -> None:
    for due_on in [*NOT_DATES, 20261121, True, [], {}]:
        answer = owner.call("create_milestone", item_id=item["id"], title="Outline", due_on=due_on)
        assert (answer.error, answer.fields) == ("validation_failed", ["due_on"]), due_on


def test_every_wrong_field_is_named_and_nothing_is_stored(owner: RestDoor, item) -> None:
    answer = owner.call("create_milestone", item_id=item["id"], due_on="soon")
    assert (answer.error, sorted(answer.fields)) == ("validation_failed", ["due_on", "title"])
    assert owner.made("list_milestones", item_id=item["id"])["data"] == []


def test_the_item_itself_is_not_changed(owner: RestDoor, item) -> None:
    owner.made("create_milestone", item_id=item["id"], title="Outline")
    assert fetched_item(owner, item["id"]) == item


def test_the_twenty_first_conflicts(owner: RestDoor, course, item) -> None:
    """Limits: 20 milestones per item (409)."""
    made = [owner.made("create_milestone", item_id=item["id"], title=f"{number}") for number in range(20)]
    assert owner.call("create_milestone", item_id=item["id"], title="One more").error == "conflict"
    assert owner.made("list_milestones", item_id=item["id"])["data"] == made
    other = owner.made("create_item", course_id=course["id"], title="Final")
    owner.made("create_milestone", item_id=other["id"], title="On another item")
    owner.made("delete_milestone", milestone_id=made[0]["id"])
    assert owner.made("create_milestone", item_id=item["id"], title="One more")["position"] == 21


def test_done_ones_count_too(owner: RestDoor, item) -> None:
    for number in range(20):
        made = owner.made("create_milestone", item_id=item["id"], title=f"{number}")
        owner.made("update_milestone", milestone_id=made["id"], done=True)
    assert owner.call("create_milestone", item_id=item["id"], title="One more").error == "conflict"


def test_the_limit_is_checked_after_the_body(owner: RestDoor, item) -> None:
    """Decisions, 3: body (422), then count limits (409)."""
    for number in range(20):
        owner.made("create_milestone", item_id=item["id"], title=f"{number}")
    answer = owner.call("create_milestone", item_id=item["id"], title="")
    assert (answer.error, answer.fields) == ("validation_failed", ["title"])


def test_someone_elses_item_is_not_found(owner: RestDoor, stranger: RestDoor, item) -> None:
    foreign = stranger.call("create_milestone", item_id=item["id"], title="Mine")
    assert foreign.error == "not_found"
    assert refusal(foreign) == refusal(stranger.call("create_milestone", item_id=UNKNOWN_ID, title="Mine"))
    assert owner.made("list_milestones", item_id=item["id"])["data"] == []


def test_a_missing_item_comes_before_a_wrong_body(stranger: RestDoor, item) -> None:
    assert stranger.call("create_milestone", item_id=UNKNOWN_ID, title="").error == "not_found"
    assert stranger.call("create_milestone", item_id=item["id"]).error == "not_found"


def test_a_malformed_id_comes_first_and_alone(owner: RestDoor) -> None:
    answer = owner.call("create_milestone", item_id="nope", title="")
    assert (answer.error, answer.fields) == ("validation_failed", ["item_id"])


@pytest.mark.rest
def test_over_rest_it_is_201(owner: RestDoor, item) -> None:
    response = owner.request("POST", f"/v1/items/{item['id']}/milestones", json={"title": "Outline"})
    assert response.status_code == 201
    assert owner.made("list_milestones", item_id=item["id"])["data"] == [response.json()]
