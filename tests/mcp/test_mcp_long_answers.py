"""The limit for a tool's answer, and the message of a tool whose answer exceeds it."""

import json
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from studyservice.operations import codec
from tests.support import bulk
from tests.support.entry_points import McpEntryPoint, RestEntryPoint, read_failure
from tests.support.tools import mcp_of
from tests.support.vocabulary import made_deck

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements]

MOST = 100_000
TOKEN = 4
"""Approximate characters per token."""


@pytest.fixture
def tools(owner: RestEntryPoint) -> McpEntryPoint:
    """The owner's tools."""
    return mcp_of(owner)


def result_of(tools: McpEntryPoint, tool: str, /, **arguments: Any) -> Any:
    """The result of a call as sent."""
    return tools.rpc("tools/call", {"name": tool, "arguments": arguments}).json()["result"]


def texts(result: Any) -> list[str]:
    """The texts of a result."""
    return [block["text"] for block in result["content"]]


def refused(result: Any) -> str:
    """The message of a call that failed because its answer is too long."""
    assert result["isError"] is True
    assert "structuredContent" not in result
    [text] = texts(result)
    error = read_failure(text)
    assert error["type"] == "invalid_request"
    return str(error["message"])


def add_items(course: Any, member: Any, count: int, title: str) -> None:
    """Creates this many items, due tomorrow."""
    from courses.models import Item

    tomorrow = member.today() + timedelta(days=1)
    rows = (
        {
            "id": uuid4(),
            "member_id": member.id,
            "course_id": course["id"],
            "title": title,
            "kind": "other",
            "due_on": tomorrow,
            "created_at": member.created_at,
            "updated_at": member.created_at,
        }
        for _ in range(count)
    )
    bulk.insert(Item, rows)


def test_a_too_long_answer_explains_how_to_request_less(tools: McpEntryPoint, course: Any, owner_member: Any) -> None:
    add_items(course, owner_member, 1000, "t" * 160)
    message = refused(result_of(tools, "get_agenda", days=120))
    assert message == "The answer would have over 100,000 characters. Ask for less: fewer days."
    assert len(tools.request("GET", "/v1/agenda?days=120").content) > MOST, "REST returns all of it"


def test_characters_are_counted_rather_than_bytes(tools: McpEntryPoint, course: Any, owner_member: Any) -> None:
    add_items(course, owner_member, 180, "本" * 160)
    [text] = texts(result_of(tools, "get_agenda"))
    assert len(text) < MOST < len(text.encode())


def test_the_limit_is_exact(tools: McpEntryPoint, course: Any, owner_member: Any) -> None:
    from courses.models import Course

    def read(characters: int) -> Any:
        Course.objects.filter(id=course["id"]).update(syllabus_text="s" * characters)
        return result_of(tools, "get_course", course_id=course["id"], include_syllabus=True)

    rest = len(texts(read(90_000))[0]) - 90_000
    for characters, is_error in ((MOST - rest, False), (MOST - rest + 1, True)):
        result = read(characters)
        assert result["isError"] is is_error
    assert refused(result).endswith(
        "Ask for less: a part of the syllabus, by syllabus_from and a smaller syllabus_limit or the course without "
        "include_syllabus."
    )
    arguments = {"course_id": course["id"], "include_syllabus": True, "syllabus_limit": MOST - rest - 20}
    assert result_of(tools, "get_course", **arguments)["isError"] is False


def test_a_very_long_answer_is_never_serialized_completely(
    tools: McpEntryPoint, course: Any, owner_member: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_items(course, owner_member, 5000, "\x01" * 160)
    written: list[int] = []

    def encode(value: Any) -> bytes:
        text = codec.encode(value)
        written.append(len(text))
        return text

    monkeypatch.setattr("mcpbridge.answers.encode", encode)
    refused(result_of(tools, "get_agenda"))
    assert 0 < sum(written) < 2 * MOST


def test_long_lists_are_omitted_after_a_write(tools: McpEntryPoint, owner: RestEntryPoint) -> None:
    cards = [{"term": f"Term {number}", "definition": "d" * 2000} for number in range(100)]
    result = result_of(tools, "create_vocab_deck", name="Long", cards=cards)
    assert result["isError"] is False
    deck = result["structuredContent"]
    assert (deck["card_count"], "cards" in deck) == (100, False)
    told = "The whole answer would have over 100,000 characters, so it leaves out: cards (100)."
    assert (deck["notes"], texts(result)[1:], json.loads(texts(result)[0])) == ([told], [told], deck)
    assert len(owner.made("list_vocab_decks")["data"]) == 1


@pytest.mark.database("both")
def test_a_read_without_limits_omits_its_longest_list(tools: McpEntryPoint, owner_member: Any) -> None:
    from grades.models import GradeScore

    course_id = tools.made("create_course", name="Botany")["id"]
    categories = [{"name": "Quizzes", "weight": 100}]
    [category] = tools.made("set_grade_categories", course_id=course_id, categories=categories)["categories"]
    given = {"category_id": category["id"], "label": "\x01" * 120, "score": 80}
    score = tools.made("add_grade_score", course_id=course_id, **given)
    values: dict[str, Any] = dict(GradeScore.objects.values().get(id=score["id"]))
    bulk.insert(GradeScore, (values | {"id": uuid4()} for _ in range(499)))
    result = result_of(tools, "get_grades", course_id=course_id)
    assert result["isError"] is False
    grades = result["structuredContent"]
    assert grades["current_grade"] == 80
    assert [(one["name"], one["weight"], "scores" in one) for one in grades["categories"]] == [("Quizzes", 100, False)]
    assert texts(result)[1].endswith("so it leaves out: scores (500).")


def test_notes_count_toward_the_limit(tools: McpEntryPoint) -> None:
    """A list is left out if the answer fits only without its notes."""

    def make(count: int, **ignored: Any) -> Any:
        cards = [{"term": f"Term {number}", "definition": "d" * 200} for number in range(100, 100 + count)]
        return result_of(tools, "create_vocab_deck", name="Long", cards=cards, **ignored)

    few, more = (len(texts(make(count))[0]) for count in (100, 110))
    count = 110 + (MOST - more) // ((more - few) // 10)
    [whole] = texts(make(count))
    ignored = {f"zz{number:058}": 1 for number in range(20)}
    noted = make(count, **ignored)
    [text, left_out, names] = texts(noted)
    assert len(whole) <= MOST < len(whole) + len(names)
    assert left_out.endswith(f"so it leaves out: cards ({count}).")
    assert (noted["structuredContent"]["notes"], len(text) < MOST) == ([left_out, names], True)


def test_quiz_me_on_500_cards_needs_less_than_5000_tokens(tools: McpEntryPoint) -> None:
    """Follow the instructions: the due cards, the next ten, and a review of each."""
    cards = [{"term": f"Term {number}", "definition": "A definition as one writes it. " * 5} for number in range(500)]
    made = result_of(tools, "create_vocab_deck", name="Anatomy", cards=cards, include_cards=False)
    read = texts(made)
    read += texts(result_of(tools, "list_vocab_decks"))
    options = {"include_cards": True, "due_only": True, "limit": 10}
    few = result_of(tools, "list_vocab_decks", deck_id=made["structuredContent"]["id"], **options)
    read += texts(few)
    [deck] = few["structuredContent"]["data"]
    assert len(deck["cards"]) == 10
    for card in deck["cards"]:
        read += texts(result_of(tools, "review_vocab_card", card_id=card["id"], rating="good"))
    assert sum(map(len, read)) / TOKEN < 5000


def test_500_cards_at_once_are_rejected_with_an_alternative(tools: McpEntryPoint) -> None:
    deck = made_deck(tools, *(f"Term {number}" for number in range(500)), include_cards=False)
    message = refused(result_of(tools, "list_vocab_decks", deck_id=deck["id"], include_cards=True))
    assert message.endswith("a smaller limit or due_only, for only the due cards.")
