"""The message of a 422 names the error, for programs that show only the message."""

from typing import Any

import pytest

from tests.support.entry_points import McpEntryPoint, RestEntryPoint
from tests.support.tools import mcp_of

pytestmark = [pytest.mark.database("sqlite", "wording"), pytest.mark.rest]


def message(owner: RestEntryPoint, operation_id: str, **arguments: Any) -> str:
    answer = owner.call(operation_id, **arguments)
    assert answer.error == "validation_failed"
    text: str = answer.body["message"]
    return text


def details(assistant: McpEntryPoint, tool: str, **arguments: Any) -> list[dict[str, str]]:
    answer = assistant.call(tool, **arguments)
    assert answer.error == "validation_failed"
    told: list[dict[str, str]] = answer.body["details"]
    return told


def test_it_names_the_field_and_the_error(owner: RestEntryPoint, course: Any) -> None:
    assert message(owner, "create_course") == "name: This field is required."
    assert message(owner, "list_items", limit=0) == "limit: Must be at least 1."
    assert message(owner, "get_item", item_id="x") == "item_id: Must be a UUID."
    told = message(owner, "create_vocab_deck", name="Words", cards=[])
    assert told == "cards: Must have 1 or more entries."
    more = [{"title": "Draft"}, {"title": "Essay", "due_on": "soon"}]
    assert message(owner, "create_item", course_id=course["id"], title="Outline", more=more) == (
        "more[1].due_on: Must be a calendar date written YYYY-MM-DD."
    )


def test_a_domain_rule_is_named_too(owner: RestEntryPoint, milestone: Any) -> None:
    told = message(owner, "update_milestone", milestone_id=milestone["id"], place=2)
    assert told == "place: Must be at most 1 for this item."


def test_several_errors_are_counted_and_the_first_is_named(owner: RestEntryPoint, course: Any) -> None:
    two = message(owner, "create_item", course_id=course["id"], kind="party")
    assert two == "title: This field is required. See details for this and 1 more."
    three = message(owner, "create_item", course_id=course["id"], kind="party", due_on="soon")
    assert three == "title: This field is required. See details for this and 2 more."


def test_very_many_errors_are_summarized(owner: RestEntryPoint) -> None:
    cards = [{"term": ""}] * 120
    told = message(owner, "create_vocab_deck", name="Words", cards=cards)
    assert told == "cards[0].term: Must not be empty. See details for the first 100."


def test_a_null_id_is_named(owner: RestEntryPoint) -> None:
    """Only a tool can receive one. Over REST it is in the path."""
    assert details(mcp_of(owner), "get_item", item_id=None) == [{"field": "item_id", "message": "Must not be null."}]


def test_an_item_can_be_graded_by_following_the_messages(owner: RestEntryPoint, course: Any) -> None:
    assistant = mcp_of(owner)
    weights = [{"name": "Exams", "weight": 60}, {"name": "Quizzes", "weight": 40}]
    made = owner.made("set_grade_categories", course_id=course["id"], categories=weights)
    exams, quizzes = (one["id"] for one in made["categories"])
    item = owner.made("create_item", course_id=course["id"], title="Quiz 1")
    score = {"course_id": course["id"], "item_id": item["id"], "label": "Quiz 1", "score": 80}
    first = assistant.made("add_grade_score", **score, category_id=exams)
    again = details(assistant, "add_grade_score", **score, category_id=exams)
    moved = details(assistant, "update_item", item_id=item["id"], category_id=quizzes)
    for [told] in (again, moved):
        assert "delete_grade_score" in told["message"]
        assert "update_grade_score" in told["message"]
        assert "over REST" in told["message"]
    assistant.made("delete_grade_score", score_id=first["id"])
    assistant.made("update_item", item_id=item["id"], category_id=quizzes)
    assistant.made("add_grade_score", **score, category_id=quizzes)
    assert owner.made("get_item", item_id=item["id"])["category_id"] == quizzes
