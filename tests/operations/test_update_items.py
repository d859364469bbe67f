"""update_item with `more`: several items in one call."""

from typing import Any
from unittest.mock import ANY

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from courses.models import Item
from studyservice.rows.limits import Limits
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import GradeCategoryFactory
from tests.support.samples import UNKNOWN_ID, fetched_item
from tests.support.tools import mcp_of, rest_of

pytestmark = pytest.mark.database("sqlite", "other tests send the same statements")


@pytest.fixture
def labs(owner: RestEntryPoint, course: Any, time_machine: Any) -> list[Any]:
    """Three dated items of one course."""
    time_machine.move_to("2026-11-21T12:00:00Z")
    entries = [{"title": f"Lab {day}", "kind": "lab", "due_on": f"2026-12-0{day}"} for day in (1, 2, 3)]
    items = owner.made("create_item", course_id=course["id"], **entries[0], more=entries[1:])["items"]
    return [fetched_item(owner, item["id"]) for item in items]


def entry(item: Any, **changes: Any) -> dict[str, Any]:
    """An entry of `more`."""
    return {"item_id": item["id"], **changes}


def stored(owner: RestEntryPoint, items: list[Any]) -> list[Any]:
    return [fetched_item(owner, item["id"]) for item in items]


@pytest.mark.database("both")
def test_it_changes_all_of_them_in_the_order_sent(owner: RestEntryPoint, labs: list[Any]) -> None:
    first, second, third = labs
    more = [entry(third, due_on="2026-12-10", title="Last lab"), entry(second, due_on=None)]
    changed = owner.made("update_item", item_id=first["id"], due_on="2026-12-08", more=more)
    new = {"updated_at": ANY}
    assert changed["items"] == [
        first | new | {"due_on": "2026-12-08", "days_until": 17},
        third | new | {"due_on": "2026-12-10", "days_until": 19, "title": "Last lab"},
        second | new | {"due_on": None, "days_until": None},
    ]
    assert {name: value for name, value in changed.items() if name != "items"} == changed["items"][0]
    assert stored(owner, [first, third, second]) == changed["items"]


def test_they_may_be_of_several_courses(owner: RestEntryPoint, labs: list[Any]) -> None:
    other = owner.made("create_course", name="Algebra")
    essay = owner.made("create_item", course_id=other["id"], title="Essay")
    changed = owner.made("update_item", item_id=labs[0]["id"], more=[entry(essay, done=True)])
    assert [(item["course_name"], item["done"]) for item in changed["items"]] == [
        ("Cell Biology", False),
        ("Algebra", True),
    ]


@each("more", [None, []])
def test_null_and_an_empty_list_are_none(owner: RestEntryPoint, labs: list[Any], more: Any) -> None:
    changed = owner.made("update_item", item_id=labs[0]["id"], title="Lab", more=more)
    assert changed == labs[0] | {"title": "Lab", "updated_at": ANY}


@pytest.mark.database("both")
def test_an_item_that_is_not_the_members_changes_nothing(
    owner: RestEntryPoint, stranger: RestEntryPoint, labs: list[Any]
) -> None:
    foreign = stranger.made("create_item", course_id=stranger.made("create_course", name="X")["id"], title="Y")
    for unknown in (foreign["id"], UNKNOWN_ID):
        more = [entry(labs[1], title="B"), {"item_id": unknown, "title": "C"}, {"item_id": unknown}]
        answer = owner.call("update_item", item_id=labs[0]["id"], title="A", more=more)
        assert (answer.error, answer.fields) == ("validation_failed", ["more[1].item_id", "more[2].item_id"])
        assert "list_items" in answer.body["details"][0]["message"]
    assert stored(owner, labs) == labs
    assert fetched_item(stranger, foreign["id"])["title"] == "Y"


def test_an_item_named_twice_is_rejected(owner: RestEntryPoint, labs: list[Any]) -> None:
    first, second, _ = labs
    more = [entry(second, title="B"), entry(first, title="C"), entry(second, title="D")]
    answer = owner.call("update_item", item_id=first["id"], title="A", more=more)
    assert (answer.error, answer.fields) == ("validation_failed", ["more[1].item_id", "more[2].item_id"])
    assert stored(owner, labs) == labs


def test_the_404_of_the_path_comes_first(owner: RestEntryPoint, labs: list[Any]) -> None:
    more: Any
    for more in ([{"item_id": UNKNOWN_ID}], [{"item_id": "x"}], [{}], 7, [entry(labs[0], title="A")]):
        assert owner.call("update_item", item_id=UNKNOWN_ID, more=more).error == "not_found"
    assert stored(owner, labs) == labs


@each(
    ("more", "fields"),
    [
        ([{}], ["more[0].item_id"]),
        ([{"title": "", "due_on": 7}], ["more[0].due_on", "more[0].item_id", "more[0].title"]),
        ([{"item_id": None}], ["more[0].item_id"]),
        ([{"item_id": "x", "done": None}], ["more[0].done", "more[0].item_id"]),
        ([{"item_id": 1, "kind": "test"}], ["more[0].item_id", "more[0].kind"]),
        ([7], ["more[0]"]),
        ([{"item_id": UNKNOWN_ID}, None], ["more[1]"]),
        ("x", ["more"]),
        ({}, ["more"]),
        ([{"item_id": UNKNOWN_ID}] * 100, ["more"]),
    ],
)
def test_errors_name_the_entry(owner: RestEntryPoint, labs: list[Any], more: Any, fields: list[str]) -> None:
    answer = owner.call("update_item", item_id=labs[0]["id"], title="A", more=more)
    assert (answer.error, sorted(answer.fields)) == ("validation_failed", fields)
    assert stored(owner, labs) == labs


def test_an_entry_changes_only_what_it_sends(owner: RestEntryPoint, labs: list[Any]) -> None:
    """The default of `kind` applies only to new items."""
    more = [entry(labs[1], note="Bring a coat.")]
    changed = owner.made("update_item", item_id=labs[0]["id"], more=more)
    assert changed["items"] == [labs[0], labs[1] | {"note": "Bring a coat.", "updated_at": ANY}]


@pytest.mark.database("both")
def test_it_is_one_change_whose_undo_restores_all(owner: RestEntryPoint, labs: list[Any]) -> None:
    rest, more = rest_of(owner), [entry(item, due_on="2026-12-20") for item in labs[1:]]
    owner.made("update_item", item_id=labs[0]["id"], due_on="2026-12-20", more=more)
    [change, before] = rest.made("list_changes", limit=2)["data"]
    assert (change["operation"], before["operation"]) == ("update_item", "create_item")
    assert change["object"]["id"] == labs[0]["id"]
    assert (change["before"], change["after"]) == (
        {"due_on": "2026-12-01", "items": 2},
        {"due_on": "2026-12-20", "items": 2},
    )
    assert rest.made("list_changes", object_id=labs[2]["id"])["data"][0] == change
    rest.made("undo_change", change_id=change["id"])
    assert stored(owner, labs) == [item | {"updated_at": ANY} for item in labs]


def test_an_undo_that_one_item_prevents_restores_none(owner: RestEntryPoint, labs: list[Any]) -> None:
    rest, more = rest_of(owner), [entry(item, due_on="2026-12-20") for item in labs[1:]]
    owner.made("update_item", item_id=labs[0]["id"], due_on="2026-12-20", more=more)
    [change] = rest.made("list_changes", limit=1)["data"]
    owner.made("update_item", item_id=labs[2]["id"], due_on="2026-12-21")
    assert rest.call("undo_change", change_id=change["id"]).error == "conflict"
    assert [item["due_on"] for item in stored(owner, labs)] == ["2026-12-20", "2026-12-20", "2026-12-21"]


def test_sent_again_it_changes_nothing(owner: RestEntryPoint, labs: list[Any]) -> None:
    sent = {"item_id": labs[0]["id"], "done": True, "more": [entry(labs[1], done=True), entry(labs[2], title="Lab 3")]}
    first = owner.made("update_item", **sent)
    assert owner.made("update_item", **sent) == first
    assert first["items"][2] == labs[2]
    assert len(rest_of(owner).made("list_changes", object_id=labs[0]["id"])["data"]) == 2


def test_a_poller_gets_those_that_changed(owner: RestEntryPoint, labs: list[Any]) -> None:
    newest = max(item["updated_at"] for item in labs)
    more = [entry(labs[1], title="B"), entry(labs[2], title="Lab 3")]
    owner.made("update_item", item_id=labs[0]["id"], title="A", more=more)
    found = owner.made("list_items", updated_after=newest)["data"]
    assert [item["title"] for item in found] == ["A", "B"]


@pytest.fixture
def categories(owner: RestEntryPoint, course: Any) -> list[Any]:
    parts = [{"name": "Labs", "weight": 40}, {"name": "Exams", "weight": 60}]
    answer = owner.made("set_grade_categories", course_id=course["id"], categories=parts)
    return [one["id"] for one in answer["categories"]]


@pytest.mark.database("both")
def test_the_worths_are_those_after_the_call(owner: RestEntryPoint, labs: list[Any], categories: list[Any]) -> None:
    more = [entry(item, category_id=categories[0]) for item in labs[1:]]
    changed = owner.made("update_item", item_id=labs[0]["id"], category_id=categories[0], more=more)
    assert [item["worth"] for item in changed["items"]] == [13.33, 13.33, 13.33]
    assert stored(owner, labs) == changed["items"]


@pytest.mark.database("both")
def test_a_category_must_be_of_the_course_of_its_item(
    owner: RestEntryPoint, labs: list[Any], categories: list[Any]
) -> None:
    other = owner.made("create_course", name="Algebra")
    essay = owner.made("create_item", course_id=other["id"], title="Essay")
    more = [entry(essay, category_id=categories[0]), entry(labs[1], category_id=categories[1])]
    answer = owner.call("update_item", item_id=labs[0]["id"], category_id=categories[0], more=more)
    assert (answer.error, answer.fields) == ("validation_failed", ["more[0].category_id"])
    assert stored(owner, labs) == labs


def test_a_graded_item_keeps_its_category(owner: RestEntryPoint, course: Any, labs: list[Any], categories: Any) -> None:
    score = {"category_id": categories[0], "label": "Lab", "score": 90, "item_id": labs[1]["id"]}
    owner.made("add_grade_score", course_id=course["id"], **score)
    more = [entry(labs[1], category_id=categories[1])]
    answer = owner.call("update_item", item_id=labs[0]["id"], title="A", more=more)
    assert (answer.error, answer.fields) == ("validation_failed", ["more[0].category_id"])
    assert fetched_item(owner, labs[0]["id"])["title"] == "Lab 1"


def test_a_record_of_a_list_can_be_sent_back(owner: RestEntryPoint, labs: list[Any]) -> None:
    """A note that a list cut is not stored cut."""
    note = "x" * 500
    owner.made("update_item", item_id=labs[1]["id"], note=note)
    listed = {item["id"]: item for item in owner.made("list_items")["data"]}
    assert len(listed[labs[1]["id"]]["note"]) == 200
    more = [{**listed[item["id"]], "item_id": item["id"], "due_on": "2026-12-24"} for item in labs[1:]]
    changed = owner.made("update_item", item_id=labs[0]["id"], more=more)
    assert [item["due_on"] for item in changed["items"]] == ["2026-12-01", "2026-12-24", "2026-12-24"]
    assert changed["items"][1]["note"] == note


@pytest.mark.rest
@pytest.mark.database("both")
def test_an_item_of_a_hidden_course_is_unknown(
    owner: RestEntryPoint, owner_member: Any, make_key: Any, course: Any, labs: list[Any]
) -> None:
    hidden = owner.made("create_item", course_id=owner.made("create_course", name="Latin")["id"], title="Essay")
    limited = RestEntryPoint(make_key(owner_member, limits=Limits((course["id"],)).stored())[0])
    for entry_point in (limited, mcp_of(limited)):
        answer = entry_point.call("update_item", item_id=labs[0]["id"], done=True, more=[entry(hidden, done=True)])
        assert (answer.error, answer.fields) == ("validation_failed", ["more[0].item_id"])
        assert entry_point.call("update_item", item_id=hidden["id"], more=[entry(labs[0])]).error == "not_found"
    assert stored(owner, [*labs, hidden]) == [*labs, fetched_item(owner, hidden["id"])]
    assert Item.objects.filter(done=True).count() == 0


@pytest.mark.rest
def test_a_credential_without_grades_changes_no_category(
    owner_member: Any, make_key: Any, course: Any, labs: list[Any]
) -> None:
    category = GradeCategoryFactory.create(member=owner_member, course_id=course["id"])
    ungraded = RestEntryPoint(make_key(owner_member, limits=Limits(grades=False).stored())[0])
    more = [entry(labs[1], category_id=str(category.id))]
    assert ungraded.call("update_item", item_id=labs[0]["id"], more=more).error == "insufficient_scope"
    more = [entry(labs[1], category_id=None, done=True)]
    changed = ungraded.made("update_item", item_id=labs[0]["id"], done=True, more=more)
    assert [item["done"] for item in changed["items"]] == [True, True]


@pytest.mark.rest
def test_a_hundred_items_are_read_in_as_many_statements_as_two(owner: RestEntryPoint, course: Any) -> None:
    entries = [{"title": f"Quiz {number}", "due_on": "2026-12-11"} for number in range(100)]
    items = owner.made("create_item", course_id=course["id"], **entries[0], more=entries[1:])["items"]

    def reads(count: int, day: str) -> int:
        with CaptureQueriesContext(connection) as queries:
            more = [entry(item, due_on=day) for item in items[1:count]]
            changed = owner.made("update_item", item_id=items[0]["id"], due_on=day, more=more)
        assert len(changed["items"]) == count
        return sum(not query["sql"].startswith("UPDATE") for query in queries)

    assert reads(100, "2026-12-12") == reads(2, "2026-12-13")
