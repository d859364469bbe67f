"""A credential without grades gets the answers of an account that has none, where graded items were marked as done."""

from typing import Any

import pytest

from studyservice.rows.limits import Limits
from tests.limits.test_twin import normalized
from tests.support.entry_points import RestEntryPoint
from tests.support.tools import mcp_of

pytestmark = [pytest.mark.rest, pytest.mark.database("both")]

ITEMS: list[dict[str, Any]] = [
    {"title": "Quiz 1", "kind": "quiz", "due_on": "2026-11-20"},
    {"title": "Essay 1", "kind": "paper", "due_on": "2026-11-24"},
    {"title": "Lab 1", "kind": "lab", "due_on": "2026-11-24"},
    {"title": "Essay 2", "kind": "paper", "due_on": "2026-11-26"},
    {"title": "Quiz 2", "kind": "quiz", "due_on": "2026-12-01"},
    {"title": "Lab 2", "kind": "lab", "due_on": "2026-12-02"},
    {"title": "Midterm", "kind": "exam", "due_on": "2026-12-03"},
    {"title": "Reading", "kind": "other", "due_on": None},
]
GRADED = [0, 1, 4, 7]
"""The items with a score, one of them overdue, one to come, one undated."""

QUERIES: list[tuple[str, dict[str, str]]] = [
    ("/v1/items", {}),
    ("/v1/items", {"limit": "3"}),
    *(("/v1/items", {"status": status}) for status in ("open", "done", "graded", "past", "missed")),
    *(("/v1/items", {"status": status, "limit": "1"}) for status in ("open", "done", "graded", "past", "missed")),
    ("/v1/items", {"kind": "quiz", "status": "done"}),
    ("/v1/items", {"due_from": "2026-11-24", "due_to": "2026-12-01", "status": "open"}),
    ("/v1/agenda", {}),
    ("/v1/agenda", {"days": "30"}),
    ("/v1/agenda", {"minutes": "120"}),
    ("/v1/agenda", {"days": "30", "minutes": "480"}),
    ("/v1/courses", {}),
]


def account(owner: RestEntryPoint, *, has_grades: bool) -> list[Any]:
    """Create a course with items, of which some are graded or, without grades, done."""
    course = owner.made("create_course", name="Biology")
    fields: dict[str, Any] = {}
    if has_grades:
        weights = [{"name": "Everything", "weight": 100}]
        [category] = owner.made("set_grade_categories", course_id=course["id"], categories=weights)["categories"]
        fields = {"category_id": category["id"]}
    items = [owner.made("create_item", course_id=course["id"], **item, **fields) for item in ITEMS]
    for place in GRADED:
        score = {"label": "x", "score": 80, **fields, "item_id": items[place]["id"]}
        if has_grades:
            owner.made("add_grade_score", course_id=course["id"], **score)
        else:
            owner.made("update_item", item_id=items[place]["id"], done=True)
    owner.made("update_item", item_id=items[5]["id"], done=True)
    return items


def pages(entry_point: RestEntryPoint, path: str, query: dict[str, str]) -> list[Any]:
    """Every page of a list, or the one answer."""
    found = []
    cursor: dict[str, str] = {}
    while True:
        response = entry_point.request("GET", path, query=query | cursor)
        found.append(normalized(response))
        if not response.json().get("next_cursor"):
            return found
        cursor = {"cursor": response.json()["next_cursor"]}


@pytest.fixture
def twins(make_member: Any, make_key: Any, time_machine: Any) -> list[tuple[RestEntryPoint, list[Any]]]:
    """A key without grades and the items of an account that has grades, then a key of one that has none."""
    found = []
    for name in ("graded", "plain"):
        time_machine.move_to("2026-11-23T12:00:00Z")
        member = make_member(f"{name}@example.org", name="Ada", time_zone="UTC")
        items = account(RestEntryPoint(make_key(member)[0]), has_grades=name == "graded")
        limits = Limits(grades=False).stored() if name == "graded" else None
        found.append((RestEntryPoint(make_key(member, limits=limits)[0]), items))
    time_machine.move_to("2026-11-25T12:00:00Z")
    return found


@pytest.mark.parametrize(("path", "query"), QUERIES)
def test_answers_are_those_of_an_account_without_scores(twins: Any, path: str, query: dict[str, str]) -> None:
    (limited, _), (plain, _) = twins
    expected = pages(plain, path, query)
    assert pages(limited, path, query) == expected
    assert expected[0][0] == 200


def test_each_item_is_the_one_of_an_account_without_scores(twins: Any) -> None:
    (limited, seen), (plain, items) = twins
    for one, other in zip(seen, items, strict=True):
        paths = (f"/v1/items/{one['id']}", f"/v1/items/{other['id']}")
        assert normalized(limited.request("GET", paths[0])) == normalized(plain.request("GET", paths[1]))


def test_steps_for_now_are_those_of_an_account_without_scores(twins: Any) -> None:
    (limited, _), (plain, _) = twins
    calls = [("tools/call", {"name": "get_agenda", "arguments": {"minutes": 60}})]
    calls += [("prompts/get", {"name": "plan_week", "arguments": {}})]
    for method, params in calls:
        assert normalized(mcp_of(limited).rpc(method, params)) == normalized(mcp_of(plain).rpc(method, params))


def test_what_replaces_hidden_columns_is_never_stored(owner: RestEntryPoint, owner_member: Any, make_key: Any) -> None:
    """A graded item only looks done."""
    graded = account(owner, has_grades=True)[0]["id"]
    whole, [newest] = owner.made("get_item", item_id=graded), owner.made("list_changes", limit=1)["data"]
    limited = RestEntryPoint(make_key(owner_member, limits=Limits(grades=False).stored())[0])
    assert whole["done"] is False
    answer = limited.made("update_item", item_id=graded, done=False)
    seen = limited.made("get_item", item_id=graded)
    assert answer == {name: seen[name] for name in answer}
    assert (owner.made("get_item", item_id=graded), owner.made("list_changes", limit=1)["data"]) == (whole, [newest])
