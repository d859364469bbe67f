"""The fastmcp client connects by OAuth to a real server, with its own callback server and browser.

test_mcp_clients.py tests it with a key, and its results.
"""

import threading
import time
import webbrowser
from typing import Any

import httpx2
import pytest
from fastmcp import Client
from fastmcp.client.auth import OAuth

from tests.oauth.test_oauth_clients import Ada, ada
from tests.support.event_loops import run_async
from tests.support.server import Server

__all__ = ["ada"]  # a fixture

PATIENCE = 60
"""Maximum seconds until the callback server listens."""


class Browser(webbrowser.BaseBrowser):
    """Opens the consent page as the member, and follows the redirect once the client listens."""

    def __init__(self, ada: Ada) -> None:
        super().__init__("ada")
        self.ada = ada
        self.led_back: list[int] = []

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
        threading.Thread(target=self._follow, args=[self.ada.allow(url)]).start()
        return True

    def _follow(self, url: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                self.led_back.append(httpx2.get(url).status_code)
            except httpx2.ConnectError:
                time.sleep(0.05)
            else:
                return


@pytest.fixture
def browser(ada: Ada, monkeypatch: pytest.MonkeyPatch) -> Browser:
    """The member's browser, in place of the one on this machine."""
    opened = Browser(ada)
    monkeypatch.setattr(webbrowser, "_tryorder", ["ada"])
    monkeypatch.setattr(webbrowser, "_browsers", {"ada": [None, opened]})
    return opened


@pytest.mark.database("sqlite", "client libraries")
@pytest.mark.filterwarnings("ignore:Using in-memory token storage:UserWarning")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_it_connects_by_oauth_and_calls_tools(server: Server, browser: Browser, mode: Any) -> None:
    async def connected() -> Any:
        async with Client(f"{server.url}/mcp", auth=OAuth(), mode=mode) as client:
            me = await client.call_tool("get_me")
            assert await client.list_prompts()
            return me.structured_content

    me = run_async(connected)
    assert (me["email"], me["scopes"]) == ("ada@example.org", ["read", "write"])
    assert browser.led_back == [200]
