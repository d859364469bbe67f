"""create_item with quotes, with `more`, and with an existing item."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from courses.item_batches import ITEMS_OF_COURSE
from courses.models import Course, Item
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import ItemFactory, stored
from tests.support.syllabus_text import ITEMS, TEXT, TODAY
from tests.support.tools import mcp_of, rest_of

pytestmark = [pytest.mark.same_statements, pytest.mark.time_machine(TODAY)]

QUIZ = {"title": "Quiz 1", "kind": "quiz", "due_on": "2026-09-10"}


@pytest.fixture
def entered(owner: RestEntryPoint, db: None) -> Any:
    """A course with the text of its syllabus."""
    made = owner.made("create_course", name="Cell Biology", term="Fall 2026", syllabus_text=TEXT)
    return {"course_id": made["id"]}


def test_a_quote_is_searched_in_the_syllabus(owner: RestEntryPoint, entered: Any) -> None:
    right = owner.made("create_item", **entered, **ITEMS[0])
    wrong = owner.made("create_item", **entered, **(ITEMS[1] | {"due_on": "2027-09-07"}))
    assert (right["evidence"], right["warnings"]) == ("confirmed", [])
    assert wrong["evidence"] == "contradicted"
    assert [one["type"] for one in wrong["warnings"]][:2] == ["outside_term", "weekday"]
    assert "items" not in right
    assert "evidence" not in owner.made("get_item", item_id=right["id"])


def test_more_items_are_created_in_one_call(owner: RestEntryPoint, entered: Any) -> None:
    made = owner.made("create_item", **entered, **ITEMS[0], more=ITEMS[1:3])
    first, second, third = made["items"]
    assert {name: made[name] for name in first} == first
    assert [item["title"] for item in (first, second, third)] == [item["title"] for item in ITEMS[:3]]
    assert [item["evidence"] for item in (first, second, third)] == ["confirmed"] * 3
    assert made["warnings"] == []
    assert Item.objects.count() == 3
    [change, _] = rest_of(owner).made("list_changes")["data"]
    assert (change["operation"], change["object"]["id"], change["after"]["items"]) == ("create_item", made["id"], 2)


def test_an_empty_list_counts_as_sent_and_null_does_not(owner: RestEntryPoint, entered: Any) -> None:
    assert len(owner.made("create_item", **entered, title="a", more=[])["items"]) == 1
    assert "items" not in owner.made("create_item", **entered, title="a", more=None, quote=None)


@pytest.mark.database("both")
def test_warnings_name_the_entries_of_the_call(owner: RestEntryPoint, entered: Any) -> None:
    answer = owner.call("create_item", **entered, title="a", more=[{"title": "b"}, {"due_on": 7}])
    assert sorted(answer.fields) == ["more[1].due_on", "more[1].title"]
    assert owner.call("create_item", **entered, title="a", more=[{"title": "b"}] * 100).fields == ["more"]
    assert not Item.objects.exists()


def test_duplicates_are_created_and_reported_by_default(owner: RestEntryPoint, entered: Any) -> None:
    first = owner.made("create_item", **entered, **QUIZ)
    second = owner.made("create_item", **entered, **QUIZ, if_exists="create", more=[])
    assert first["id"] != second["id"]
    assert [(one["type"], one["index"]) for one in second["warnings"]] == [("duplicate", 0)]


def test_skip_returns_the_existing_item(owner: RestEntryPoint, entered: Any) -> None:
    """The kind is not compared."""
    first = owner.made("create_item", **entered, **QUIZ)
    again = owner.made("create_item", **entered, **(QUIZ | {"title": " QUIZ 1 ", "kind": "exam"}), if_exists="skip")
    assert again == first | {"existing": True}
    assert Item.objects.count() == 1


def test_duplicates_match_case_insensitively_but_with_inner_white_space(owner: RestEntryPoint, entered: Any) -> None:
    first = owner.made("create_item", **entered, title="Straße  7")
    same = owner.made("create_item", **entered, title=" STRASSE  7 ", if_exists="skip")
    other = owner.made("create_item", **entered, title="Straße 7", if_exists="skip")
    dated = owner.made("create_item", **entered, title="Straße  7", due_on="2026-09-10", if_exists="skip")
    assert (same["id"], same["existing"]) == (first["id"], True)
    assert (other["existing"], dated["existing"]) == (False, False)


def test_skip_also_compares_entries_of_one_call(owner: RestEntryPoint, entered: Any) -> None:
    made = owner.made("create_item", **entered, **QUIZ, if_exists="skip", more=[QUIZ, {"title": "Essay"}])
    first, second, third = made["items"]
    assert [item["existing"] for item in (first, second, third)] == [False, True, False]
    assert (first["id"], Item.objects.count()) == (second["id"], 2)
    assert made["warnings"] == []


@pytest.mark.rest
def test_it_is_200_if_nothing_is_new(owner: RestEntryPoint, entered: Any) -> None:
    sent = {**entered, **QUIZ, "if_exists": "skip"}
    assert [owner.call("create_item", **sent, more=more).status for more in ([], [QUIZ], [{"title": "b"}])] == [
        201,
        200,
        201,
    ]
    assert len(owner.made("list_changes", object_id=owner.made("list_items")["data"][0]["id"])["data"]) == 1


@pytest.mark.rest
def test_the_stored_answer_keeps_its_status(owner: RestEntryPoint, entered: Any) -> None:
    owner.made("create_item", **entered, **QUIZ)
    path = f"/v1/courses/{entered['course_id']}/items"
    body = QUIZ | {"if_exists": "skip"}
    sent = [owner.request("POST", path, json=body, HTTP_IDEMPOTENCY_KEY="k") for _ in range(2)]
    assert [response.status_code for response in sent] == [200, 200]
    assert sent[1].headers["Idempotency-Replayed"] == "true"
    assert sent[0].content == sent[1].content


@pytest.mark.rest
def test_a_retry_with_the_same_key_says_what_existed(owner: RestEntryPoint, entered: Any) -> None:
    """Even though the answer is long."""
    path = f"/v1/courses/{entered['course_id']}/items"
    more = [{"title": f"{n} " + "漢" * 150} for n in range(99)]
    owner.made("create_item", **entered, **more[0])
    body = {"title": "Ж" * 160, "more": more, "if_exists": "skip"}
    first = owner.request("POST", path, json=body, HTTP_IDEMPOTENCY_KEY="k")
    answer = first.json()
    assert len(first.content) > 64 * 1024
    assert [one["existing"] for one in answer["items"][:3]] == [False, True, False]
    owner.made("delete_item", item_id=answer["items"][1]["id"])
    assert owner.request("POST", path, json=body, HTTP_IDEMPOTENCY_KEY="k").json() == answer
    assert Item.objects.count() == 99


@pytest.mark.database("both")
def test_a_full_course_rejects_the_whole_call(owner: RestEntryPoint, owner_member, entered: Any) -> None:
    course = Course.objects.get()
    stored(ItemFactory, ITEMS_OF_COURSE.most - 2, member=owner_member, course=course)
    assert owner.call("create_item", **entered, **QUIZ, more=[{"title": "b"}, {"title": "c"}]).error == "conflict"
    assert Item.objects.count() == ITEMS_OF_COURSE.most - 2
    owner.made("create_item", **entered, **QUIZ, more=[{"title": "b"}])
    assert owner.made("create_item", **entered, **QUIZ, if_exists="skip", more=[{"title": "b"}])["existing"] is True


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_one_of_several_identical_calls_creates_the_items(owner: RestEntryPoint, in_threads) -> None:
    course = owner.made("create_course", name="Cell Biology")
    sent = {"course_id": course["id"], **QUIZ, "if_exists": "skip", "more": [{"title": "Essay"}]}
    answers = in_threads(lambda _: owner.made("create_item", **sent), list(range(6)))
    assert Item.objects.count() == 2
    assert sorted(answer["existing"] for answer in answers) == [False] + [True] * 5
    assert len({tuple(item["id"] for item in answer["items"]) for answer in answers}) == 1


@pytest.mark.rest
@each("if_exists", ["create", "skip"])
def test_a_hundred_items_need_as_many_statements_as_one(owner: RestEntryPoint, entered: Any, if_exists: str) -> None:
    def statements(count: int) -> int:
        items = [{"title": f"Quiz {count} {n}", "due_on": "2026-09-11", "quote": "Quiz"} for n in range(count)]
        with CaptureQueriesContext(connection) as queries:
            owner.made("create_item", **entered, **items[0], more=items[1:], if_exists=if_exists)
        return len(queries)

    few, many = statements(1), statements(100)
    assert many <= few + (connection.vendor == "sqlite")  # SQLite accepts 999 values at a time
    assert few <= 9


@pytest.mark.rest
def test_errors_in_more_are_named(owner: RestEntryPoint, entered: Any) -> None:
    """As for `cards`."""
    answer = mcp_of(owner).call("create_item", **entered, title="a", more=[{"title": "b", "due_date": "2026-09-10"}])
    assert (answer.error, answer.fields) == ("validation_failed", ["more[0].due_date"])
    answer = mcp_of(owner).call("create_course", name="B", items=[{"title": "b", "deadline": "2026-09-10"}])
    assert answer.fields == ["items[0].deadline"]
    answer = mcp_of(owner).call("create_course", name="B", grade_categories=[{"name": "b", "percent": 7, "wight": 3}])
    assert answer.fields == ["grade_categories[0].wight"]


@pytest.mark.rest
def test_a_tool_omits_the_list_of_a_long_answer(owner: RestEntryPoint, owner_member) -> None:
    name = "Ж" * 120
    made = owner.made("create_course", name=name)
    items = [{"title": f"{n:03}" + "Ж" * 157, "quote": "x"} for n in range(100)]
    arguments = {"course_id": made["id"], **items[0], "more": items[1:]}
    result = mcp_of(owner).rpc("tools/call", {"name": "create_item", "arguments": arguments}).json()["result"]
    assert result["isError"] is False
    assert Item.objects.filter(member=owner_member).count() == 100
    kept = result["structuredContent"]
    assert len(result["content"][0]["text"]) <= 100_000
    assert ("items" in kept) is not any("leaves out" in block["text"] for block in result["content"][1:])
