"""The official clients and fastmcp, each with every supported revision, against a live server."""

import json
from typing import Any

import pytest
from fastmcp import Client as FastMCPClient
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.types import (
    ClientCapabilities,
    Implementation,
    InitializeRequest,
    InitializeRequestParams,
    InitializeResult,
    Prompt,
    PromptReference,
    Tool,
)

from mcpbridge.prompts import PROMPTS
from mcpbridge.server import INSTRUCTIONS
from mcpbridge.tools import tools
from tests.support import javascript
from tests.support.entry_points import McpEntryPoint, RestEntryPoint
from tests.support.event_loops import run_async
from tests.support.tools import STATELESS, VERSIONS, neutral, working_calls
from tests.support.world import TOOLS, World

pytestmark = [pytest.mark.database("sqlite", "client libraries"), pytest.mark.rest]

Calls = list[tuple[str, dict[str, Any]]]

PROMPT: dict[str, Any] = {"name": "plan_week", "arguments": {"course": "Botany"}}
REF = {"type": "ref/prompt", "name": "plan_week"}
PART = {"name": "course", "value": "bot"}


async def _python(version: str, url: str, secret: str, calls: Calls) -> dict[str, Any]:
    """The official Python client. Its handshake requests `version` in place of the newest."""
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
        prompts = await session.list_prompts()
        prompt = await session.get_prompt(**PROMPT)
        completed = await session.complete(PromptReference.model_validate(REF), PART)
        results = [await session.call_tool(name, given) for name, given in calls]
        return {
            "version": session.protocol_version,
            "instructions": session.instructions,
            "tools": [_wire(tool) for tool in listed.tools],
            "prompts": [_wire(prompt) for prompt in prompts.prompts],
            "prompt": _wire(prompt),
            "completion": _wire(completed.completion),
            "results": [_wire(result) for result in results],
        }


async def _fastmcp(version: str, url: str, secret: str, calls: Calls) -> dict[str, Any]:
    """The fastmcp client. It probes for the revision without a handshake, unless configured for one."""
    mode = "auto" if version == STATELESS else "legacy"
    async with FastMCPClient(url, auth=secret, mode=mode) as client:
        completed = await client.complete(PromptReference.model_validate(REF), PART)
        return {
            "version": client.protocol_version,
            "instructions": client.instructions,
            "tools": [_wire(tool) for tool in await client.list_tools()],
            "prompts": [_wire(prompt) for prompt in await client.list_prompts()],
            "prompt": _wire(await client.get_prompt(**PROMPT)),
            "completion": _wire(completed),
            "results": [_wire(await client.call_tool_mcp(name, given)) for name, given in calls],
        }


def _wire(model: Any) -> Any:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


def _untitled(prompt: Prompt) -> Prompt:
    """`prompt` without the titles of its arguments, which TypeScript clients drop."""
    arguments = [argument.model_copy(update={"title": None}) for argument in prompt.arguments or []]
    return prompt.model_copy(update={"arguments": arguments})


def python(version: str, url: str, secret: str, calls: Calls) -> dict[str, Any]:
    """The results of the Python client."""
    got: dict[str, Any] = run_async(_python, version, url, secret, calls)
    return got


def fastmcp(version: str, url: str, secret: str, calls: Calls) -> dict[str, Any]:
    """The results of fastmcp's client."""
    got: dict[str, Any] = run_async(_fastmcp, version, url, secret, calls)
    return got


def typescript(sdk: str, version: str, url: str, secret: str, calls: Calls) -> dict[str, Any]:
    """The results of the TypeScript client. `sdk` 1 is the old package, 2 the new one."""
    task: dict[str, Any] = {"sdk": sdk, "version": version, "url": url, "secret": secret, "calls": calls}
    task |= {"asked": PROMPT, "completed": {"ref": REF, "argument": PART}}
    done = javascript.run("call_tools.mjs", given=json.dumps(task))
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


OLDEST, *BETWEEN = VERSIONS
CLIENTS: list[Any] = [("python", OLDEST), ("python", STATELESS), ("typescript-2", STATELESS)]
CLIENTS += [("typescript-1", "2025-11-25")]
CLIENTS += [
    pytest.param(*one, marks=pytest.mark.thorough("the client is also tested with another revision"))
    for one in [
        *(("python", version) for version in BETWEEN),
        *(("typescript-2", version) for version in VERSIONS),
        ("fastmcp", "2025-11-25"),
        ("fastmcp", STATELESS),
    ]
]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("client", "version"), CLIENTS)
def test_clients_list_all_tools_and_prompts_and_each_tool_matches_rest(
    live_server: Any, make_member, make_key, client: str, version: str
) -> None:
    theirs, ours = (RestEntryPoint(make_key(make_member(name="Twin"))[0]) for _ in range(2))
    for entry_point in (theirs, ours):
        entry_point.made("create_course", name="Botany")
    asked = McpEntryPoint(theirs.secret).rpc("prompts/get", PROMPT).json()["result"]["messages"]
    calls = working_calls(World(theirs))
    expected = [neutral(ours.made(name, **given)) for name, given in working_calls(World(ours))]

    language, _, sdk = client.partition("-")
    url = f"{live_server.url}/mcp"
    if language == "typescript":
        got = typescript(sdk, version, url, theirs.secret, calls)
    else:
        ask = python if language == "python" else fastmcp
        got = ask(version, url, theirs.secret, calls)

    assert got["version"] == version
    assert got["instructions"] == INSTRUCTIONS
    assert [Tool.model_validate(tool) for tool in got["tools"]] == [tool.definition for tool in tools().values()]
    prompts = [_untitled(Prompt.model_validate(prompt)) for prompt in got["prompts"]]
    assert prompts == [_untitled(prompt.definition) for prompt in PROMPTS.values()]
    assert got["prompt"]["messages"] == asked
    assert got["completion"] == {"values": ["Botany"], "total": 1, "hasMore": False}
    assert sorted(name for name, _ in calls) == TOOLS
    for (name, _), result, answer in zip(calls, got["results"], expected, strict=True):
        assert not result.get("isError"), (name, result)
        first, *more = [block["text"] for block in result["content"]]
        assert json.loads(first) == result["structuredContent"], name
        assert result["structuredContent"].pop("notes", []) == more, name
        assert neutral(result["structuredContent"]) == answer, name
