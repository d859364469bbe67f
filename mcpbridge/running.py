"""Runs one JSON-RPC request through the SDK's `ServerRunner` (mcp.server.runner), without an event loop.

This module uses the SDK's kernel, which validates a request's parameters for its revision of the protocol, calls the
handler and validates the result. The SDK's layers around the kernel need an event loop: `serve_one` closes the
connection's exit stack under a timeout, and the dispatchers handle streams. The handlers here never wait, so the
operation runs on the thread, and with the database connection, of the HTTP request.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import anyio
import orjson
from django.http import HttpRequest
from mcp.server.caching import apply_cache_hint
from mcp.server.connection import Connection
from mcp.server.runner import ServerRunner
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import MessageMetadata, ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp.types import INVALID_PARAMS, JSONRPCRequest, ListToolsResult, RequestId
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS
from mcp_types.methods import parse_client_request, serialize_server_result

from mcpbridge.server import LISTS_HINT, STRUCTURED, server
from mcpbridge.tools import SECURITY_SCHEMES, tools

_LISTS = frozenset({"tools/list", "prompts/list", "resources/list", "resources/templates/list"})
"""Methods whose answer is a list, on a single page."""

_TRANSPORT = TransportContext(kind="streamable-http", can_send_request=False)

_SHARED: dict[tuple[str, ...], dict[str, Any]] = {}
"""Cached answers that are the same for every client, by `_shared_key`."""


@dataclass(slots=True)
class OneAnswer:
    """The SDK's `DispatchContext` for a request with exactly one answer."""

    request_id: RequestId
    message_metadata: MessageMetadata
    transport: TransportContext = _TRANSPORT
    can_send_request: bool = False
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Refuse, because the client has no way to answer."""
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        """Do nothing: there is no stream."""

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Do nothing: there is no stream."""


def result_of(request: HttpRequest, message: JSONRPCRequest, connection: Connection) -> dict[str, Any]:
    """Return the result of the request in `message`, which `request` carried.

    Raises:
        MCPError: the answer is this error.
        pydantic.ValidationError: the parameters are wrong.
    """
    if message.method in _LISTS and (message.params or {}).get("cursor") is not None:
        raise MCPError(INVALID_PARAMS, "Unknown cursor. The whole list is on one page: send none.")
    shared = _shared_key(message, connection.protocol_version)
    if shared in _SHARED:
        return _SHARED[shared]
    context = OneAnswer(message.id, ServerMessageMetadata(request_context=request, can_send_request=False))
    running = ServerRunner(server, connection, {}).on_request(context, message.method, message.params).__await__()
    try:
        next(running)
    except StopIteration as finished:
        result: dict[str, Any] = finished.value
        if message.method == "tools/list":
            result["tools"] = listed(connection.protocol_version)
        elif message.method == "tools/call" and "structuredContent" in result:
            result["structuredContent"] = STRUCTURED.require(request)
        if shared:
            _SHARED[shared] = result
        return result
    running.close()
    raise RuntimeError("An MCP handler waited; there is no event loop here to wait in.")


@cache
def listed(version: str) -> orjson.Fragment:
    """Return every tool as JSON, in the SDK's format for `version`, without fields that the revision lacks.

    It has some 40 kB, changes only with the service, and is read in every session of an assistant. Fields that the SDK
    drops because the protocol does not define them are added again.
    """
    result = apply_cache_hint(ListToolsResult(tools=[tool.definition for tool in tools().values()]), LISTS_HINT)
    dumped = result.model_dump(by_alias=True, mode="json", exclude_none=True)
    shaped = serialize_server_result("tools/list", version, dumped)["tools"]
    return orjson.Fragment(
        orjson.dumps([tool | {SECURITY_SCHEMES: tool["_meta"][SECURITY_SCHEMES]} for tool in shaped])
    )


def _shared_key(message: JSONRPCRequest, version: str) -> tuple[str, ...]:
    """Return what the answer depends on if it is the same for every client, otherwise nothing.

    The answer to `initialize` depends on the requested revision, but not on the client's name and capabilities.

    Raises:
        pydantic.ValidationError: the parameters of `initialize` are wrong.
    """
    if message.method == "tools/list" and not message.params:
        return ("tools/list", version)
    if message.method == "initialize" and version in HANDSHAKE_PROTOCOL_VERSIONS:
        asked = parse_client_request("initialize", version, message.params).params.protocol_version
        return ("initialize", version, asked) if asked in HANDSHAKE_PROTOCOL_VERSIONS else ()
    return ()
