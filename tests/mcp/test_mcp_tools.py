"""The tools in `tools/list`: derived from the operations, within the limits of the specification."""

import copy
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Annotated, Any, ClassVar, TypedDict
from uuid import UUID

import jsonschema
import pytest
from django.core.checks import Error, run_checks
from django.test import Client, override_settings
from django.urls import path
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS

from mcpbridge.running import listed as written
from mcpbridge.schemas import sources_of
from mcpbridge.server import INSTRUCTIONS
from mcpbridge.tools import tools
from studyservice.openapi.document import _document
from studyservice.operations.answers import answer
from studyservice.operations.declaration import Scope, operation
from studyservice.operations.fields import StringField
from studyservice.operations.serializers import Body
from studyservice.viewsets import MemberViewSet
from tests import ROOT
from tests.support.cases import each
from tests.support.entry_points import McpEntryPoint, RestEntryPoint, routes
from tests.support.tools import mcp_of
from tests.support.world import TOOLS, body_schema, declared, resolved

pytestmark = [pytest.mark.database("sqlite", "tools are built from declarations"), pytest.mark.rest]

KINDS = ["exam", "quiz", "assignment", "lab", "paper", "project", "other"]


@pytest.fixture(scope="module")
def listed() -> dict[str, Any]:
    """The tools in their wire format, by name."""
    return {
        name: tool.definition.model_dump(mode="json", by_alias=True, exclude_none=True)
        for name, tool in tools().items()
    }


def test_the_list_is_the_operations_on_one_page(owner: RestEntryPoint, listed: dict[str, Any]) -> None:
    result = mcp_of(owner).rpc("tools/list").json()["result"]
    needs = {tool["name"]: tool.pop("securitySchemes") for tool in result["tools"]}
    assert {tool["name"]: tool for tool in result["tools"]} == listed
    assert needs == {name: tool["_meta"]["securitySchemes"] for name, tool in listed.items()}
    assert sorted(listed) == TOOLS, "Add an operation without a tool to REST_ALONE in tests/support/world.py."
    [number] = re.findall(r"there are (\d+) tools", (ROOT / "docs" / "conformance.md").read_text())
    assert len(result["tools"]) == int(number), "Correct the number of tools in docs/conformance.md, rule 2."
    assert "nextCursor" not in result


@each("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_every_revision_gets_the_list(owner: RestEntryPoint, listed: dict[str, Any], version: str) -> None:
    result = mcp_of(owner).rpc("tools/list", headers={"MCP-Protocol-Version": version}).json()["result"]
    assert {tool["name"]: tool.pop("securitySchemes") and tool for tool in result["tools"]} == listed


def test_the_list_is_serialized_once(owner: RestEntryPoint) -> None:
    mcp_of(owner).rpc("tools/list")
    before = written.cache_info()
    mcp_of(owner).rpc("tools/list", {"_meta": {"progressToken": 1}})
    assert written.cache_info() == (before.hits + 1, before.misses, None, before.currsize)


def test_a_read_only_key_and_a_lapsed_member_get_the_same_list(owner, reader, lapsed) -> None:
    lists = [McpEntryPoint(entry_point.secret).rpc("tools/list").json() for entry_point in (owner, reader, lapsed)]
    assert lists[0] == lists[1] == lists[2]


@each("name", TOOLS)
def test_names_titles_and_descriptions_equal_the_operations(listed: dict[str, Any], name: str) -> None:
    tool = listed[name]
    assert re.fullmatch(r"[a-z_]{1,64}", tool["name"])
    assert tool["title"] == declared(name)["summary"]
    assert tool["description"] == declared(name)["description"]
    assert 0 < len(tool["description"]) <= 300


@each("name", TOOLS)
def test_all_four_hints_follow_the_method(listed: dict[str, Any], name: str) -> None:
    """Decisions 10, MCP."""
    method = routes()[name].method
    assert listed[name]["annotations"] == {
        "readOnlyHint": method == "GET",
        "destructiveHint": method == "DELETE" or name == "set_grade_categories",
        "idempotentHint": method in {"GET", "PUT", "PATCH", "DELETE"},
        "openWorldHint": False,
    }


@each("name", TOOLS)
def test_destructive_tools_ask_for_confirmation_and_name_who_can_undo(listed: dict[str, Any], name: str) -> None:
    """Spec, Operation rules: destructive deletions should be confirmed with the member."""
    says = "For 30 days the member can undo it on this site's page /activity"
    description = listed[name]["description"]
    told = [text.lower() in description.lower() for text in (says, "Confirm with the member first.")]
    assert told == [listed[name]["annotations"]["destructiveHint"]] * 2


@each("name", TOOLS)
def test_input_is_one_object_without_references(listed: dict[str, Any], name: str) -> None:
    schema = listed[name]["inputSchema"]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert "$ref" not in str(schema)


@each("name", TOOLS)
def test_input_leaves_the_check_of_names_and_ids_to_the_service(listed: dict[str, Any], name: str) -> None:
    """Clients that check against a schema refuse what the service would take, or explain."""
    for inner in _schemas(listed[name]["inputSchema"]):
        assert "additionalProperties" not in inner
        assert inner.get("format") != "uuid"


@each("name", TOOLS)
def test_every_date_describes_its_form(listed: dict[str, Any], name: str) -> None:
    for field in (field for inner in _objects(listed[name]["inputSchema"]) for field in inner["properties"].values()):
        if any(one.get("format") == "date" for one in (field, *field.get("anyOf", []))):
            assert "YYYY-MM-DD" in field["description"]


@each("name", TOOLS)
def test_every_time_describes_its_form(listed: dict[str, Any], name: str) -> None:
    times = [
        inner["properties"]["due_time"]
        for inner in _objects(listed[name]["inputSchema"])
        if "due_time" in inner["properties"]
    ]
    assert len(times) == {"create_item": 2, "update_item": 2, "create_course": 1}.get(name, 0)
    for field in times:
        assert "HH:MM" in field["description"]
        assert "pattern" not in str(field)


@each("name", TOOLS)
def test_input_has_the_arguments_of_path_query_and_body(listed: dict[str, Any], name: str) -> None:
    schema, route = listed[name]["inputSchema"], routes()[name]
    body = body_schema(name) if "requestBody" in declared(name) else {"properties": {}}
    assert set(schema["properties"]) == route.path_ids | route.query | set(body["properties"])
    assert set(schema.get("required", [])) == route.path_ids | set(body.get("required", []))
    for parameter in declared(name).get("parameters", []):
        if parameter["in"] == "header":
            continue
        source = sources_of(TOOLS).get(parameter["name"])
        described = [] if parameter["in"] == "path" else [parameter["description"]]
        described += [f"From {source}."] if source else []
        expected = {"description": " ".join(described), **copy.deepcopy(parameter["schema"])}
        expected.pop("examples", None)  # an assistant might mistake such an id for a real one
        if expected.get("format") == "date":
            expected["description"] += " YYYY-MM-DD."
        for value in (expected, expected.get("items", {})):
            if value.get("format") in {"double", "uuid"}:  # as all numbers in JSON, and all ids
                value.pop("format")
        if isinstance(expected["type"], list):  # which clients that translate schemas reject
            value = {key: expected[key] for key in expected.keys() - {"description", "type"}}
            branches = [value | {"type": kind} if kind != "null" else {"type": kind} for kind in expected["type"]]
            expected = {"description": expected["description"], "anyOf": branches}
        assert schema["properties"][parameter["name"]] == expected


@each("name", TOOLS)
def test_every_argument_is_described(listed: dict[str, Any], name: str) -> None:
    assert all(field["description"] for field in listed[name]["inputSchema"]["properties"].values())


@each("name", TOOLS)
def test_output_is_one_open_object_without_references(listed: dict[str, Any], name: str) -> None:
    schema = listed[name]["outputSchema"]
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"
    assert "$ref" not in str(schema)
    for inner in _objects(schema):
        assert inner.get("additionalProperties", True) is True


@each("name", TOOLS)
def test_output_has_the_fields_of_rest(listed: dict[str, Any], name: str) -> None:
    """Every field at every depth, with its types and the values of a closed enum. Those of a record are listed once."""
    content = declared(name)["responses"][str(routes()[name].success)]["content"]
    found, expected = _fields(listed[name]["outputSchema"]), _fields(content["application/json"]["schema"])
    assert found <= expected
    known = {(place.rpartition(".")[2], kind) for place, kind in found}
    for place, kind in expected - found:
        record, _, field = place.rpartition(".")
        assert not [other for other, _ in found if other.startswith(f"{record}.")], f"{place} is missing"
        assert (field, kind) in known


def test_the_items_of_an_answer_like_its_first_are_plain_objects(listed: dict[str, Any]) -> None:
    entries = {"type": "array", "items": {"type": "object"}}
    for name, field in (("create_item", "items"), ("update_item", "items"), ("create_milestone", "milestones")):
        assert listed[name]["outputSchema"]["properties"][field] == entries
    agenda = listed["get_agenda"]["outputSchema"]["properties"]
    assert "due_on" in agenda["items"]["items"]["properties"]
    assert agenda["missed"] == entries


def test_texts_do_not_mention_http(owner: RestEntryPoint, listed: dict[str, Any]) -> None:
    tools = mcp_of(owner)
    many = [{"term": "", "definition": ""}] * 200
    calls = [("get_course", {}), ("create_course", {}), ("create_vocab_deck", {"name": "Cells", "cards": many})]
    told = [tools.rpc("tools/call", {"name": name, "arguments": given}).content.decode() for name, given in calls]
    listed_texts = re.sub(r"'maximum': \d+", "", str(listed))
    for text in [INSTRUCTIONS, listed_texts, *told]:
        assert not re.search(r"\bHTTP|[Ss]ee details|\bbody\b|\bheader|\bstatus \d|\b4\d\d\b", text)


def test_the_server_has_an_icon_served_by_this_service(owner: RestEntryPoint) -> None:
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    [icon] = mcp_of(owner).rpc("initialize", params).json()["result"]["serverInfo"]["icons"]
    base = "http://127.0.0.1:8000"
    assert (icon["src"].startswith(f"{base}/"), icon["mimeType"]) == (True, "image/svg+xml")
    served = Client().get(icon["src"].removeprefix(base))
    assert (served.status_code, served.headers["Content-Type"]) == (200, "image/svg+xml")
    served.close()


def test_a_kind_may_be_unknown(listed: dict[str, Any]) -> None:
    assert listed["get_item"]["outputSchema"]["properties"]["kind"] == {"type": "string"}
    assert listed["create_item"]["inputSchema"]["properties"]["kind"]["enum"] == KINDS


def test_the_instructions_name_only_existing_tools() -> None:
    named = set(re.findall(r"\b(?:get|list|create|update|delete|set|add|review)_[a-z_]+[a-z]\b", INSTRUCTIONS))
    assert {"get_me", "get_agenda", "set_grade_categories"} <= named
    assert named <= set(TOOLS)


def test_every_id_has_a_reading_source_without_that_id(listed: dict[str, Any]) -> None:
    taken = {name for tool in listed.values() for name in _properties(tool["inputSchema"]) if name.endswith("_id")}
    sources = {name: source for name, source in sources_of(listed).items() if name in taken}
    without = taken - sources.keys() - {"syllabus_id"}  # uploads are created over REST or on a page, which shows the id
    assert not without, f"Name the tools that return these ids in mcpbridge/schemas.py: {without}"
    for name, source in sources.items():
        assert listed[source]["annotations"]["readOnlyHint"]
        assert name not in routes()[source].path_ids


def _fields(schema: Any, path: str = "") -> set[tuple[str, str]]:
    """Path and type of every value in `schema`, with the values of closed enums."""
    schema = resolved(schema)
    branches = schema.get("anyOf", schema.get("oneOf", []))
    if {"type": "string"} in branches:
        return {(path, "string")}
    types = schema.get("type", [])
    found = {(path, kind) for kind in ([types] if isinstance(types, str) else types)}
    found |= {(path, value) for value in schema.get("enum", [])}
    inner = [(path, branch) for branch in branches]
    inner += [(f"{path}[]", schema["items"])] if "items" in schema else []
    inner += [(f"{path}.{name}", field) for name, field in schema.get("properties", {}).items()]
    return found.union(*(_fields(one, where) for where, one in inner))


def _properties(schema: Any) -> set[str]:
    """The names of all properties of the object schemas in `schema`."""
    return {name for inner in [schema, *_objects(schema)] for name in inner["properties"]}


def _schemas(schema: Any) -> list[Any]:
    """Every schema in `schema`, which may be a list of some."""
    if isinstance(schema, list):
        return [found for inner in schema for found in _schemas(inner)]
    return [schema, *_schemas(list(schema.values()))] if isinstance(schema, dict) else []


def _objects(schema: Any) -> list[Any]:
    """Every object schema in `schema`."""
    if isinstance(schema, list):
        return [found for inner in schema for found in _objects(inner)]
    if not isinstance(schema, dict):
        return []
    found = [found for inner in schema.values() for found in _objects(inner)]
    return [schema, *found] if "properties" in schema and schema.get("type") == "object" else found


class NameBody(Body):
    example: ClassVar[dict[str, Any]] = {"thing_id": "x"}

    thing_id = StringField(help_text="Collides with the path.")


@answer(id="x")
class PlainRow(TypedDict):
    """A thing."""

    id: Annotated[str, "An id."]


class ThingViewSet(MemberViewSet):
    """Operations that break a limit."""

    tag = "Things"

    @operation("Collide", scope=Scope.WRITE, answer=PlainRow, body=NameBody)
    def collide(self, thing_id: UUID) -> Any:
        """One name for two parameters."""

    @operation("", scope=Scope.READ, answer=PlainRow)
    def untitled(self) -> Any:
        """An operation without a title."""

    @operation("Fine", scope=Scope.READ, answer=PlainRow)
    def fine(self) -> Any:
        """An ordinary operation."""


@pytest.fixture
def made_anew() -> Iterator[None]:
    """Rebuild the tools for this test, and again afterwards."""
    for made_once in (tools, _document):
        made_once.cache_clear()
    yield
    for made_once in (tools, _document):
        made_once.cache_clear()


@pytest.mark.parametrize(
    ("routed", "complaint"),
    [
        (
            [path("v1/things/<thing_id>", ThingViewSet.as_view({"post": "collide"}))],
            "two parameters are named thing_id",
        ),
        ([path("v1/things", ThingViewSet.as_view({"get": "untitled"}))], "there is no title"),
        ([path(f"v1/{n}", ThingViewSet.as_view({"get": "fine"})) for n in "ab"], "two operations have this name"),
    ],
)
def test_start_fails_if_a_tool_exceeds_a_limit(made_anew: None, routed: list[Any], complaint: str) -> None:
    urls = ModuleType("urls")
    vars(urls)["urlpatterns"] = routed
    with override_settings(ROOT_URLCONF=urls):
        [error] = [error for error in run_checks() if error.id == "mcpbridge.E001"]
    assert isinstance(error, Error)
    assert complaint in error.msg
