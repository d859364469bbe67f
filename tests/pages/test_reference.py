"""The reference: everything that `/openapi.json` says of an operation, and what all have in common once."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from studyservice.openapi.fields import Fields

pytestmark = [pytest.mark.database("sqlite", "the look of pages"), pytest.mark.django_db]


@pytest.fixture
def page(client: Client) -> str:
    return unescape(client.get("/docs").content.decode())


@pytest.fixture
def operations(client: Client) -> dict[str, Any]:
    paths = json.loads(client.get("/openapi.json").content)["paths"].values()
    return {operation["operationId"]: operation for methods in paths for operation in methods.values()}


def part(page: str, operation: str) -> str:
    """What the page says of one operation."""
    return page.partition(f'<article class="operation" id="{operation}"')[2].partition("</article>")[0]


def test_every_operation_stands_there_with_its_parameters(page: str, operations: dict[str, Any]) -> None:
    shown = re.findall(r'<article class="operation" id="(\w+)"', page)
    assert sorted(shown) == sorted(operations)
    for name, operation in operations.items():
        text = part(page, name)
        assert operation["description"] in text, name
        for parameter in operation.get("parameters", []):
            told = f"<code>{parameter['name']}</code>" in text
            assert told == (parameter["name"] != "Idempotency-Key"), (name, parameter["name"])


def test_what_all_have_in_common_stands_once(page: str) -> None:
    for once in ("Seconds until the window ends.", "Too many requests; Retry-After gives the seconds to wait."):
        assert page.count(once) == 1
    assert 'Errors: <a href="#error-400">400</a>, <a href="#error-422">422</a>, and' in part(page, "list_items")


def test_the_example_is_a_command_of_the_quick_start(page: str) -> None:
    text = part(page, "create_milestone")
    assert 'curl -sS -X POST "$STUDY_URL/v1/items/{item_id}/milestones" \\\n' in text
    assert '-H "Authorization: Bearer $STUDY_API_KEY" \\\n' in text


def test_the_search_leads_to_each(page: str, client: Client) -> None:
    found = [entry["url"] for entry in json.loads(client.get("/docs/search.json").content)]
    assert {url.removeprefix("/docs#") for url in found if url.startswith("/docs#")} == set(
        re.findall(r'<article class="operation" id="(\w+)"', page)
    )


@pytest.mark.parametrize(
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
def test_a_schema_in_words(schema: dict[str, Any], type_: str, limits: str) -> None:
    components: dict[str, dict[str, Any]] = {
        "Kind": {"anyOf": [{"type": "string", "enum": ["exam", "quiz"]}, {"type": "string"}]},
        "Tree": {"type": "object", "properties": {"below": {"$ref": "#/components/schemas/Tree"}}},
    }
    field = Fields(components).field("x", schema, required=False)
    assert (field.type, field.limits) == (type_, limits)
    if "oneOf" in schema:
        [below] = field.fields
        assert (below.name, below.fields) == ("below", ())
