"""Random messages, and random arguments for each tool that match or violate its schema, cause no internal error."""

import json
from collections.abc import Callable
from datetime import timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpbridge.prompts import PROMPTS
from mcpbridge.tools import tools
from studyservice.rates import limiter as rates
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint, read_failure, routes
from tests.support.properties import examples
from tests.support.tools import STATELESS, VERSIONS, stateless
from tests.support.world import TOOLS, World

pytestmark = [
    pytest.mark.rest,
    pytest.mark.database(
        "sqlite", "how messages and arguments are read; the actions behind them are tested on both databases"
    ),
]

FUZZ = examples(25, database=None)

BEYOND_A_SCHEMA = (
    "There is no such",
    "Needs a date.",
    "Is not a c",
    "Not a category of this course",
    "Not an item of this course",
    "Not a name of grade_categories.",
    "Two of grade_categories have this name.",
    "Plans are made for exams and quizzes",
    "The categories of a new course have no ids yet",
    "Is needed with for_item.",
    "Needs for_item",
    "Answers today's cards of all decks",
    "Must not be sent together with created_after.",
    " for this item.",
    "There are ",
    "reached the limit of",
    "Must not be empty.",
    "Null characters are not allowed.",
    "Use the next_cursor of the previous page",
    "Needed where no card_id is sent.",
    "Needs deck_id",
    "Needs minutes_a_day",
    "Needs if_exists merge.",
    "Not one of your items.",
    "Not one of your courses.",
    "Needs include_cards.",
    "whose cards have an order of their own.",
    "Not a card of this deck.",
    "Send one entry for each item.",
    "Needs include_syllabus.",
    "Must be a day from",
    "Must be a time written HH:MM",
    "Needs a date. Send due_on too, or leave due_time out.",
    "Send a percent, or points and out_of.",
    "Must be sent with ",
    "Must be over 0.",
    " percent of out_of.",
    "The points are ",
)
"""Reasons for rejecting arguments that match the schema."""

texts = st.text(st.characters(), max_size=20)  # including lone surrogates
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12
)
methods = st.sampled_from(
    [
        *("initialize", "ping", "server/discover", "notifications/cancelled"),
        *("tools/list", "tools/call", "prompts/list", "prompts/get", "completion/complete"),
    ]
)
prompts = st.sampled_from(sorted(PROMPTS))
prompt_arguments = st.sampled_from(["course", "deck"])
envelopes = st.fixed_dictionaries(
    {},
    optional={
        "io.modelcontextprotocol/protocolVersion": st.sampled_from([STATELESS, "2025-11-25"]) | values,
        "io.modelcontextprotocol/clientInfo": values,
        "io.modelcontextprotocol/clientCapabilities": st.just({}) | values,
        "progressToken": values,
    },
)
parameters = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(TOOLS) | prompts | values,
        "arguments": st.dictionaries(texts | prompt_arguments, texts | values, max_size=3) | values,
        "ref": st.fixed_dictionaries({"type": st.just("ref/prompt"), "name": prompts | texts}) | values,
        "argument": st.fixed_dictionaries({"name": prompt_arguments | texts, "value": texts}) | values,
        "protocolVersion": st.sampled_from(VERSIONS) | values,
        "capabilities": st.just({}) | values,
        "clientInfo": st.just({"name": "x", "version": "1"}) | values,
        "cursor": values,
        "_meta": envelopes | values,
    },
)
messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | values,
        "id": st.integers() | texts | values,
        "method": methods | values,
        "params": parameters | values,
        "result": values,
        "error": values,
    },
)
headers = st.fixed_dictionaries(
    {},
    optional={
        "MCP-Protocol-Version": st.sampled_from([*VERSIONS, STATELESS, "2024-11-05", "x", "\xff"]),
        "Mcp-Method": methods,
        "Mcp-Name": st.sampled_from([*TOOLS, "=?base64?!?=", "=?base64?/w==?="]),
        "Accept": st.sampled_from(["application/json", "*/*", "text/plain;q=x", ";", "application/json;q=0"]),
    },
)


def sound(response: Any) -> Any:
    """The body of an answer, after checking that it is not an internal error."""
    assert response.status_code < 500, response.content
    assert '"type":"internal_error"' not in response.content.decode()
    assert "internal_error: " not in response.content.decode()
    return json.loads(response.content) if response.content else None


@examples(250, database=None)
@given(message=messages | st.lists(messages, max_size=3) | values, headers=headers)
def test_random_messages_cause_no_internal_error(owner: RestEntryPoint, message: Any, headers: dict[str, str]) -> None:
    rates.clear()
    response = owner.request("POST", "/mcp", data=json.dumps(message), content_type="application/json", headers=headers)
    sound(response)


@examples(100, database=None)
@given(name=prompts, argument=prompt_arguments, text=texts)
def test_random_names_cause_no_internal_error(owner: RestEntryPoint, name: str, argument: str, text: str) -> None:
    rates.clear()
    ref = {"type": "ref/prompt", "name": name}
    completed = {"ref": ref, "argument": {"name": argument, "value": text}}
    sound(owner.request("POST", "/mcp", **stateless("completion/complete", completed)))
    sound(owner.request("POST", "/mcp", **stateless("prompts/get", {"name": name, "arguments": {argument: text}})))


@FUZZ
@given(raw=st.binary(max_size=200))
def test_random_bytes_cause_no_internal_error(owner: RestEntryPoint, raw: bytes) -> None:
    rates.clear()
    sound(owner.request("POST", "/mcp", data=raw, content_type="application/json"))


def fitting(schema: Any) -> st.SearchStrategy[Any]:
    """Values for the kinds of schemas that tools have. Any other kind fails the test."""
    if "HH:MM" in schema.get("description", ""):  # tools leave out the pattern
        return st.none() | st.times().map("{:%H:%M}".format)
    if "anyOf" in schema:
        return st.one_of(*map(fitting, schema["anyOf"]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "format" in schema and schema["type"] == "string":
        return FORMATS[schema["format"]]
    if schema["type"] == "string" and "maxLength" not in schema:  # an id
        return FORMATS["uuid"]
    return KINDS[schema["type"]](schema)


def _object(schema: Any) -> st.SearchStrategy[Any]:
    members = {name: fitting(inner) for name, inner in schema["properties"].items()}
    required = set(schema.get("required", []))
    optional = {name: member for name, member in members.items() if name not in required}
    return st.fixed_dictionaries({name: members[name] for name in required}, optional=optional)


def _string(schema: Any) -> st.SearchStrategy[str]:
    longest = schema["maxLength"]
    written = st.text(min_size=schema.get("minLength", 0), max_size=min(longest, 30))
    return written | st.just("\U0001f4d6" * longest)


def _number(schema: Any) -> st.SearchStrategy[float]:
    limits = schema["minimum"], schema["maximum"]
    return st.integers(*limits) | st.floats(*limits)


def _array(schema: Any) -> st.SearchStrategy[list[Any]]:
    least = schema.get("minItems", 0)
    return st.lists(fitting(schema["items"]), min_size=least, max_size=min(schema["maxItems"], 13))


offsets = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
FORMATS: dict[str, st.SearchStrategy[str]] = {
    "uuid": st.uuids().map(str),
    "date": st.dates().map(str),
    "date-time": st.datetimes(timezones=offsets).map(lambda time: time.isoformat()),
}
KINDS: dict[str, Callable[[Any], st.SearchStrategy[Any]]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "number": _number,
    "integer": lambda schema: st.integers(schema["minimum"], schema.get("maximum")),
    "boolean": lambda _: st.booleans(),
    "null": lambda _: st.none(),
}


def _known_ids(world: World, name: str) -> st.SearchStrategy[dict[str, str]]:
    """Use ids of existing objects in some examples, so that the rest of the action runs."""
    ids = {path_id: world.id(path_id) for path_id in sorted(routes()[name].path_ids)}
    return st.sampled_from([{}, ids]) if ids else st.just({})


def _called(owner: RestEntryPoint, name: str, arguments: Any) -> Any:
    rates.clear()
    return sound(owner.request("POST", "/mcp", **stateless("tools/call", {"name": name, "arguments": arguments})))


@each("name", TOOLS)
def test_arguments_that_match_the_schema_are_understood(owner: RestEntryPoint, name: str) -> None:
    """Errors are only due to rules that no schema expresses: unknown ids, blank texts, count limits."""
    schema, ids = tools()[name].definition.input_schema, _known_ids(World(owner), name)

    @FUZZ
    @given(arguments=fitting(schema), known=ids)
    def check(arguments: Any, known: dict[str, str]) -> None:
        result = _called(owner, name, arguments | known)["result"]
        if result["isError"]:
            error = read_failure(result["content"][0]["text"])
            said = [detail["message"] for detail in error.get("details", [])] or [error["message"]]
            assert all(any(reason in message for reason in BEYOND_A_SCHEMA) for message in said), (arguments, error)

    check()


@each("name", TOOLS)
def test_arguments_that_violate_the_schema_cause_no_internal_error(owner: RestEntryPoint, name: str) -> None:
    fields = tools()[name].definition.input_schema["properties"]
    given_fields = st.fixed_dictionaries({}, optional=dict.fromkeys(fields, values) | {"unheard_of": values})

    @FUZZ
    @given(arguments=given_fields, known=_known_ids(World(owner), name))
    def check(arguments: Any, known: dict[str, str]) -> None:
        _called(owner, name, arguments | known)

    check()
