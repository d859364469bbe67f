"""The official client connects to the tools by OAuth against the running server.

tests/pages/browser/test_assistant.py tests consent in a real browser.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import httpx2
import pytest
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import OAuthClientMetadata

from tests.oauth.test_oauth_clients import CALLBACK, Ada, Memory, ada
from tests.support.event_loops import run_async
from tests.support.server import Server

pytestmark = pytest.mark.same_statements

__all__ = ["ada"]  # a fixture


@asynccontextmanager
async def assistant(
    server: Server, allow: Callable[[str], str], storage: Memory, callback: str = CALLBACK, name: str = "Assistant"
) -> AsyncIterator[ClientSession]:
    """The session of a client that knows only the server's address.

    `allow` acts for the member: it receives the address of the consent page and returns the redirect to the client.
    """
    led_back: list[str] = []

    async def redirect(address: str) -> None:
        led_back.append(await anyio.to_thread.run_sync(allow, address))

    async def answer() -> AuthorizationCodeResult:
        given = {name: values[0] for name, values in parse_qs(urlsplit(led_back[-1]).query).items()}
        return AuthorizationCodeResult(code=given["code"], state=given["state"], iss=given["iss"])

    about = OAuthClientMetadata.model_validate({"client_name": name, "redirect_uris": [callback]})
    oauth = OAuthClientProvider(f"{server.url}/mcp", about, storage, redirect, answer)
    async with (
        create_mcp_http_client(auth=oauth) as http,
        streamable_http_client(f"{server.url}/mcp", http_client=http) as (read, write),
        ClientSession(read, write) as session,
    ):
        await session.initialize()
        yield session


async def connected(
    server: Server, allow: Callable[[str], str], storage: Memory, callback: str = CALLBACK
) -> dict[str, Any]:
    """The results of such a client."""
    async with assistant(server, allow, storage, callback) as session:
        return {
            "tools": [tool.name for tool in (await session.list_tools()).tools],
            "me": (await session.call_tool("get_me")).structured_content,
            "created": await session.call_tool("create_course", {"name": "Botany"}),
        }


def test_its_token_works_only_for_tools(server: Server, ada: Ada) -> None:
    """RFC 8707: the client requests `/mcp`, whose tokens do not work for REST (decisions 12)."""
    storage = Memory()
    run_async(connected, server, ada.allow, storage)
    assert storage.tokens is not None
    header = {"Authorization": f"Bearer {storage.tokens.access_token}"}
    assert httpx2.get(f"{server.url}/v1/me", headers=header).status_code == 401


def test_a_member_can_withhold_editing(server: Server, ada: Ada) -> None:
    unticked: dict[str, Any] = {"write": []}
    found = run_async(connected, server, partial(ada.allow, **unticked), Memory())
    assert found["me"]["scopes"] == ["read"]
    assert found["created"].is_error
    assert found["created"].content[0].text.startswith("insufficient_scope: ")
