"""docs/assistants.md: its commands and files connect to a live server once address and key are inserted."""

import json
import re
import tomllib
from typing import Any

import pytest
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from mcpbridge.tools import tools
from tests import ROOT
from tests.support.entry_points import RestEntryPoint
from tests.support.event_loops import run_async

pytestmark = [pytest.mark.database("sqlite", "reads a page of the docs"), pytest.mark.rest]

PAGE = (ROOT / "docs" / "assistants.md").read_text()
ADDRESS = "https://study.example.org/mcp"
BLOCKS = re.findall(r"```(sh|json|toml)\n(.*?)```", PAGE, re.DOTALL)
KEY = re.compile(r"<API_KEY>|\$\{(?:env:)?STUDY_API_KEY\}|\$STUDY_API_KEY|\$\{input:study-key\}")


def _connection(kind: str, text: str) -> tuple[str, dict[str, str]]:
    """The address and headers in a block of the guide."""
    if kind == "sh":
        [url] = re.findall(r"https://\S+", text)
        return url, dict(header.split(": ") for header in re.findall(r'--header "([^"]+)"', text))
    if kind == "toml":
        [entry] = tomllib.loads(text)["mcp_servers"].values()
        return entry["url"], {"Authorization": f"Bearer ${entry['bearer_token_env_var']}"}
    found = json.loads(text)
    [entry] = found.get("mcpServers", found.get("servers")).values()
    return entry.get("url") or entry["httpUrl"], entry.get("headers", {})


CONNECTIONS = [_connection(*block) for block in BLOCKS]
BY_KEY = [headers for _, headers in CONNECTIONS if headers]


def test_every_block_has_the_same_address_and_each_method_is_shown() -> None:
    assert {url for url, _ in CONNECTIONS} == {ADDRESS}
    assert len(BY_KEY) == 7
    assert len(CONNECTIONS) == 9


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("headers", BY_KEY)
def test_a_block_with_a_key_connects(live_server: Any, owner: RestEntryPoint, headers: dict[str, str]) -> None:
    sent = {name: KEY.sub(owner.secret, value) for name, value in headers.items()}

    async def listed() -> list[str]:
        async with (
            create_mcp_http_client(sent) as http,
            streamable_http_client(f"{live_server.url}/mcp", http_client=http) as streams,
            ClientSession(*streams) as session,
        ):
            await session.initialize()
            return [tool.name for tool in (await session.list_tools()).tools]

    assert run_async(listed) == list(tools())
