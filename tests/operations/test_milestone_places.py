"""create_milestone with `place` and `more`, update_milestone with `place`: the order of an item's milestones."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.cases import each
from tests.support.entry_points import Answer, RestEntryPoint

pytestmark = pytest.mark.django_db


def plan(owner: RestEntryPoint, item: Any) -> list[tuple[str, int]]:
    """The item's milestones in order, each with its position."""
    listed = owner.made("list_milestones", item_id=item["id"])["data"]
    return [(one["title"], one["position"]) for one in listed]


def numbered(titles: str) -> list[tuple[str, int]]:
    return [(title, place) for place, title in enumerate(titles, start=1)]


def add(owner: RestEntryPoint, item: Any, title: str, **fields: Any) -> Any:
    return owner.made("create_milestone", item_id=item["id"], title=title, **fields)


def changes(owner: RestEntryPoint, **filters: Any) -> list[Any]:
    listed: list[Any] = RestEntryPoint(owner.secret).made("list_changes", **filters)["data"]
    return listed


def undo(owner: RestEntryPoint, change: Any) -> Answer:
    return RestEntryPoint(owner.secret).call("undo_change", change_id=change["id"])


@pytest.fixture
def steps(owner: RestEntryPoint, item: Any) -> dict[str, Any]:
    """The milestones a, b, c and d of the item, by title."""
    return {title: add(owner, item, title) for title in "abcd"}


@each(("place", "order"), [(1, "xabcd"), (3, "abxcd"), (5, "abcdx")])
def test_a_new_milestone_is_inserted_at_its_place(
    owner: RestEntryPoint, item: Any, steps: Any, place: int, order: str
) -> None:
    made = add(owner, item, "x", place=place)
    assert made == steps["a"] | {"id": made["id"], "title": "x", "position": place}
    assert plan(owner, item) == numbered(order)


def test_a_place_closes_gaps(owner: RestEntryPoint, item: Any, steps: Any) -> None:
    """Only a call with `place` renumbers."""
    owner.made("delete_milestone", milestone_id=steps["b"]["id"])
    add(owner, item, "e")
    assert plan(owner, item) == [("a", 1), ("c", 3), ("d", 4), ("e", 5)]
    add(owner, item, "x", place=5)
    assert plan(owner, item) == numbered("acdex")


@each("place", [0, -1, 6])
def test_an_invalid_place_is_rejected(owner: RestEntryPoint, item: Any, steps: Any, place: int) -> None:
    answer = owner.call("create_milestone", item_id=item["id"], title="x", place=place)
    assert (answer.error, answer.fields) == ("validation_failed", ["place"])
    assert plan(owner, item) == numbered("abcd")


def test_more_are_created_in_the_order_sent(owner: RestEntryPoint, item: Any, steps: Any) -> None:
    made = add(owner, item, "x", due_on="2030-01-31", more=[{"title": " y ", "due_on": "2020-01-31"}, {"title": "z"}])
    listed = owner.made("list_milestones", item_id=item["id"])["data"]
    assert made == listed[4] | {"milestones": listed[4:]}
    assert [(one["title"], one["due_on"], one["overdue"]) for one in made["milestones"]] == [
        ("x", "2030-01-31", False),
        ("y", "2020-01-31", True),
        ("z", None, False),
    ]
    assert plan(owner, item) == numbered("abcdxyz")


def test_more_follow_the_first_to_its_place(owner: RestEntryPoint, item: Any, steps: Any) -> None:
    made = add(owner, item, "x", place=2, more=[{"title": "y"}, {"title": "z"}])
    assert [one["position"] for one in made["milestones"]] == [2, 3, 4]
    assert plan(owner, item) == numbered("axyzbcd")


@each("given", [{"place": None}, {"more": None}, {"more": []}])
def test_null_and_an_empty_list_count_as_not_sent(owner: RestEntryPoint, item: Any, steps: Any, given: Any) -> None:
    owner.made("delete_milestone", milestone_id=steps["a"]["id"])
    assert "milestones" not in add(owner, item, "x", **given)
    assert plan(owner, item) == [("b", 2), ("c", 3), ("d", 4), ("x", 5)]


def test_an_invalid_entry_is_named_and_nothing_is_created(owner: RestEntryPoint, item: Any) -> None:
    more = [{"title": "y"}, {"title": "", "due_on": "soon"}]
    answer = owner.call("create_milestone", item_id=item["id"], title="x", more=more)
    assert answer.fields == ["more[1].title", "more[1].due_on"]
    over = owner.call("create_milestone", item_id=item["id"], title="x", more=[{"title": "y"}] * 20)
    assert (over.error, over.fields) == ("validation_failed", ["more"])
    assert plan(owner, item) == []


def test_exceeding_twenty_is_a_conflict_and_nothing_is_created(owner: RestEntryPoint, item: Any, steps: Any) -> None:
    more = [{"title": "y"}] * 16
    assert owner.call("create_milestone", item_id=item["id"], title="x", place=1, more=more).error == "conflict"
    assert plan(owner, item) == numbered("abcd")
    add(owner, item, "x", more=more[1:])
    assert owner.call("create_milestone", item_id=item["id"], title="x", place=21).error == "conflict"
    assert owner.call("create_milestone", item_id=item["id"], title="x", place=22).error == "validation_failed"


def test_too_many_at_once_are_counted(owner: RestEntryPoint, item: Any) -> None:
    add(owner, item, "Step", more=[{"title": "Step"}] * 14)
    refused = owner.call("create_milestone", item_id=item["id"], title="Later", more=[{"title": "Later"}] * 11)
    told = "That is 7 too many: there can be at most 20 milestones of an item, and there are 15."
    assert (refused.error, refused.body["message"]) == ("conflict", f"{told} Send fewer, or delete some first.")
    add(owner, item, "Later", more=[{"title": "Later"}] * 4)
    refused = owner.call("create_milestone", item_id=item["id"], title="Later")
    assert refused.body["message"] == "You have reached the limit of 20 milestones on this item. Delete one first."


def test_other_items_and_positions_are_unchanged(
    owner: RestEntryPoint, stranger: RestEntryPoint, item: Any, steps: Any
) -> None:
    for operation, of in (("create_milestone", {"item_id": item["id"], "title": "x"}), ("update_milestone", {})):
        given = of or {"milestone_id": steps["a"]["id"]}
        assert stranger.call(operation, place=1, **given).error == "not_found"
    assert owner.made("update_milestone", milestone_id=steps["d"]["id"], position=1) == steps["d"]
    assert add(owner, item, "e", position=1)["position"] == 5


@each("move", [("d", 1, "dabc"), ("a", 4, "bcda"), ("c", 2, "acbd")])
def test_a_milestone_can_be_moved(owner: RestEntryPoint, item: Any, steps: Any, move: tuple[str, int, str]) -> None:
    title, place, order = move
    moved = owner.made("update_milestone", milestone_id=steps[title]["id"], place=place)
    assert moved == steps[title] | {"position": place}
    assert plan(owner, item) == numbered(order)


@each("place", [0, 5])
def test_there_are_as_many_places_as_milestones(owner: RestEntryPoint, item: Any, steps: Any, place: int) -> None:
    answer = owner.call("update_milestone", milestone_id=steps["a"]["id"], place=place, title="x")
    assert (answer.error, answer.fields) == ("validation_failed", ["place"])
    assert plan(owner, item) == numbered("abcd")


def test_the_present_place_closes_gaps_and_adds_no_change(owner: RestEntryPoint, item: Any, steps: Any) -> None:
    owner.made("delete_milestone", milestone_id=steps["b"]["id"])
    rows = changes(owner)
    assert owner.made("update_milestone", milestone_id=steps["c"]["id"], place=2) == steps["c"] | {"position": 2}
    assert changes(owner) == rows
    assert plan(owner, item) == numbered("acd")


def test_no_place_moves_nothing(owner: RestEntryPoint, item: Any, steps: Any) -> None:
    owner.made("delete_milestone", milestone_id=steps["b"]["id"])
    rows = changes(owner)
    assert owner.made("update_milestone", milestone_id=steps["c"]["id"], place=None) == steps["c"]
    assert (changes(owner), plan(owner, item)) == (rows, [("a", 1), ("c", 3), ("d", 4)])


def test_closing_gaps_keeps_other_changes_undoable(owner: RestEntryPoint, item: Any, steps: Any) -> None:
    """A deleted milestone whose position is taken meanwhile returns at the end."""
    owner.made("update_milestone", milestone_id=steps["d"]["id"], place=1)
    owner.made("delete_milestone", milestone_id=steps["b"]["id"])
    [deletion, move, *_] = changes(owner)
    owner.made("update_milestone", milestone_id=steps["a"]["id"], place=2)
    assert plan(owner, item) == numbered("dac")
    assert undo(owner, deletion).error is None
    assert plan(owner, item) == numbered("dacb")
    [creation] = [row for row in changes(owner, object_id=steps["c"]["id"]) if row["operation"] == "create_milestone"]
    assert undo(owner, creation).error is None
    assert undo(owner, move).error == "conflict"


def test_the_log_contains_the_place_and_finds_all_moved_milestones(
    owner: RestEntryPoint, item: Any, steps: Any
) -> None:
    owner.made("update_milestone", milestone_id=steps["c"]["id"], place=1, title="See")
    [row, *_] = changes(owner)
    assert row["object"] == {"type": "milestone", "id": steps["c"]["id"], "name": "c"}
    assert (row["before"], row["after"]) == ({"title": "c", "place": 3}, {"title": "See", "place": 1})
    found = {title: changes(owner, object_id=steps[title]["id"])[0]["id"] == row["id"] for title in "abcd"}
    assert found == {"a": True, "b": True, "c": True, "d": False}


def test_the_log_counts_created_milestones(owner: RestEntryPoint, item: Any, steps: Any) -> None:
    made = add(owner, item, "x", place=1, more=[{"title": "y"}, {"title": "z"}])
    [row, *_] = changes(owner)
    assert (row["operation"], row["object"]["id"], row["undoable"]) == ("create_milestone", made["id"], True)
    fields = {"item_id": item["id"], "title": "x", "due_on": None, "done": False, "position": 1}
    assert (row["before"], row["after"]) == (None, fields | {"milestones": 2})
    assert changes(owner, object_id=steps["d"]["id"])[0]["id"] == row["id"]


def test_undo_removes_new_milestones_and_restores_the_order(owner: RestEntryPoint, item: Any, steps: Any) -> None:
    owner.made("delete_milestone", milestone_id=steps["b"]["id"])
    then = plan(owner, item)
    add(owner, item, "x", place=2, more=[{"title": "y"}])
    [row, *_] = changes(owner)
    assert undo(owner, row).error is None
    assert plan(owner, item) == then == [("a", 1), ("c", 3), ("d", 4)]


def test_undo_moves_it_back(owner: RestEntryPoint, item: Any, steps: Any) -> None:
    owner.made("delete_milestone", milestone_id=steps["b"]["id"])
    owner.made("update_milestone", milestone_id=steps["d"]["id"], place=1, done=True)
    [row, *_] = changes(owner)
    assert undo(owner, row).error is None
    assert owner.made("list_milestones", item_id=item["id"])["data"] == [steps[title] for title in "acd"]
    assert undo(owner, row).error == "conflict"


def test_undo_reopens_gaps_that_a_change_closed(owner: RestEntryPoint, item: Any, steps: Any) -> None:
    owner.made("delete_milestone", milestone_id=steps["b"]["id"])
    owner.made("update_milestone", milestone_id=steps["c"]["id"], place=2, done=True)
    [row, *_] = changes(owner)
    assert (row["before"], row["after"]) == ({"done": False}, {"done": True})
    assert undo(owner, row).error is None
    assert owner.made("list_milestones", item_id=item["id"])["data"] == [steps[title] for title in "acd"]


def test_undo_requires_the_same_milestones_in_the_same_order(owner: RestEntryPoint, item: Any, steps: Any) -> None:
    owner.made("update_milestone", milestone_id=steps["d"]["id"], place=1)
    [row, *_] = changes(owner)
    extra = add(owner, item, "e")
    assert undo(owner, row).error == "conflict"
    owner.made("delete_milestone", milestone_id=extra["id"])
    owner.made("delete_milestone", milestone_id=steps["b"]["id"])
    [deletion, *_] = changes(owner)
    assert undo(owner, row).error == "conflict"
    assert undo(owner, deletion).error is None
    owner.made("update_milestone", milestone_id=steps["a"]["id"], place=1)
    [later, *_] = changes(owner)
    refused = undo(owner, row)
    assert (refused.error, "another order" in refused.body["message"]) == ("conflict", True)
    assert undo(owner, later).error is None
    assert undo(owner, row).error is None
    assert plan(owner, item) == numbered("abcd")


def test_undo_accepts_other_positions_in_the_same_order(owner: RestEntryPoint, item: Any, steps: Any) -> None:
    owner.made("update_milestone", milestone_id=steps["d"]["id"], place=1)
    [row, *_] = changes(owner)
    owner.made("delete_milestone", milestone_id=steps["c"]["id"])
    [deletion, *_] = changes(owner)
    extra = add(owner, item, "e")
    assert undo(owner, deletion).error is None
    owner.made("delete_milestone", milestone_id=extra["id"])
    assert plan(owner, item) == [("d", 1), ("a", 2), ("b", 3), ("c", 5)]
    assert undo(owner, row).error is None
    assert plan(owner, item) == numbered("abcd")


def test_a_move_cannot_be_undone_if_a_milestone_is_permanently_deleted(owner: RestEntryPoint, item: Any) -> None:
    first, _ = add(owner, item, "a"), add(owner, item, "b")
    [creation, *_] = changes(owner)
    add(owner, item, "x", place=2)
    [placed, *_] = changes(owner)
    owner.made("update_milestone", milestone_id=first["id"], place=2)
    [row, *_] = changes(owner)
    assert undo(owner, placed).error == "conflict"
    assert undo(owner, creation).error is None
    assert [undo(owner, one).error for one in (row, placed)] == ["conflict", "conflict"]


@pytest.mark.rest
@pytest.mark.same_statements
def test_a_place_needs_a_constant_number_of_statements(owner: RestEntryPoint, course: Any) -> None:
    counts = []
    for present in (1, 15):
        item = owner.made("create_item", course_id=course["id"], title=f"Item {present}")
        add(owner, item, "first", more=[{"title": f"{number}"} for number in range(present)])
        with CaptureQueriesContext(connection) as queries:
            add(owner, item, "x", place=1, more=[{"title": "y"}])
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.django_db(transaction=True)
def test_parallel_calls_use_every_place_once(owner: RestEntryPoint, item: Any, in_threads: Any) -> None:
    titles = [f"{number}" for number in range(8)]
    in_threads(lambda title: add(owner, item, title, place=1, more=[{"title": f"{title}+"}]), titles)
    stored = plan(owner, item)
    assert [position for _, position in stored] == [*range(1, 17)]
    order = [title for title, _ in stored]
    assert all(order[order.index(title) + 1] == f"{title}+" for title in titles)
    assert sorted(order) == sorted([*titles, *(f"{title}+" for title in titles)])


@pytest.mark.django_db(transaction=True)
def test_parallel_calls_never_exceed_twenty(owner: RestEntryPoint, item: Any, in_threads: Any) -> None:
    more = [{"title": "y"}, {"title": "z"}, {"title": "w"}]
    answers = in_threads(
        lambda title: owner.call("create_milestone", item_id=item["id"], title=title, place=1, more=more),
        [f"{number}" for number in range(8)],
    )
    assert sorted(str(answer.error) for answer in answers) == ["None"] * 5 + ["conflict"] * 3
    assert len(plan(owner, item)) == 20
