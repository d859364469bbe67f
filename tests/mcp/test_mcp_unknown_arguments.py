"""Arguments that a tool does not have: likely mistakes are rejected, others ignored, and both are named."""

from typing import Any

import pytest

from mcpbridge.tools import tools as definitions
from tests.support.cases import each
from tests.support.entry_points import McpEntryPoint, RestEntryPoint
from tests.support.tools import mcp_of

pytestmark = [
    pytest.mark.database("sqlite", "argument names are checked before any statement"),
    pytest.mark.django_db,
    pytest.mark.rest,
]

CARD = {"term": "Nucleus", "definition": "Holds the DNA."}


@pytest.fixture
def tools(owner: RestEntryPoint) -> McpEntryPoint:
    """The owner's tools."""
    return mcp_of(owner)


def result_of(tools: McpEntryPoint, tool: str, arguments: dict[str, Any]) -> Any:
    """The result of a call as sent."""
    return tools.rpc("tools/call", {"name": tool, "arguments": arguments}).json()["result"]


@each(
    ("tool", "given", "meant"),
    [
        ("create_item", {"due_date": "2026-12-01"}, "due_on"),
        ("create_item", {"dueDate": "2026-12-01"}, "due_on"),
        ("create_item", {"deadline": "2026-12-01"}, "due_on"),
        ("create_item", {"type": "exam"}, "kind"),
        ("create_item", {"category": "exam"}, "category_id or kind"),
        ("create_item", {"kindd": "exam"}, "kind"),
        ("list_items", {"course": "x"}, "course_id"),
        ("list_items", {"limitt": 5}, "limit"),
        ("list_items", {"max_results": 5}, "limit"),
        ("list_items", {"page": 2}, "cursor"),
        ("list_items", {"start_date": "2026-12-01"}, "from"),
        ("list_items", {"since": "2026-12-01"}, "from"),
        ("list_items", {"until": "2026-12-01"}, "to"),
        ("list_items", {"due_before": "2026-12-01"}, "to"),
        ("list_vocab_decks", {"count": 5}, "limit"),
        ("get_agenda", {"num_days": 5}, "days"),
        ("review_vocab_card", {"raiting": "good"}, "rating"),
        ("add_grade_score", {"grade": 80}, "score"),
        ("add_grade_score", {"percent": 80}, "score"),
    ],
)
def test_a_likely_mistake_is_rejected_and_named(
    tools: McpEntryPoint, course: Any, tool: str, given: dict[str, Any], meant: str
) -> None:
    own = {"course_id": course["id"], "title": "Midterm"} if tool == "create_item" else {}
    answer = tools.call(tool, **own, **given)
    [slip] = given
    assert (answer.error, answer.fields) == ("validation_failed", [slip])
    assert answer.body["details"][0]["message"] == f"Unknown argument {slip}; did you mean {meant}?"
    assert tools.made("list_items")["data"] == [], "nothing changed"


def test_a_category_of_an_item_is_an_id(tools: McpEntryPoint, course: Any) -> None:
    item = tools.made("create_item", course_id=course["id"], title="Midterm")
    message = "did you mean category_id or kind?"
    answer = tools.call("update_item", item_id=item["id"], category="Exams")
    assert (answer.fields, message in answer.body["details"][0]["message"]) == (["category"], True)
    more = [{"title": "Quiz", "category": "Exams"}]
    answer = tools.call("create_item", course_id=course["id"], title="Final", more=more)
    assert (answer.fields, message in answer.body["details"][0]["message"]) == (["more[0].category"], True)
    items = [{"title": "Quiz", "category_id": course["id"]}]
    answer = tools.call("create_course", name="Botany", items=items)
    assert answer.fields == ["items[0].category_id"]
    assert answer.body["details"][0]["message"] == "Not a field here; did you mean category?"
    named = tools.call("create_item", course_id=course["id"], title="Final", kind="exam", category="Exams")
    assert named.body["details"][0]["message"] == "Unknown argument category; did you mean category_id?"
    assert len(tools.made("list_items")["data"]) == 1


def test_entries_list_their_accepted_fields() -> None:
    """An item of a new course refers to its category by name, as the category has no id yet."""
    taken = {}
    for tool, argument in (("create_item", "more"), ("create_course", "items")):
        [entries, _] = definitions()[tool].definition.input_schema["properties"][argument]["anyOf"]
        taken[tool] = set(entries["items"]["properties"])
    shared = {"title", "kind", "due_on", "due_time", "note", "quote"}
    assert taken == {"create_item": {*shared, "category_id"}, "create_course": {*shared, "category"}}


def test_done_of_a_new_item_is_named(tools: McpEntryPoint, course: Any) -> None:
    result = result_of(tools, "create_item", {"course_id": course["id"], "title": "Midterm", "done": True})
    assert result["structuredContent"]["done"] is False
    assert result["content"][1]["text"].startswith("Ignored, as this tool has no such arguments: done.")


def test_mistakes_in_entries_are_named_with_their_position(tools: McpEntryPoint) -> None:
    cards = [CARD, {"front": "Ribosome", "back": "Makes proteins."}, {"front": "ATP", "back": "Energy."}]
    answer = tools.call("create_vocab_deck", name="Cells", cards=cards)
    assert answer.error == "validation_failed"
    assert {detail["field"]: detail["message"] for detail in answer.body["details"]} == {
        "cards[1].front": "Unknown argument front; did you mean term?",
        "cards[1].back": "Unknown argument back; did you mean definition?",
    }


def test_a_declared_name_already_sent_is_not_suggested(tools: McpEntryPoint, course: Any) -> None:
    given = {"course_id": course["id"], "title": "Midterm", "due_on": None, "due_date": "2026-12-01"}
    result = result_of(tools, "create_item", given)
    assert result["isError"] is False
    assert result["content"][1]["text"] == "Ignored, as this tool has no such arguments: due_date."


@each(("tool", "kept"), [("list_items", "from"), ("get_agenda", "days"), ("list_vocab_decks", "on")])
def test_an_unknown_filter_lists_the_known_ones(tools: McpEntryPoint, tool: str, kept: str) -> None:
    result = result_of(tools, tool, {"shape": "round"})
    head, taken = result["content"][1]["text"].split(". ")
    assert (result["isError"], head) == (False, "Ignored, as this tool has no such arguments: shape")
    assert kept in taken.removeprefix("It takes ").rstrip(".").split(", ")


@each("word", ["sort", "order"])
def test_an_order_is_not_mistaken_for_a_cursor(tools: McpEntryPoint, word: str) -> None:
    result = result_of(tools, "list_items", {word: "due_on"})
    assert result["isError"] is False
    assert result["content"][1]["text"].startswith(f"Ignored, as this tool has no such arguments: {word}. It takes ")


def test_a_name_unlike_any_argument_is_ignored_and_named(tools: McpEntryPoint) -> None:
    cards = [CARD | {"hint": "core"}, CARD | {"hint": "x", "thought": "y"}]
    result = result_of(tools, "create_vocab_deck", {"name": "Cells", "cards": cards, "_session": 1})
    assert result["isError"] is False
    head, names = result["content"][1]["text"].split(": ")
    assert head == "Ignored, as this tool has no such arguments"
    assert sorted(names.rstrip(".").split(", ")) == ["_session", "cards[].hint", "cards[].thought"]


def test_entries_can_be_sent_back_as_read(tools: McpEntryPoint, course: Any) -> None:
    """A returned category has its average and scores."""
    categories = [{"name": "Quizzes", "weight": 100}]
    read = tools.made("set_grade_categories", course_id=course["id"], categories=categories)["categories"]
    assert {"average", "scores"} <= set(read[0])
    result = result_of(tools, "set_grade_categories", {"course_id": course["id"], "categories": read})
    assert (result["isError"], len(result["content"])) == (False, 1)


def test_rest_still_ignores_them(owner: RestEntryPoint, course: Any) -> None:
    body = {"title": "Midterm", "due_date": "2026-12-01", "type": "exam"}
    assert owner.request("POST", f"/v1/courses/{course['id']}/items", json=body).status_code == 201
    assert owner.request("GET", "/v1/items?limitt=5&state=done&until=2026-12-01").status_code == 200


def test_the_scope_is_checked_first(reader: RestEntryPoint) -> None:
    assert mcp_of(reader).call("create_course", nam="Botany").error == "insufficient_scope"


@each("name", ["\ud800", "due_\ud800", "n" * 10_000, "", " ", "naïve", "__proto__"])
def test_any_name_can_be_reported(tools: McpEntryPoint, name: str) -> None:
    assert result_of(tools, "get_me", {name: 1})["isError"] is False
    tools.call("create_course", **{name: 1})


def test_many_names_are_shortened(tools: McpEntryPoint) -> None:
    result = result_of(tools, "get_me", {f"x{number}": 1 for number in range(50_000)})
    text = result["content"][1]["text"]
    assert text.endswith("x19, and others.")
    assert len(text) < 500
