"""A term with an assistant through the official client: a syllabus; done, missed and graded items; worth; and undo."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.db.models import F
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from courses.models import Item
from tests.support.entry_points import RestEntryPoint
from tests.support.event_loops import run_async

pytestmark = [pytest.mark.rest, pytest.mark.django_db(transaction=True)]

WEIGHTS = {"Quizzes": 40, "Essay": 60}


async def _called(url: str, secret: str, calls: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    """The results of calls in one session."""
    async with (
        create_mcp_http_client({"Authorization": f"Bearer {secret}"}) as http,
        streamable_http_client(url, http_client=http) as (read, write),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        return [await session.call_tool(name, arguments) for name, arguments in calls]


def test_a_term_with_an_assistant(live_server: Any, owner: RestEntryPoint) -> None:
    def call(name: str, /, **arguments: Any) -> Any:
        [result] = run_async(_called, f"{live_server.url}/mcp", owner.secret, [(name, arguments)])
        assert not result.is_error, result
        return result

    today = date.fromisoformat(call("get_me").structured_content["today"])
    items = [
        {"title": "Quiz 1", "kind": "quiz", "due_on": f"{today + timedelta(days=1)}", "category": "quizzes"},
        {"title": "Quiz 2", "kind": "quiz", "due_on": f"{today + timedelta(days=9)}", "category": "QUIZZES"},
        {"title": "Essay", "kind": "paper", "due_on": f"{today + timedelta(days=2)}", "category": "Essay"},
        {"title": "Reading", "kind": "other", "due_on": f"{today + timedelta(days=2)}", "note": "Chapter 3"},
    ]
    weights = [{"name": name, "weight": weight} for name, weight in WEIGHTS.items()]
    made = call("create_course", name="Biology", items=items, grade_categories=weights).structured_content
    ids = {item["title"]: item["id"] for item in made["items"]}
    assert {item["title"]: item["worth"] for item in made["items"]} == {
        "Quiz 1": 20,
        "Quiz 2": 20,
        "Essay": 60,
        "Reading": None,
    }
    done = call("update_item", item_id=ids["Reading"], done=True)
    assert done.structured_content["status"] == "done"

    Item.objects.update(due_on=F("due_on") - timedelta(days=3), missable_from=F("missable_from") - timedelta(days=3))
    agenda = call("get_agenda").structured_content
    assert [item["title"] for item in agenda["missed"]] == ["Essay"]
    assert [item["title"] for item in agenda["items"]] == ["Quiz 2"]
    assert {item["title"]: item["status"] for item in call("list_items", q="biology").structured_content["data"]} == {
        "Quiz 1": "past",
        "Essay": "missed",
        "Reading": "done",
        "Quiz 2": "open",
    }

    quizzes = made["grade_categories"][0]["id"]
    graded = call(
        "add_grade_score",
        course_id=made["id"],
        category_id=quizzes,
        item_id=ids["Quiz 1"],
        label="Quiz 1",
        score=90,
    )
    assert call("get_item", item_id=ids["Quiz 1"]).structured_content["status"] == "graded"
    [score] = call("get_grades", course_id=made["id"]).structured_content["categories"][0]["scores"]
    assert score["item_id"] == ids["Quiz 1"]

    owner.made("undo_change", change_id=graded.meta["change_id"])
    assert call("get_item", item_id=ids["Quiz 1"]).structured_content["status"] == "past"
    owner.made("undo_change", change_id=done.meta["change_id"])
    [reading] = call("list_items", q="CHAPTER 3", status="missed").structured_content["data"]
    assert (reading["id"], reading["done_at"]) == (ids["Reading"], None)
