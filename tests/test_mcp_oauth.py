"""The official client connects to the tools by OAuth: from a bare address to a call, against the server as it runs."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import OAuthClientMetadata

from tests.doors import routes
from tests.event_loops import run_async
from tests.server import Server
from tests.test_oauth_clients import CALLBACK, Ada, Memory, ada, server

__all__ = ["ada", "server"]  # fixtures


async def _connected(server: Server, ada: Ada, storage: Memory, decision: dict[str, Any]) -> dict[str, Any]:
    """What a client with nothing but the address finds, after Ada's decision on the consent page."""
    led_back: list[str] = []

    async def redirect(address: str) -> None:
        led_back.append(ada.allow(address, **decision))

    async def callback() -> AuthorizationCodeResult:
        answer = {name: values[0] for name, values in parse_qs(urlsplit(led_back[-1]).query).items()}
        return AuthorizationCodeResult(code=answer["code"], state=answer["state"], iss=answer["iss"])

    about = OAuthClientMetadata.model_validate({"client_name": "Assistant", "redirect_uris": [CALLBACK]})
    oauth = OAuthClientProvider(f"{server.url}/mcp", about, storage, redirect, callback)
    async with (
        create_mcp_http_client(auth=oauth) as http,
        streamable_http_client(f"{server.url}/mcp", http_client=http) as (read, write),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        return {
            "tools": [tool.name for tool in (await session.list_tools()).tools],
            "me": (await session.call_tool("get_me")).structured_content,
            "created": await session.call_tool("create_course", {"name": "Botany"}),
        }


def test_it_finds_its_way_from_the_address_to_a_call(server: Server, ada: Ada) -> None:
    storage = Memory()
    found = run_async(_connected, server, ada, storage, {})
    assert sorted(found["tools"]) == sorted(routes())
    assert found["me"]["email"] == "ada@example.org"
    assert found["me"]["scopes"] == ["read", "write"]
    assert not found["created"].is_error


def test_its_token_is_for_the_tools_alone(server: Server, ada: Ada) -> None:
    """RFC 8707: the client asks for `/mcp`, which decisions 12 keeps from REST."""
    storage = Memory()
    run_async(_connected, server, ada, storage, {})
    assert storage.tokens is not None
    header = {"Authorization": f"Bearer {storage.tokens.access_token}"}
    assert httpx2.get(f"{server.url}/v1/me", headers=header).status_code == 401


def test_a_member_may_withhold_editing(server: Server, ada: Ada) -> None:
    unticked: dict[str, Any] = {"write": []}
    found = run_async(_connected, server, ada, Memory(), unticked)
    assert found["me"]["scopes"] == ["read"]
    assert found["created"].is_error
    assert found["created"].content[0].text.startswith("insufficient_scope: ")
