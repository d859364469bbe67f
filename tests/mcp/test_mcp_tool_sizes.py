"""Every session of an assistant reads `tools/list`, so it must not repeat itself."""

from collections.abc import Iterator
from typing import Any

import pytest

from mcpbridge.schemas import output_schema
from mcpbridge.tools import tools
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.tools import mcp_of
from tests.support.world import TOOLS

pytestmark = [pytest.mark.database("sqlite", "tools are built from declarations"), pytest.mark.rest]

BYTES = 49_500
"""Size of the tools/list answer. A commit that grows it by more than a twentieth must raise this number."""

MOST_BYTES = 52_900
"""13,400 tokens of o200k, of which one has 3.95 bytes or more here (measured: 3.98)."""

TELLING = {"uuid", "date", "date-time"}
"""Formats that help to fill in an argument."""


def test_growth_by_more_than_a_twentieth_is_noticed(owner: RestEntryPoint) -> None:
    found = len(mcp_of(owner).rpc("tools/list").content)
    assert 0.95 * BYTES <= found <= 1.05 * BYTES, f"tools/list has {found} bytes: shorten texts, or change BYTES"


def test_it_has_at_most_13_400_tokens(owner: RestEntryPoint) -> None:
    assert len(mcp_of(owner).rpc("tools/list").content) <= MOST_BYTES


@each("name", TOOLS)
def test_an_answer_has_only_names_and_types(name: str) -> None:
    said = {key for schema in _schemas(tools()[name].definition.output_schema) for key in schema}
    assert said <= {"type", "enum", "items", "properties"}


@each("name", TOOLS)
def test_an_argument_has_no_title_and_no_redundant_format(name: str) -> None:
    for schema in _schemas(tools()[name].definition.input_schema):
        assert "title" not in schema
        assert schema.get("format", "date") in TELLING


@each("name", TOOLS)
def test_list_entries_do_not_repeat_adjacent_texts(name: str) -> None:
    own = tools()[name].definition.input_schema["properties"]
    beside = {field["description"] for field in own.values()}
    for field in own.values():
        inside = [schema.get("description") for schema in _schemas(field)][1:]
        assert beside.isdisjoint(inside)
        for entry in (schema["items"] for schema in _schemas(field) if "items" in schema):
            assert "description" not in entry, "the list's link says so"


def test_a_nullable_enum_includes_null() -> None:
    closed = {"type": "string", "enum": ["yes", "no"]}
    record = {"type": "object", "properties": {"sure": {"oneOf": [closed, {"type": "null"}]}}}
    entry = {"responses": {"200": {"content": {"application/json": {"schema": record}}}}}
    sure = {"type": ["string", "null"], "enum": ["yes", "no", None]}
    assert output_schema(entry, {}) == {"type": "object", "properties": {"sure": sure}}


def _schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """`schema` and every nested schema."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", []), *schema.get("oneOf", [])]
    for one in [*inner, *([schema["items"]] if "items" in schema else [])]:
        yield from _schemas(one)
