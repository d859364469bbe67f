"""completion/complete: possible names for the argument of a prompt."""

from typing import Any, cast

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.cases import each
from tests.support.entry_points import McpEntryPoint, RestEntryPoint
from tests.support.factories import CourseFactory, DeckFactory, stored
from tests.support.tools import STATELESS, VERSIONS, mcp_of, stateless

pytestmark = [pytest.mark.rest, pytest.mark.same_statements]


def asked(prompt: str, argument: str, part: str) -> dict[str, Any]:
    """The parameters of a request."""
    return {"ref": {"type": "ref/prompt", "name": prompt}, "argument": {"name": argument, "value": part}}


def completion(entry_point: RestEntryPoint, prompt: str, argument: str, part: str = "") -> dict[str, Any]:
    """The completion object."""
    found: dict[str, Any] = (
        mcp_of(entry_point).rpc("completion/complete", asked(prompt, argument, part)).json()["result"]
    )
    return dict(found["completion"])


def values(entry_point: RestEntryPoint, prompt: str, argument: str, part: str = "") -> list[str]:
    """The offered values."""
    return list(completion(entry_point, prompt, argument, part)["values"])


def course(entry_point: RestEntryPoint, name: str, **fields: str) -> None:
    entry_point.made("create_course", name=name, **fields)


def deck(entry_point: RestEntryPoint, name: str, **fields: Any) -> None:
    entry_point.made("create_vocab_deck", name=name, cards=[{"term": "a", "definition": "b"}], **fields)


@each("prompt", ["plan_week", "exam_check", "enter_syllabus"])
def test_it_offers_the_members_courses(owner: RestEntryPoint, stranger: RestEntryPoint, prompt: str) -> None:
    for name in ("Cell Biology", "Botany"):
        course(owner, name)
    course(stranger, "Latin")
    assert completion(owner, prompt, "course") == {"values": ["Cell Biology", "Botany"], "total": 2, "hasMore": False}


def test_it_offers_the_members_decks(owner: RestEntryPoint, stranger: RestEntryPoint) -> None:
    deck(owner, "Organelles")
    deck(stranger, "Verbs")
    assert values(owner, "quiz_me", "deck") == ["Organelles"]


@each(
    ("part", "found"),
    [
        ("b", ["Botany", "Cell Biology", "ÖBB law"]),
        ("BIO", ["Cell Biology"]),
        ("öb", ["ÖBB law"]),
        ("o\u0308b", ["ÖBB law"]),
        (" cell ", ["Cell Biology"]),
        ("x", []),
        ("cell biology and more", []),
        ("\ud800", []),
        ("b" * 300_000, []),
    ],
)
def test_a_part_matches_in_any_case_with_beginnings_first(owner: RestEntryPoint, part: str, found: Any) -> None:
    for name in ("Cell Biology", "ÖBB law", "Botany"):
        course(owner, name)
    assert sorted(values(owner, "plan_week", "course", part)) == sorted(found)
    assert values(owner, "plan_week", "course", part)[:1] == found[:1]


def test_courses_with_equal_names_have_their_code_or_term_in_brackets(owner: RestEntryPoint) -> None:
    course(owner, "Biology", code="BIO 1", term="Fall")
    course(owner, "biology", code="BIO 2", term="Fall")
    course(owner, "Latin", code="LAT", term="Fall")
    course(owner, "Latin", code="LAT", term="Spring")
    course(owner, "Art")
    course(owner, "Art")
    course(owner, "Botany", code="BOT")
    assert values(owner, "plan_week", "course") == [
        "Biology (BIO 1)",
        "biology (BIO 2)",
        "Latin (Fall)",
        "Latin (Spring)",
        "Art (1)",
        "Art (2)",
        "Botany",
    ]


def test_decks_with_equal_names_have_their_course_in_brackets(owner: RestEntryPoint) -> None:
    first, second = (owner.made("create_course", name=name)["id"] for name in ("Cell Biology", "Botany"))
    deck(owner, "Terms", course_id=first)
    deck(owner, "Terms", course_id=second)
    deck(owner, "Terms")
    assert values(owner, "quiz_me", "deck") == ["Terms (Cell Biology)", "Terms (Botany)", "Terms (1)"]


def test_each_value_is_unique_and_identifies_its_object(owner: RestEntryPoint) -> None:
    course(owner, "Bio (X)")
    course(owner, "Bio", code="X")
    course(owner, "Bio", code="Y")
    offered = values(owner, "plan_week", "course")
    texts = {
        mcp_of(owner)
        .rpc("prompts/get", {"name": "plan_week", "arguments": {"course": value}})
        .json()["result"]["messages"][0]["content"]["text"]
        for value in offered
    }
    assert len(texts) == len(offered) == 3


def test_it_offers_at_most_a_hundred(owner: RestEntryPoint, owner_member) -> None:
    stored(DeckFactory, 130, member=owner_member, course=None)
    found = completion(owner, "quiz_me", "deck")
    assert (len(found["values"]), found["total"], found["hasMore"]) == (100, 130, True)


@each(
    "params",
    [
        asked("nonsense", "course", ""),
        asked("\ud800", "course", ""),
        asked("plan_week", "deck", ""),
        asked("plan_week", "", ""),
        asked("plan_week", "course", cast("str", 5)),  # sent by some clients
        {"ref": {"type": "ref/resource", "uri": "x://{y}"}, "argument": {"name": "y", "value": ""}},
        {"ref": {"type": "ref/prompt", "name": "plan_week"}},
        {},
    ],
)
def test_a_request_that_cannot_be_completed_is_rejected(owner: RestEntryPoint, params: Any) -> None:
    response = mcp_of(owner).rpc("completion/complete", params)
    assert (response.status_code, response.json()["error"]["code"]) == (200, -32602)


def test_a_lapsed_member_is_rejected(lapsed: RestEntryPoint) -> None:
    error = mcp_of(lapsed).rpc("completion/complete", asked("quiz_me", "deck", "")).json()["error"]
    assert (error["code"], error["message"].partition(":")[0]) == (-32010, "membership_required")


def test_a_read_only_key_can_request_completions(owner: RestEntryPoint, reader: RestEntryPoint) -> None:
    course(owner, "Botany")
    assert values(reader, "plan_week", "course") == ["Botany"]


def test_ended_courses_and_their_decks_are_not_offered(owner: RestEntryPoint) -> None:
    ended = owner.made("create_course", name="Botany")
    deck(owner, "Leaves", course_id=ended["id"])
    deck(owner, "Stems")
    course(owner, "Zoology")
    owner.made("update_course", course_id=ended["id"], archived=True)
    assert values(owner, "plan_week", "course") == ["Zoology"]
    assert values(owner, "quiz_me", "deck") == ["Stems"]


def test_an_ended_course_leaves_its_name_to_the_next_one(owner: RestEntryPoint) -> None:
    ended = owner.made("create_course", name="Botany", code="BOT 1")
    owner.made("update_course", course_id=ended["id"], archived=True)
    course(owner, "Botany", code="BOT 2")
    assert values(owner, "plan_week", "course") == ["Botany"]


def test_each_request_counts(owner: RestEntryPoint) -> None:
    entry_point = mcp_of(owner)
    rests = [
        int(entry_point.rpc("completion/complete", asked("plan_week", "course", "")).headers["RateLimit-Remaining"])
        for _ in range(2)
    ]
    assert rests[0] - rests[1] == 1


@each(("prompt", "argument", "most"), [("plan_week", "course", 2), ("quiz_me", "deck", 3)])
def test_the_number_of_queries_is_independent_of_the_data(owner, owner_member, prompt, argument, most) -> None:
    """Including the credential's."""
    stored(CourseFactory, 30, member=owner_member)
    stored(DeckFactory, 100, member=owner_member, course=None)
    owner.made("get_me")
    with CaptureQueriesContext(connection) as queries:
        completion(owner, prompt, argument)
    assert len(queries) == most


@each("version", [*VERSIONS, STATELESS])
def test_every_revision_supports_completion(owner: RestEntryPoint, version: str) -> None:
    course(owner, "Botany")
    params = asked("plan_week", "course", "bot")
    if version == STATELESS:
        response = owner.request("POST", "/mcp", **stateless("completion/complete", params))
    else:
        message = {"jsonrpc": "2.0", "id": 1, "method": "completion/complete", "params": params}
        response = McpEntryPoint(owner.secret).request(
            "POST", "/mcp", json=message, headers={"MCP-Protocol-Version": version}
        )
    assert response.json()["result"]["completion"]["values"] == ["Botany"]
