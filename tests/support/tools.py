"""Shared by the tests of tools: a working call of each tool, and answers without random parts."""

import json
import re
from typing import Any
from unittest.mock import ANY

from tests.support.entry_points import McpEntryPoint, RestEntryPoint, routes
from tests.support.world import TOOLS, World

VERSIONS = ["2025-03-26", "2025-06-18", "2025-11-25"]
"""The revisions with a handshake."""

STATELESS = "2026-07-28"

_CHANCE = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[\d:.]+Z|[\w.]+@example\.org|req_[\w-]{24}"
)


def arguments(world: World, operation_id: str) -> dict[str, Any]:
    """Valid arguments for the operation."""
    ids = {name: world.id(name) for name in sorted(routes()[operation_id].path_ids)}
    return ids | (world.body(operation_id) or {})


def working_calls(world: World) -> list[tuple[str, dict[str, Any]]]:
    """A working call of each operation. Deletions have their own objects and are last."""
    deletions = sorted(name for name in TOOLS if routes()[name].method == "DELETE")
    calls = [(name, arguments(world, name)) for name in sorted(set(TOOLS) - set(deletions))]
    for name in deletions:
        world.forget()
        calls.append((name, arguments(world, name)))
    return calls


def neutral(value: Any) -> Any:
    """`value` with ids, times, addresses and request ids numbered in order of appearance."""
    seen: dict[str, str] = {}
    text = json.dumps(value)
    return json.loads(_CHANCE.sub(lambda match: seen.setdefault(match[0], f"#{len(seen)}"), text))


def stateless(method: str, params: dict[str, Any] | None = None, *, version: str = STATELESS) -> dict[str, Any]:
    """The JSON and headers of a request of the stateless revision, for `RestEntryPoint.request`."""
    envelope = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = dict(params or {}) | {"_meta": envelope}
    headers = {"MCP-Protocol-Version": version, "Mcp-Method": method}
    for named in ("name", "uri"):
        if named in params:
            headers["Mcp-Name"] = params[named]
    return {"json": {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, "headers": headers}


def rpc_error_of(response: Any) -> dict[str, Any]:
    """The error of a body that is both the service's envelope and a JSON-RPC error without an id."""
    body: dict[str, Any] = response.json()
    assert (body["jsonrpc"], body["id"], set(body)) == ("2.0", None, {"jsonrpc", "id", "error"})
    error: dict[str, Any] = body["error"]
    assert error == {"code": -32010, "type": ANY, "message": ANY, "request_id": ANY}
    assert error["request_id"] == response.headers["X-Request-Id"]
    return error


def rest_of(entry_point: RestEntryPoint) -> RestEntryPoint:
    """REST with the same credential."""
    return RestEntryPoint(entry_point.secret)


def mcp_of(entry_point: RestEntryPoint) -> McpEntryPoint:
    """The tools with the same credential."""
    return McpEntryPoint(entry_point.secret)
