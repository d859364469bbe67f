"""A tool that changed something names its row in the log of changes."""

from typing import Any

import pytest

from studyservice.models import Change
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint, routes
from tests.support.tools import mcp_of
from tests.support.world import TOOLS, WRITES, World
from vocab.models import Review

pytestmark = [pytest.mark.database("sqlite", "change ids in tool results"), pytest.mark.django_db, pytest.mark.rest]


def meta_of(world: World, name: str) -> Any:
    """The `_meta` of the result of a successful call."""
    world.fill()
    ids = {path_id: world.id(path_id) for path_id in routes()[name].path_ids}
    params = {"name": name, "arguments": ids | (world.body(name) or {})}
    result = mcp_of(world.entry_point).rpc("tools/call", params).json()["result"]
    assert result["isError"] is False
    return result.get("_meta", {})


@each("name", sorted({*TOOLS} & {*WRITES}))
def test_a_writing_tool_names_its_change(owner: RestEntryPoint, name: str) -> None:
    change_id = meta_of(World(owner), name)["change_id"]
    [newest, *_] = owner.made("list_changes")["data"]
    assert (newest["id"], newest["operation"]) == (change_id, name)
    log = Review if name == "review_vocab_card" else Change
    assert log._default_manager.filter(id=change_id).exists()


@each("name", sorted({*TOOLS} - {*WRITES}))
def test_a_reading_tool_names_no_change(owner: RestEntryPoint, name: str) -> None:
    assert "change_id" not in meta_of(World(owner), name)


def test_a_call_without_effect_names_no_change(owner: RestEntryPoint, item: Any) -> None:
    params = {"name": "update_item", "arguments": {"item_id": item["id"], "title": item["title"]}}
    result = mcp_of(owner).rpc("tools/call", params).json()["result"]
    assert "_meta" not in result
