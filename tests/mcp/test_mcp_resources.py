"""Resources: there are none, but clients that ask anyway get empty lists."""

from typing import Any

import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from accounts.models import Member
from oauthserver.models import Grant
from tests.support.cases import each
from tests.support.entry_points import McpEntryPoint, RestEntryPoint
from tests.support.event_loops import run_async
from tests.support.oauth import App
from tests.support.tools import STATELESS, VERSIONS, mcp_of, stateless

pytestmark = [pytest.mark.database("sqlite", "protocol messages"), pytest.mark.rest]

LISTS = {"resources/list": "resources", "resources/templates/list": "resourceTemplates"}
READ = {"uri": "file:///etc/passwd"}


def ask(tools: McpEntryPoint, version: str, method: str, params: dict[str, Any] | None = None) -> Any:
    """The raw answer in that revision."""
    if version == STATELESS:
        return tools.request("POST", "/mcp", **stateless(method, params))
    return tools.rpc(method, params, headers={"MCP-Protocol-Version": version})


@each("version", [*VERSIONS, STATELESS])
@each("method", LISTS)
def test_the_lists_are_empty(owner: RestEntryPoint, method: str, version: str) -> None:
    response = ask(mcp_of(owner), version, method)
    expected: dict[str, Any] = {LISTS[method]: []}
    if version == STATELESS:
        server = response.json()["result"]["_meta"]
        expected |= {"resultType": "complete", "ttlMs": 300_000, "cacheScope": "public", "_meta": server}
    assert (response.status_code, response.json()["result"]) == (200, expected)


@each("method", LISTS)
@each("cursor", ["", "next"])
def test_a_cursor_is_rejected(owner: RestEntryPoint, method: str, cursor: str) -> None:
    """As for the list of tools: none was ever issued."""
    for version in (VERSIONS[-1], STATELESS):
        assert ask(mcp_of(owner), version, method, {"cursor": cursor}).json()["error"]["code"] == -32602


@each("version", [*VERSIONS, STATELESS])
@each("method", ["resources/read", "resources/subscribe", "resources/unsubscribe"])
def test_there_is_nothing_to_read(owner: RestEntryPoint, method: str, version: str) -> None:
    response = ask(mcp_of(owner), version, method, READ)
    assert (response.status_code, response.json()["error"]["code"]) == (404 if version == STATELESS else 200, -32601)


def test_the_capability_is_not_declared(owner: RestEntryPoint) -> None:
    hello = {"protocolVersion": VERSIONS[-1], "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    for answer in (mcp_of(owner).rpc("initialize", hello), ask(mcp_of(owner), STATELESS, "server/discover")):
        assert set(answer.json()["result"]["capabilities"]) == {"tools", "prompts", "completions"}


def test_asking_for_the_lists_does_not_count_as_a_refused_call(owner_member: Member) -> None:
    tools = McpEntryPoint(App.registered().connect(owner_member)["access_token"])
    for method in LISTS:
        ask(tools, VERSIONS[-1], method)
    assert Grant.objects.get().refused_at is None


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("mode", ["legacy", STATELESS])
def test_the_official_client_gets_empty_lists(live_server: Any, owner: RestEntryPoint, mode: str) -> None:
    async def listed() -> tuple[Any, Any]:
        async with (
            create_mcp_http_client({"Authorization": f"Bearer {owner.secret}"}) as http,
            Client(streamable_http_client(f"{live_server.url}/mcp", http_client=http), mode=mode) as client,
        ):
            resources, templates = await client.list_resources(), await client.list_resource_templates()
            return resources.resources, templates.resource_templates

    assert run_async(listed) == ([], [])
