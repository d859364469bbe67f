"""The reference shows all of `/openapi.json`, and shared parts only once."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from studyservice.openapi.document import Fields
from studyservice.openapi.reference import groups
from tests.support.cases import each

pytestmark = [pytest.mark.database("sqlite", "page layout"), pytest.mark.django_db]


@pytest.fixture
def overview(client: Client) -> str:
    return unescape(client.get("/docs").content.decode())


@pytest.fixture
def page(client: Client, overview: str) -> str:
    """The page of each tag, one after another."""
    addresses = dict.fromkeys(re.findall(r'href="(/docs/reference/[^"#]+)"', overview))
    assert len(addresses) > 5
    return "".join(unescape(client.get(address).content.decode()) for address in addresses)


@pytest.fixture
def operations(client: Client) -> dict[str, Any]:
    paths = json.loads(client.get("/openapi.json").content)["paths"].values()
    return {operation["operationId"]: operation for methods in paths for operation in methods.values()}


def part(page: str, operation: str) -> str:
    """The text of one operation."""
    return page.partition(f'<article class="operation" id="{operation}"')[2].partition("</article>")[0]


def test_every_operation_is_shown_with_its_parameters(page: str, operations: dict[str, Any]) -> None:
    shown = re.findall(r'<article class="operation" id="(\w+)"', page)
    assert sorted(shown) == sorted(operations)
    for name, operation in operations.items():
        text = part(page, name)
        assert re.search(r"</p>\s*<p>\w", text), f"{name} has no text for people"
        assert operation["description"] not in text, f"{name} shows people the text for tools"
        for parameter in operation.get("parameters", []):
            told = f"<code>{parameter['name']}</code>" in text
            assert told == (parameter["name"] != "Idempotency-Key"), (name, parameter["name"])


def test_shared_parts_are_shown_once(overview: str, page: str) -> None:
    for once in ("Seconds until the window ends.", "Too many requests; Retry-After gives the seconds to wait."):
        assert (overview.count(once), page.count(once)) == (1, 0)
    errors = 'Errors: <a href="/docs#error-400">400</a>, <a href="/docs#error-422">422</a>, and'
    assert errors in part(page, "list_items")


def test_an_operation_is_found_at_its_former_address(overview: str, operations: dict[str, Any]) -> None:
    """`/docs#list_items` leads to the list, whose entry links to the operation."""
    for name, operation in operations.items():
        entry = overview.partition(f'<li id="{name}">')[2].partition("</li>")[0]
        assert f'href="/docs/reference/{operation["tags"][0].lower()}#{name}"' in entry


def test_texts_for_people_are_only_in_the_reference(client: Client) -> None:
    for group in groups():
        for entry in group.entries:
            assert entry.about, entry.id
            assert entry.about[0] not in client.get("/openapi.json").content.decode()


def test_an_unknown_tag_is_not_found(client: Client) -> None:
    assert client.get("/docs/reference/nothing").status_code == 404


def test_the_example_is_a_command_of_the_quick_start(page: str) -> None:
    text = part(page, "create_milestone")
    assert 'curl -sS -X POST "$STUDY_URL/v1/items/{item_id}/milestones" \\\n' in text
    assert '-H "Authorization: Bearer $STUDY_API_KEY" \\\n' in text


def test_the_search_finds_each_operation(page: str, client: Client) -> None:
    found = [entry["url"] for entry in json.loads(client.get("/docs/search.json").content)]
    assert {url.partition("#")[2] for url in found if url.startswith("/docs/reference/")} == set(
        re.findall(r'<article class="operation" id="(\w+)"', page)
    )


@each(
    ("schema", "type_", "limits"),
    [
        ({"type": "string", "format": "uuid"}, "UUID", ""),
        ({"type": ["string", "null"], "maxLength": 20}, "string or null", "at most 20 characters"),
        ({"type": "integer", "minimum": 1, "maximum": 5000, "default": 25}, "integer", "1 to 5,000; 25 unless given"),
        ({"type": "boolean", "default": False}, "boolean", "false unless given"),
        (
            {"type": "array", "items": {"type": "string", "format": "date"}, "maxItems": 3},
            "list of date",
            "at most 3 entries",
        ),
        ({"$ref": "#/components/schemas/Kind"}, "string", "exam, quiz"),
        ({"oneOf": [{"$ref": "#/components/schemas/Tree"}, {"type": "null"}]}, "object or null", ""),
        ({}, "any value", ""),
    ],
)
def test_a_schema_is_described(schema: dict[str, Any], type_: str, limits: str) -> None:
    components: dict[str, dict[str, Any]] = {
        "Kind": {"anyOf": [{"type": "string", "enum": ["exam", "quiz"]}, {"type": "string"}]},
        "Tree": {"type": "object", "properties": {"below": {"$ref": "#/components/schemas/Tree"}}},
    }
    field = Fields(components).field("x", schema, required=False)
    assert (field.type, field.limits) == (type_, limits)
    if "oneOf" in schema:
        [below] = field.fields
        assert (below.name, below.fields) == ("below", ())
