"""An assistant that knows only the address of the tools connects and disconnects."""

from concurrent.futures import ThreadPoolExecutor
from queue import Queue
from typing import Any

import anyio
import httpx2
import pytest
from playwright.sync_api import Page, expect

from tests.mcp.test_mcp_oauth import connected
from tests.oauth.test_oauth_clients import Memory
from tests.pages.browser.conftest import sign_in
from tests.support.server import Server
from tests.support.world import TOOLS

LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}


def _list_tools(server: Server, token: str | None = None) -> httpx2.Response:
    headers = {"Accept": "application/json, text/event-stream"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    return httpx2.post(f"{server.url}/mcp", json=LIST_TOOLS, headers=headers)


def allowed(page: Page, address: str) -> str:
    """Sign in on the way and allow. Return the redirect URL."""
    page.goto(address)
    sign_in(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Connect an app on your device?")
    page.get_by_role("button", name="Allow").click()
    expect(page).to_have_title("The app")
    return page.url


@pytest.mark.database("sqlite", "a browser and an MCP client; other tests run each step on both databases")
def test_an_assistant_connects_and_disconnects(server: Server, open_page: Any, callback: str) -> None:
    """401, discovery, registration, consent in the browser, token, tools, disconnect, 401."""
    refused = _list_tools(server)
    assert refused.status_code == 401
    assert "/.well-known/oauth-protected-resource/mcp" in refused.headers["WWW-Authenticate"]

    page: Page = open_page(base_url=server.url)
    asked: Queue[str] = Queue()
    answered: Queue[str] = Queue()

    def allow(address: str) -> str:
        """Pass the work to the browser, which lives in the thread of the test."""
        asked.put(address)
        return answered.get(timeout=60)

    storage = Memory()
    with ThreadPoolExecutor(1) as pool:
        assistant = pool.submit(anyio.run, connected, server, allow, storage, callback)
        answered.put(allowed(page, asked.get(timeout=60)))
        found = assistant.result(timeout=60)
    assert sorted(found["tools"]) == TOOLS
    assert (found["me"]["email"], found["me"]["scopes"]) == ("ada@example.org", ["read", "write"])
    assert not found["created"].is_error
    assert storage.tokens is not None
    token = storage.tokens.access_token
    assert _list_tools(server, token).status_code == 200

    page.goto("/keys")
    page.get_by_role("link", name="Disconnect Assistant").click()
    page.get_by_role("button", name="Disconnect").click()
    expect(page.get_by_role("status")).to_contain_text("“Assistant” is disconnected")
    assert _list_tools(server, token).status_code == 401
