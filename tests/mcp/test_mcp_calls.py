"""Tool calls: the same answers, checks and queries as REST, and failures that an assistant can act on."""

import logging
from typing import Any
from unittest.mock import ANY
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from studyservice.rates import limiter as rates
from tests.support.cases import each
from tests.support.entry_points import McpEntryPoint, RestEntryPoint, read_failure, routes
from tests.support.tools import arguments, mcp_of, neutral, stateless
from tests.support.world import TOOLS, WITH_BODY, WITH_PATH_ID, WRITES, World, body_schema

pytestmark = [
    pytest.mark.database("sqlite", "both entry points call one action; the other one runs on both databases"),
    pytest.mark.django_db,
    pytest.mark.rest,
]

ABSENT = "5b0f3d4e-7c1a-4f8e-9a55-1f6f0f0c2b11"


@pytest.fixture
def tools(owner: RestEntryPoint) -> McpEntryPoint:
    """The owner's tools."""
    return mcp_of(owner)


def text_of(tools: McpEntryPoint, name: str, given: dict[str, Any]) -> str:
    """The text of a call that must fail."""
    result = tools.rpc("tools/call", {"name": name, "arguments": given}).json()["result"]
    assert result["isError"] is True
    [block] = result["content"]
    assert block["type"] == "text"
    return str(block["text"])


@pytest.fixture
def twins(make_member, make_key) -> tuple[World, World]:
    """Two equal members over REST, with the last use of their credentials already written."""
    entry_points = [RestEntryPoint(make_key(make_member(name="Twin"))[0]) for _ in range(2)]
    for entry_point in entry_points:
        entry_point.made("get_me")
    return World.filled(entry_points[0]), World.filled(entry_points[1])


ONE_MORE = {"create_item"}
"""Tools that look for items of the same title and date after the write, for a note."""


@each("name", TOOLS)
def test_the_answer_equals_that_of_rest_with_as_many_queries(twins: tuple[World, World], name: str) -> None:
    answers, queries = [], []
    for world, kind in zip(twins, (RestEntryPoint, McpEntryPoint), strict=True):
        given = arguments(world, name)
        rates.clear()
        with CaptureQueriesContext(connection) as captured:
            answers.append(neutral(kind(world.entry_point.secret).made(name, **given)))
        queries.append([query["sql"].split(" ")[0] for query in captured.captured_queries])
    assert answers[0] == answers[1]
    assert [*queries[0], *(["SELECT"] if name in ONE_MORE else [])] == queries[1]


def test_a_success_is_structured_with_the_same_text(tools: McpEntryPoint) -> None:
    result = tools.rpc("tools/call", {"name": "create_course", "arguments": {"name": "Ökologie"}}).json()["result"]
    assert set(result) == {"content", "structuredContent", "isError", "_meta"}
    assert result["isError"] is False
    assert result["structuredContent"]["name"] == "Ökologie"
    [block] = result["content"]
    assert block["text"].startswith('{"id":"')
    assert '"name":"Ökologie"' in block["text"]


def test_arguments_may_be_missing(tools: McpEntryPoint) -> None:
    assert tools.rpc("tools/call", {"name": "list_courses"}).json()["result"]["structuredContent"]["data"] == []


def test_unknown_arguments_are_ignored_as_rest_ignores_them(tools: McpEntryPoint) -> None:
    """Decisions 4: schemas are published as closed, but unknown fields are accepted."""
    course = tools.made("create_course", name="Botany", colour="green", id=ABSENT)
    assert course["id"] != ABSENT
    assert tools.made("update_course", course_id=course["id"], **course)["name"] == "Botany"


def test_a_failure_names_field_limit_source_type_and_request_id(tools: McpEntryPoint) -> None:
    response = tools.rpc(
        "tools/call", {"name": "get_course", "arguments": {"course_id": "Biology", "include_syllabus": "yes"}}
    )
    result = response.json()["result"]
    assert result["isError"] is True
    [block] = result["content"]
    assert block["text"].split("\n") == [
        "validation_failed: Some arguments are not valid:",
        "- course_id: Must be a UUID.",
        "- include_syllabus: Must be true or false.",
        "Call list_courses for a valid course_id.",
        f"Request id: {response.headers['X-Request-Id']}",
    ]


@each("name", [name for name in WITH_PATH_ID if name in TOOLS])
def test_a_missing_id_names_its_source(tools: McpEntryPoint, name: str) -> None:
    text = text_of(tools, name, {})
    for path_id in routes()[name].path_ids:
        assert f"\n- {path_id}: This field is required.\n" in text
        source = text.partition("\nCall ")[2].partition(f" for a valid {path_id}.")[0]
        assert routes()[source].method == "GET"
        assert path_id not in routes()[source].path_ids


@each("name", [name for name in WITH_PATH_ID if name in TOOLS])
def test_the_id_is_checked_before_the_body(tools: McpEntryPoint, name: str) -> None:
    [path_id] = routes()[name].path_ids
    wrong: dict[str, Any] = dict.fromkeys(body_schema(name)["properties"], {}) if name in WITH_BODY else {}
    malformed = tools.call(name, **wrong, **{path_id: "17"})
    assert (malformed.error, malformed.fields) == ("validation_failed", [path_id])
    assert tools.call(name, **wrong, **{path_id: ABSENT}).error == "not_found"
    if wrong:
        answer = tools.call(name, **wrong, **{path_id: World(tools).id(path_id)})
        assert (answer.error, sorted(answer.fields)) == ("validation_failed", sorted(wrong))


@each("wrong", [None, 17, True, ["x"], {"id": "x"}, "", "not-a-uuid", ABSENT.replace("-", "")])
def test_an_id_is_a_uuid_as_a_string(tools: McpEntryPoint, wrong: Any) -> None:
    answer = tools.call("get_item", item_id=wrong)
    assert (answer.error, answer.fields) == ("validation_failed", ["item_id"])


@each(
    ("name", "field", "wrong", "message"),
    [
        ("get_agenda", "days", "14", "Must be a whole number."),
        ("get_agenda", "days", 14.5, "Must be a whole number."),
        ("get_agenda", "days", True, "Must be a whole number."),
        ("get_agenda", "days", [14], "Must be a whole number."),
        ("get_agenda", "days", 121, "Must be at most 120."),
        ("get_agenda", "days", 10**30, "Must be at most 120."),
        ("list_items", "from", 20260131, "Must be a string."),
        ("list_items", "cursor", 5, "Must be a string."),
        ("list_items", "course_id", {}, "Must be a string."),
        ("list_items", "created_after", 1.5, "Must be a string."),
        ("list_items", "kind", "", "Must not be empty."),
    ],
)
def test_query_arguments_have_strict_json_types(tools, name: str, field: str, wrong: Any, message: str) -> None:
    answer = tools.call(name, **{field: wrong})
    assert answer.body["details"] == [{"field": field, "message": message}]


@each("name", sorted(name for name in TOOLS if routes()[name].method == "GET"))
def test_null_is_not_sent_for_an_optional_argument_of_a_reading_tool(owner: RestEntryPoint, name: str) -> None:
    tools, given = mcp_of(owner), arguments(World.filled(owner), name)
    nulls = dict.fromkeys(routes()[name].query)
    assert neutral(tools.made(name, **given, **nulls)) == neutral(tools.made(name, **given))


def test_a_whole_number_may_have_a_decimal_point(tools: McpEntryPoint) -> None:
    """JSON Schema 2020-12: 3.0 is an integer."""
    agenda = tools.made("get_agenda", days=3.0)
    assert agenda == tools.made("get_agenda", days=3)


def test_every_invalid_argument_is_named_at_once(tools: McpEntryPoint) -> None:
    answer = tools.call("list_items", limit="25", kind="", to="tomorrow", course_id=ABSENT)
    assert sorted(answer.fields) == ["kind", "limit", "to"]


@each("name", sorted(set(TOOLS) - {"get_me"}))
def test_membership_is_checked_before_everything_else(lapsed: RestEntryPoint, name: str) -> None:
    text = text_of(mcp_of(lapsed), name, dict.fromkeys(routes()[name].path_ids, "x"))
    assert text.startswith("membership_required: ")
    assert "get_me works meanwhile" in text


def test_get_me_works_without_membership(lapsed: RestEntryPoint) -> None:
    assert mcp_of(lapsed).made("get_me")["membership"] == {"active": False, "until": None, "renew_url": None}


@each("name", [name for name in WRITES if name in TOOLS])
def test_scope_is_checked_before_the_arguments(reader: RestEntryPoint, name: str) -> None:
    text = text_of(mcp_of(reader), name, {})
    assert text.startswith("insufficient_scope: ")
    assert "allow editing" in text


def test_the_object_is_checked_before_the_body(tools: McpEntryPoint) -> None:
    answer = tools.call("create_item", course_id=ABSENT, title="")
    assert answer.body == {
        "type": "not_found",
        "message": "There is no such course. list_courses gives the ids.",
        "request_id": ANY,
    }


@each("name", [name for name in WITH_PATH_ID if name in TOOLS])
def test_another_members_objects_are_not_found(owner: RestEntryPoint, stranger: RestEntryPoint, name: str) -> None:
    theirs = {path_id: World(owner).id(path_id) for path_id in routes()[name].path_ids}
    given = (World(stranger).body(name) or {}) | theirs
    found, absent = (
        mcp_of(stranger).call(name, **given | ids) for ids in (theirs, dict.fromkeys(theirs, str(uuid4())))
    )
    assert found.error == absent.error == "not_found"
    assert neutral(found.body) == neutral(absent.body)


def test_a_reached_limit_is_a_conflict(tools: McpEntryPoint) -> None:
    for number in range(30):
        tools.made("create_course", name=f"Course {number}")
    assert (
        tools.call("create_course", name="One more")
        .body["message"]
        .startswith("You have reached the limit of 30 courses")
    )


@each("name", ["", "get_mee", "GET_ME", "admit", "run", "__init__", "tools/list"])
def test_an_unknown_tool_is_a_protocol_error(tools: McpEntryPoint, name: str) -> None:
    response = tools.rpc("tools/call", {"name": name, "arguments": {}})
    assert response.status_code == 200
    assert response.json()["error"]["code"] == -32602
    assert "Unknown tool" in response.json()["error"]["message"]


def test_an_unknown_tool_is_400_in_the_stateless_revision(owner: RestEntryPoint) -> None:
    response = owner.request("POST", "/mcp", **stateless("tools/call", {"name": "nothing"}))
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32602)


def test_an_internal_error_reveals_only_its_request_id(tools: McpEntryPoint, caplog: pytest.LogCaptureFixture) -> None:
    """Spec, Errors: generic, without stack trace or query text. The log contains both."""

    def fail(execute, sql, params, many, context):
        if "courses_course" in sql:
            raise RuntimeError("the secret of the database")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(fail), caplog.at_level(logging.ERROR):
        response = tools.rpc("tools/call", {"name": "list_courses"})
    assert response.status_code == 200
    [block] = response.json()["result"]["content"]
    assert read_failure(block["text"]) == {
        "type": "internal_error",
        "message": "Something went wrong on our side. Try again later; if it persists, report the request id.",
        "request_id": response.headers["X-Request-Id"],
    }
    assert "secret" not in response.content.decode()
    assert "the secret of the database" in caplog.text
