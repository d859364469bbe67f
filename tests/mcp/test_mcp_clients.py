"""The official clients, each at each revision that it speaks, against a live server."""

import json
from typing import Any

import pytest
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.types import (
    ClientCapabilities,
    Implementation,
    InitializeRequest,
    InitializeRequestParams,
    InitializeResult,
    Tool,
)

from mcpbridge.server import INSTRUCTIONS
from mcpbridge.tools import tools
from tests.support import javascript
from tests.support.doors import RestDoor, routes
from tests.support.event_loops import run_async
from tests.support.tools import STATELESS, VERSIONS, neutral, working_calls
from tests.support.world import World

pytestmark = pytest.mark.rest

Calls = list[tuple[str, dict[str, Any]]]


async def _python(version: str, url: str, secret: str, calls: Calls) -> dict[str, Any]:
    """The official Python client; in a handshake it asks for `version`, where by itself it asks for the newest."""
    async with (
        create_mcp_http_client({"Authorization": f"Bearer {secret}"}) as http,
        streamable_http_client(url, http_client=http) as (read, write),
        ClientSession(read, write, client_info=Implementation(name="test", version="1")) as session,
    ):
        if version == STATELESS:
            await session.discover()
        else:
            hello = InitializeRequestParams(
                protocol_version=version,
                capabilities=ClientCapabilities(),
                client_info=Implementation(name="test", version="1"),
            )
            session.adopt(await session.send_request(InitializeRequest(params=hello), InitializeResult))
        listed = await session.list_tools()
        results = [await session.call_tool(name, given) for name, given in calls]
        return {
            "version": session.protocol_version,
            "instructions": session.instructions,
            "tools": [_wire(tool) for tool in listed.tools],
            "results": [_wire(result) for result in results],
        }


def _wire(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def python(version: str, url: str, secret: str, calls: Calls) -> dict[str, Any]:
    """What the Python client got."""
    got: dict[str, Any] = run_async(_python, version, url, secret, calls)
    return got


def typescript(sdk: str, version: str, url: str, secret: str, calls: Calls) -> dict[str, Any]:
    """What the TypeScript client got: `sdk` 1 is the old package, 2 the new one."""
    task = {"sdk": sdk, "version": version, "url": url, "secret": secret, "calls": calls}
    done = javascript.run("call_tools.mjs", given=json.dumps(task))
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


CLIENTS = [("python", version) for version in [*VERSIONS, STATELESS]]
CLIENTS += [("typescript-2", version) for version in [*VERSIONS, STATELESS]]
CLIENTS += [("typescript-1", "2025-11-25")]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("client", "version"), CLIENTS)
def test_it_lists_exactly_all_tools_and_each_answers_as_rest_does(
    live_server: Any, make_member, make_key, client: str, version: str
) -> None:
    theirs, ours = (RestDoor(make_key(make_member(name="Twin"))[0]) for _ in range(2))
    calls = working_calls(World(theirs))
    expected = [neutral(ours.made(name, **given)) for name, given in working_calls(World(ours))]

    language, _, sdk = client.partition("-")
    url = f"{live_server.url}/mcp"
    if language == "python":
        got = python(version, url, theirs.secret, calls)
    else:
        got = typescript(sdk, version, url, theirs.secret, calls)

    assert got["version"] == version
    assert got["instructions"] == INSTRUCTIONS
    assert [Tool.model_validate(tool) for tool in got["tools"]] == [tool.definition for tool in tools().values()]
    assert sorted(name for name, _ in calls) == sorted(routes())
    for (name, _), result, answer in zip(calls, got["results"], expected, strict=True):
        assert not result.get("isError"), (name, result)
        assert neutral(result["structuredContent"]) == answer, name
        assert neutral(json.loads(result["content"][0]["text"])) == answer, name
