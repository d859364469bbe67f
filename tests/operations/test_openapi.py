"""/openapi.json: valid, complete, and consistent with the specification."""

import json
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import jsonschema
import pytest
from django.test import Client
from openapi_spec_validator import OpenAPIV31SpecValidator

from tests.support.cases import each
from tests.support.entry_points import document, routes
from tests.support.world import DOWNLOADS, OPERATIONS, TOOLS, Call, body_schema, declared, resolved

pytestmark = pytest.mark.database("sqlite", "the description is built from declarations")

SPECIFIED = {
    "get_me": ("GET", "/v1/me", "read", 200),
    "get_agenda": ("GET", "/v1/agenda", "read", 200),
    "list_courses": ("GET", "/v1/courses", "read", 200),
    "create_course": ("POST", "/v1/courses", "write", 201),
    "get_course": ("GET", "/v1/courses/{course_id}", "read", 200),
    "update_course": ("PATCH", "/v1/courses/{course_id}", "write", 200),
    "delete_course": ("DELETE", "/v1/courses/{course_id}", "write", 200),
    "list_items": ("GET", "/v1/items", "read", 200),
    "get_item": ("GET", "/v1/items/{item_id}", "read", 200),
    "update_item": ("PATCH", "/v1/items/{item_id}", "write", 200),
    "delete_item": ("DELETE", "/v1/items/{item_id}", "write", 200),
    "create_item": ("POST", "/v1/courses/{course_id}/items", "write", 201),
    "list_milestones": ("GET", "/v1/items/{item_id}/milestones", "read", 200),
    "create_milestone": ("POST", "/v1/items/{item_id}/milestones", "write", 201),
    "update_milestone": ("PATCH", "/v1/milestones/{milestone_id}", "write", 200),
    "delete_milestone": ("DELETE", "/v1/milestones/{milestone_id}", "write", 200),
    "get_grades": ("GET", "/v1/courses/{course_id}/grades", "read", 200),
    "set_grade_categories": ("PUT", "/v1/courses/{course_id}/grade-categories", "write", 200),
    "add_grade_score": ("POST", "/v1/courses/{course_id}/grade-scores", "write", 201),
    "delete_grade_score": ("DELETE", "/v1/grade-scores/{score_id}", "write", 200),
    "get_practice_stats": ("GET", "/v1/practice/stats", "read", 200),
    "list_vocab_decks": ("GET", "/v1/vocab-decks", "read", 200),
    "create_vocab_deck": ("POST", "/v1/vocab-decks", "write", 201),
    "delete_vocab_deck": ("DELETE", "/v1/vocab-decks/{deck_id}", "write", 200),
    "review_vocab_card": ("POST", "/v1/vocab-cards/{card_id}/reviews", "write", 201),
}
"""Spec, Operations; the last seven as decisions 7 and 9 complete them."""

ALSO_SPECIFIED = {
    400: {
        "create_course",
        "update_course",
        "list_items",
        "update_item",
        "create_item",
        "create_milestone",
        "update_milestone",
        "set_grade_categories",
    },
    409: {"create_course", "create_milestone"},
    422: {
        "get_agenda",
        "create_course",
        "get_course",
        "update_course",
        "delete_course",
        "list_items",
        "get_item",
        "update_item",
        "delete_item",
        "create_item",
        "list_milestones",
        "create_milestone",
        "update_milestone",
        "delete_milestone",
        "get_grades",
        "set_grade_categories",
    },
}
"""Spec, Operation rules: statuses by operation."""

EXTRA_HEADERS = {
    "429": {"Retry-After"},
    "409": {"Retry-After"},
    "401": {"WWW-Authenticate"},
    "403": {"WWW-Authenticate"},
}
"""By status, in addition to those of every answer."""

COMMON = {401, 403, 429, 500}
"""Spec, Conventions 7."""


def nodes(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every object in the document with its path."""
    if isinstance(value, dict):
        yield path, value
        for name, inner in value.items():
            yield from nodes(inner, f"{path}/{name}")
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from nodes(inner, f"{path}/{index}")


def validator(schema: Any) -> jsonschema.Draft202012Validator:
    """Validates values against a schema of the document, including formats."""
    whole = schema | {"components": document()["components"]}
    return jsonschema.Draft202012Validator(whole, format_checker=jsonschema.FormatChecker())


def statuses(operation_id: str) -> set[int]:
    return {int(code) for code in declared(operation_id)["responses"]}


def test_the_first_requests_at_once_wait_for_one_description(
    monkeypatch: pytest.MonkeyPatch, in_threads: Callable[..., list[Any]]
) -> None:
    built: list[str] = []

    @cache
    def build(_only_tools: bool) -> dict[str, Any]:
        built.append("once")
        time.sleep(0.05)
        return {"openapi": "3.1.0"}

    monkeypatch.setattr("studyservice.openapi.document._document", build)
    answers = in_threads(lambda _: Client().get("/openapi.json").json(), list(range(4)))
    assert answers == [{"openapi": "3.1.0"}] * 4
    assert built == ["once"]


def test_it_is_served_as_json() -> None:
    response = Call("GET", "/openapi.json").send()
    assert (response.status_code, response.headers["Content-Type"]) == (200, "application/json")
    assert "Set-Cookie" not in response.headers


def test_it_is_valid_openapi_3_1() -> None:
    assert document()["openapi"].startswith("3.1.")
    assert [error.message for error in OpenAPIV31SpecValidator(document()).iter_errors()] == []


@pytest.fixture
def of_tools() -> Any:
    """The description of the tools' operations."""
    return Client().get("/openapi.json?only=tools").json()


def test_the_operations_of_the_tools_are_described_alone(of_tools: Any) -> None:
    """GPT Actions take 30 operations."""
    told = {entry["operationId"]: entry for path in of_tools["paths"].values() for entry in path.values()}
    assert told == {name: declared(name) for name in TOOLS}
    assert {name: of_tools[name] for name in ("openapi", "info", "servers")} == {
        name: document()[name] for name in ("openapi", "info", "servers")
    }


def test_the_description_of_tools_is_valid_and_has_nothing_else(of_tools: Any) -> None:
    assert [error.message for error in OpenAPIV31SpecValidator(of_tools).iter_errors()] == []
    text = json.dumps(of_tools)
    for kind in ("schemas", "responses", "headers"):
        for name, component in of_tools["components"][kind].items():
            assert component == document()["components"][kind][name]
            assert f'"#/components/{kind}/{name}"' in text, name
    used = {tag for path in of_tools["paths"].values() for entry in path.values() for tag in entry["tags"]}
    assert {tag["name"] for tag in of_tools["tags"]} == used


@each("query", ["only=", "only=tool", "only=tools,", "only=rest", "other=tools"])
def test_another_selection_is_the_whole_description(query: str) -> None:
    assert Client().get(f"/openapi.json?{query}").json() == document()


def test_its_version_is_that_of_the_specification() -> None:
    """Spec, Versioning 4."""
    assert document()["info"]["version"] == "1.0.0"
    assert document()["info"]["title"]
    assert document()["info"]["description"]


def test_it_promises_no_webhooks() -> None:
    """Spec, Events: the service sends none."""
    assert "webhooks" not in document()
    assert [path for path, node in nodes(document()) if "callbacks" in node] == []


def test_it_warns_that_kinds_may_be_added() -> None:
    """Spec, Item and Versioning 2: clients must tolerate unknown kinds."""
    kind = document()["components"]["schemas"]["Item"]["properties"]["kind"]
    assert "new kinds may be added" in kind["description"]
    assert kind["$ref"] == "#/components/schemas/ItemKind"
    closed, open_ = resolved(kind)["anyOf"]
    assert (closed["enum"][0], open_) == ("exam", {"type": "string"})
    assert body_schema("create_item")["properties"]["kind"]["enum"] == closed["enum"], "the input schema stays closed"


def test_it_names_this_server() -> None:
    assert document()["servers"] == [{"url": "http://127.0.0.1:8000"}]


@each("operation_id", SPECIFIED)
def test_a_specified_operation_has_its_method_and_path(operation_id: str) -> None:
    route = routes()[operation_id]
    [scope] = [scheme["oauth2"][0] for scheme in declared(operation_id)["security"] if "oauth2" in scheme]
    assert (route.method, route.path, scope, route.success) == SPECIFIED[operation_id]


def test_every_path_begins_with_the_version() -> None:
    """Spec, Conventions 1 and Versioning 1."""
    assert [path for path in document()["paths"] if not path.startswith("/v1/")] == []


def test_ids_dates_and_times_declare_their_format() -> None:
    """Spec, Common shapes. The published examples and the answers to them are validated against these formats."""
    days = {"today", "until", "on", "date"}
    ends = {"_id": "uuid", "_on": "date", "_at": "date-time"}
    properties = [
        (f"{name}.{field}", field, property_)
        for name, schema in document()["components"]["schemas"].items()
        for field, property_ in schema.get("properties", {}).items()
        if field != "request_id"
    ]
    expected = {
        place: "uuid" if field == "id" else "date" if field in days else ends[field[-3:]]
        for place, field, _ in properties
        if field == "id" or field in days or field[-3:] in ends
    }
    assert {place: property_.get("format") for place, _, property_ in properties if place in expected} == expected
    assert set(expected.values()) == {"uuid", "date", "date-time"}


@each("operation_id", OPERATIONS)
def test_an_operation_has_a_title_and_a_description(operation_id: str) -> None:
    """Spec, rule 2 and Limits: names of at most 64 characters, descriptions of at most 300."""
    operation = declared(operation_id)
    assert len(operation_id) <= 64
    assert 0 < len(operation["summary"]) <= 60
    assert 0 < len(operation["description"]) <= 300


@each("operation_id", OPERATIONS)
def test_an_operation_has_exactly_one_described_tag(operation_id: str) -> None:
    [tag] = declared(operation_id)["tags"]
    assert [known["description"] != "" for known in document()["tags"] if known["name"] == tag] == [True]


def test_every_tag_is_used() -> None:
    used = {tag for name in OPERATIONS for tag in declared(name)["tags"]}
    assert {tag["name"] for tag in document()["tags"]} == used


@each("operation_id", OPERATIONS)
def test_a_parameter_is_described(operation_id: str) -> None:
    for parameter in declared(operation_id).get("parameters", []):
        assert parameter["description"], parameter["name"]
        assert parameter["in"] in {"path", "query", "header"}
        assert parameter.get("required", False) == (parameter["in"] == "path")


@each("operation_id", OPERATIONS)
def test_a_parameter_has_valid_examples(operation_id: str) -> None:
    """An example of an opaque text would mislead."""
    for parameter in declared(operation_id).get("parameters", []):
        examples = parameter["schema"].get("examples", [])
        assert bool(examples) == (parameter["name"] != "cursor"), parameter["name"]
        for example in examples:
            validator(parameter["schema"]).validate(example)


def test_every_schema_and_property_is_described() -> None:
    schemas = document()["components"]["schemas"]
    nameless = [
        f"{name}.{field}"
        for name, schema in schemas.items()
        for field, property_ in {"": schema, **schema.get("properties", {})}.items()
        if not property_.get("description")
    ]
    assert nameless == []


def test_no_description_mentions_internal_documents() -> None:
    texts = [node["description"] for _, node in nodes(document()) if isinstance(node.get("description"), str)]
    assert [text for text in texts if "spec," in text.lower() or "decision" in text.lower()] == []


@each("name", sorted(document()["components"]["schemas"]))
def test_a_schema_has_valid_examples(name: str) -> None:
    schema = document()["components"]["schemas"][name]
    assert schema["examples"]
    for example in schema["examples"]:
        validator(schema).validate(example)


@each("name", sorted(document()["components"]["responses"]))
def test_an_error_response_has_valid_examples(name: str) -> None:
    content = document()["components"]["responses"][name]["content"]["application/json"]
    for example in content["examples"].values():
        validator(content["schema"]).validate(example["value"])


def test_every_default_is_valid() -> None:
    for path, node in nodes(document()):
        if "default" in node and "type" in node:
            validator({key: value for key, value in node.items() if key != "default"}).validate(node["default"]), path


def test_every_component_is_used() -> None:
    used = {node["$ref"] for _, node in nodes(document()) if isinstance(node.get("$ref"), str)}
    components = document()["components"]
    there = {
        f"#/components/{section}/{name}"
        for section in components
        if section != "securitySchemes"
        for name in components[section]
    }
    assert there == used


@each("operation_id", OPERATIONS)
def test_its_statuses_are_those_of_the_specification(operation_id: str) -> None:
    operation, route = declared(operation_id), routes()[operation_id]
    expected = {*route.successes} | COMMON
    if route.path_ids:
        expected.add(404)
    if operation.get("parameters") or "requestBody" in operation:
        expected.add(422)
    if "requestBody" in operation or "cursor" in route.query:
        expected.add(400)
    if route.method == "POST":
        expected |= {400, 409, 422}  # possible answers to an Idempotency-Key
    if operation_id == "update_school_calendar":
        expected.add(409)  # choosing a course for a label creates items
    assert statuses(operation_id) == expected


@each(("status", "operations"), ALSO_SPECIFIED.items())
def test_the_status_lists_of_the_specification_apply(status: int, operations: set[str]) -> None:
    missing = {name for name in operations if status not in statuses(name)}
    assert missing == set()


@each("operation_id", OPERATIONS)
def test_every_answer_declares_its_headers(operation_id: str) -> None:
    for code, response in declared(operation_id)["responses"].items():
        headers = set(resolved(response)["headers"])
        extra = EXTRA_HEADERS.get(code, set())
        if code.startswith("2") and routes()[operation_id].method == "POST":
            extra = {"Idempotency-Replayed"}
        assert headers == {"X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"} | extra
        is_file = code.startswith("2") and operation_id in DOWNLOADS
        assert ("application/json" in resolved(response)["content"]) is not is_file
        assert is_file or len(resolved(response)["content"]) == 1


@each("operation_id", OPERATIONS)
def test_every_post_accepts_an_idempotency_key(operation_id: str) -> None:
    headers = [one for one in declared(operation_id).get("parameters", []) if one["in"] == "header"]
    if routes()[operation_id].method != "POST":
        assert headers == []
        return
    [header] = headers
    assert (header["name"], header.get("required", False)) == ("Idempotency-Key", False)
    valid = validator(header["schema"])
    assert [valid.is_valid(key) for key in ("x", "~" * 255, "", "x" * 256, "a b", "é")] == [True] * 2 + [False] * 4


@each("operation_id", OPERATIONS)
def test_it_documents_who_may_call(operation_id: str) -> None:
    scope = "read" if routes()[operation_id].method == "GET" else "write"
    assert declared(operation_id)["security"] == [{"bearer": []}, {"apiKey": []}, {"oauth2": [scope]}]


def test_it_documents_how_to_send_credentials() -> None:
    schemes = document()["components"]["securitySchemes"]
    assert {name: scheme["type"] for name, scheme in schemes.items()} == {
        "bearer": "http",
        "apiKey": "apiKey",
        "oauth2": "oauth2",
    }
    assert (schemes["apiKey"]["in"], schemes["apiKey"]["name"]) == ("header", "X-API-Key")
    flow = schemes["oauth2"]["flows"]["authorizationCode"]
    assert set(flow["scopes"]) == {"read", "write"}
    assert flow["authorizationUrl"] == "http://127.0.0.1:8000/oauth/authorize"
    assert flow["tokenUrl"] == flow["refreshUrl"] == "http://127.0.0.1:8000/oauth/token"


@each("operation_id", OPERATIONS)
def test_deletions_and_replacements_are_flagged(operation_id: str) -> None:
    """Spec, Operation rules: for connector platforms. An undo can also delete and replace, and an import fills the
    account.
    """
    more = {"undo_change", "import_data"}
    expected = routes()[operation_id].method in {"DELETE", "PUT"} or operation_id in more
    assert declared(operation_id)["x-openai-isConsequential"] is expected


@each("operation_id", OPERATIONS)
def test_a_request_body_is_closed_at_every_depth(operation_id: str) -> None:
    """Spec, Notes: request-body schemas are declared closed to additional properties."""
    operation = declared(operation_id)
    if routes()[operation_id].method in {"GET", "DELETE"} or operation_id in {"undo_change", "refresh_school_calendar"}:
        assert "requestBody" not in operation
        return
    media_type = "multipart/form-data" if routes()[operation_id].is_upload else "application/json"
    assert media_type in operation["requestBody"]["content"]
    pending = [resolved(content["schema"]) for content in operation["requestBody"]["content"].values()]
    assert {schema["type"] for schema in pending if schema.get("format") != "binary"} == {"object"}
    while pending:
        schema = pending.pop()
        if "properties" in schema:
            assert schema["additionalProperties"] is False
        inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
        pending += [resolved(found) for found in inner]


@each("operation_id", OPERATIONS)
def test_each_name_is_described_once(operation_id: str) -> None:
    """Generators make one argument of each, so a client with two of one name does not compile."""
    operation = declared(operation_id)
    named = [parameter["name"] for parameter in operation.get("parameters", [])]
    for content in operation.get("requestBody", {}).get("content", {"none": {"schema": {}}}).values():
        names = [*named, *resolved(content["schema"]).get("properties", {})]
        assert len(names) == len(set(names))


@each("operation_id", OPERATIONS)
def test_a_form_is_described_before_other_bodies(operation_id: str) -> None:
    """Generators take the first one, and only the form can have a file beside fields."""
    assert "multipart/form-data" not in list(declared(operation_id).get("requestBody", {"content": {}})["content"])[1:]


def test_at_most_one_branch_of_one_of_fits() -> None:
    pending: list[Any] = [document()]
    while pending:
        schema = pending.pop()
        inner = list(schema.values()) if isinstance(schema, dict) else schema
        pending += [one for one in inner if isinstance(one, dict | list)]
        branches = schema.get("oneOf", []) if isinstance(schema, dict) else []
        types = [resolved(branch)["type"] for branch in branches]
        assert len(types) == len(set(types)), branches


@each("operation_id", OPERATIONS)
def test_only_an_update_has_an_optional_body(operation_id: str) -> None:
    """Spec, Conventions 3: PATCH bodies are optional, and omitted fields stay unchanged."""
    operation = declared(operation_id)
    if "requestBody" not in operation:
        return
    schema = resolved(next(iter(operation["requestBody"]["content"].values()))["schema"])
    if routes()[operation_id].method == "PATCH":
        assert operation["requestBody"].get("required", False) is False
        assert "required" not in schema
        assert [name for name, field in schema["properties"].items() if "default" in field] == []
    else:
        assert operation["requestBody"]["required"] is True
        assert schema["required"]
