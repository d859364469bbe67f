"""Answer one POST to the endpoint: JSON-RPC messages, in each revision of the protocol.

From the SDK, this module uses the JSON-RPC models, and the inbound ladder of revision 2026-07-28 with its HTTP statuses
(mcp.shared.inbound). The SDK's own endpoint, `StreamableHTTPSessionManager`, is an ASGI application with sessions and
streams. This service has neither and answers in threads, so a POST is interpreted here, and `mcpbridge.running` answers
each request.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pydantic
from django.http import HttpRequest
from mcp.server.connection import Connection
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    MCP_PROTOCOL_VERSION_HEADER,
    InboundLadderRejection,
    classify_inbound_request,
)
from mcp.types import (
    DEFAULT_NEGOTIATED_VERSION,
    INVALID_PARAMS,
    INVALID_REQUEST,
    PROTOCOL_VERSION_META_KEY,
    UNSUPPORTED_PROTOCOL_VERSION,
    ErrorData,
    JSONRPCNotification,
    JSONRPCRequest,
    RequestId,
)
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS, SUPPORTED_PROTOCOL_VERSIONS

from accounts.api.middleware import count_more
from mcpbridge.running import result_of
from studyservice.operations.errors import RateLimited

MAX_BATCH = 20
"""Maximum number of messages in a batch. Each request counts against the rate limit."""

_VERSION_KEY = f"HTTP_{MCP_PROTOCOL_VERSION_HEADER.upper().replace('-', '_')}"
"""The key of the header in a WSGI environment. Django's `headers` would parse all of them first."""

_BATCH_VERSION = DEFAULT_NEGOTIATED_VERSION
"""2025-03-26, which supports batches. It is the default without the version header, which it did not have."""

_OBJECTS = frozenset({"arguments", "capabilities", "_meta"})
"""Parameters that are objects."""

_MOST_EXACT = 2.0**53
"""The largest number below which a float stands for exactly one whole number."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a POST: its HTTP status and its JSON body, or None without a body."""

    status: int
    body: Any = None


@dataclass(frozen=True, slots=True)
class _Call:
    """A request to answer.

    Attributes:
        connection: the SDK's data about the client, mainly the revision.
        error_statuses: HTTP status by error code; 200 for all others.
    """

    message: JSONRPCRequest
    connection: Connection
    error_statuses: Mapping[int, int]


_ACCEPTED = Reply(202)


def exchange(request: HttpRequest, message: Any) -> Reply:
    """Answer the message, or the batch of messages, in a POST.

    Raises:
        RateLimited: the batch has more requests than remain; none of them ran.
    """
    version: str = request.META.get(_VERSION_KEY, DEFAULT_NEGOTIATED_VERSION)
    message = [_tolerant(one) for one in message] if isinstance(message, list) else _tolerant(message)
    is_batch = isinstance(message, list) and version == _BATCH_VERSION
    if is_batch and (refused := _batch_refusal(message)) is not None:
        return refused
    calls = [_read(request, one, version) for one in (message if is_batch else [message])]
    if is_batch:
        _count_batch(request, calls)
    replies: list[Reply] = []
    for call in calls:
        if isinstance(call, Reply):
            replies.append(call)
            continue
        try:
            result = result_of(request, call.message, call.connection)
        except MCPError as error:
            replies.append(_failed(error.error, call.message.id, call.error_statuses.get(error.code, 200)))
        except pydantic.ValidationError:
            misfit = ErrorData(code=INVALID_PARAMS, message="The parameters do not fit the method.")
            replies.append(_failed(misfit, call.message.id, call.error_statuses.get(INVALID_PARAMS, 200)))
        else:
            replies.append(Reply(200, {"jsonrpc": "2.0", "id": call.message.id, "result": result}))
    if not is_batch:
        return replies[0]
    bodies = [reply.body for reply in replies if reply.body is not None]
    return Reply(200, bodies) if bodies else _ACCEPTED


def _batch_refusal(messages: list[Any]) -> Reply | None:
    """Return the error for a batch that cannot be answered at all."""
    if not 0 < len(messages) <= MAX_BATCH:
        return refusal(INVALID_REQUEST, f"A batch holds 1 to {MAX_BATCH} messages.")
    if any(isinstance(message, dict) and message.get("method") == "initialize" for message in messages):
        return refusal(INVALID_REQUEST, "initialize must not be part of a batch.")
    return None


def _count_batch(request: HttpRequest, calls: list[_Call | Reply]) -> None:
    """Count the requests of the batch except one, which was counted when the POST arrived.

    Raises:
        RateLimited: the batch has more requests than remain.
    """
    window = count_more(request, sum(isinstance(call, _Call) for call in calls) - 1)
    if window is not None and window.exceeded:
        raise RateLimited(window.reset)


def _read(request: HttpRequest, message: Any, version: str) -> _Call | Reply:
    """Return the request in a message, or the reply if there is none to run.

    A request that names its revision is read by that, whatever the header says. Errors of a revision with a handshake
    are 200 once the message itself is valid.
    """
    has_handshake = version in HANDSHAKE_PROTOCOL_VERSIONS
    parsed = _parsed(message)
    names_version = isinstance(parsed, JSONRPCRequest) and _names_its_version(parsed)
    if version not in SUPPORTED_PROTOCOL_VERSIONS and not names_version:
        supported = list(SUPPORTED_PROTOCOL_VERSIONS)
        text = f"Unsupported protocol version. Send MCP-Protocol-Version once, with one of {', '.join(supported)}."
        data = {"supported": supported, "requested": version}
        return refusal(UNSUPPORTED_PROTOCOL_VERSION, text, data, request_id=getattr(parsed, "id", None))
    if isinstance(parsed, JSONRPCNotification) or (has_handshake and _is_response(message)):
        return _ACCEPTED  # a stateless server ignores all notifications, and sends no requests
    if parsed is None:
        return _MALFORMED
    if has_handshake and (parsed.method == "initialize" or not names_version):
        return _Call(parsed, Connection.from_envelope(version, None, None), {})
    route = classify_inbound_request(message, headers={name.lower(): text for name, text in request.headers.items()})
    if isinstance(route, InboundLadderRejection):
        return _rejected(route, parsed.id)
    connection = Connection.from_envelope(route.protocol_version, route.client_info, route.client_capabilities)
    return _Call(parsed, connection, ERROR_CODE_HTTP_STATUS)


def _is_response(message: Any) -> bool:
    return isinstance(message, dict) and "method" not in message and not message.keys().isdisjoint({"result", "error"})


def _tolerant(message: Any) -> Any:
    """Return a message with an id `1.0` as 1, and empty lists in place of objects as objects.

    JSON has one kind of number, and PHP writes an empty array as `[]`, whatever it stands for.
    """
    if not isinstance(message, dict):
        return message
    number = message.get("id")
    if isinstance(number, float) and number.is_integer() and abs(number) <= _MOST_EXACT:
        message = {**message, "id": int(number)}
    params = {} if message.get("params") == [] else message.get("params")
    if isinstance(params, dict):
        params = {name: {} if value == [] and name in _OBJECTS else value for name, value in params.items()}
        message = {**message, "params": params}
    return message


def _rejected(rejection: InboundLadderRejection, request_id: RequestId) -> Reply:
    """Return the SDK's error. If it is about the revision, name all that this server supports."""
    data = rejection.data
    if rejection.code == UNSUPPORTED_PROTOCOL_VERSION:
        data = {**(data or {}), "supported": list(SUPPORTED_PROTOCOL_VERSIONS)}
    return refusal(rejection.code, rejection.message, data, request_id=request_id)


def _parsed(message: Any) -> JSONRPCRequest | JSONRPCNotification | None:
    """Return the message, or None if it is invalid. A notification is one without an id (JSON-RPC 2.0 section 4.1)."""
    is_notification = isinstance(message, dict) and "id" not in message
    try:
        parsed = (JSONRPCNotification if is_notification else JSONRPCRequest).model_validate(message)
    except pydantic.ValidationError:
        return None
    return parsed if _can_be_echoed(parsed) else None


def _can_be_echoed(parsed: JSONRPCRequest | JSONRPCNotification) -> bool:
    """Return whether all values that answers repeat are valid Unicode. JSON allows lone surrogates."""
    repeated = (getattr(parsed, "id", None), parsed.method, (parsed.params or {}).get("name"))
    try:
        "".join(text for text in repeated if isinstance(text, str)).encode()
    except UnicodeEncodeError:
        return False
    return True


def _names_its_version(parsed: JSONRPCRequest) -> bool:
    """Return whether the request contains its protocol revision, as in 2026-07-28."""
    meta = (parsed.params or {}).get("_meta")
    return isinstance(meta, dict) and PROTOCOL_VERSION_META_KEY in meta


def refusal(code: int, message: str, data: Any = None, *, request_id: RequestId | None = None) -> Reply:
    """Return a JSON-RPC error about the message itself. Without an id if none could be read."""
    error = ErrorData(code=code, message=message, data=data)
    return _failed(error, request_id, ERROR_CODE_HTTP_STATUS[code])


def _failed(error: ErrorData, request_id: RequestId | None, status: int) -> Reply:
    body = {"jsonrpc": "2.0", "id": request_id, "error": error.model_dump(exclude_none=True)}
    return Reply(status, body)


_MALFORMED = refusal(INVALID_REQUEST, "Send one JSON-RPC 2.0 request or notification.")
