"""The HTTP endpoint: MCP's Streamable HTTP, stateless, with JSON answers."""

from functools import lru_cache
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from mcp.types import PARSE_ERROR

from mcpbridge.exchange import exchange, refusal
from studyservice.http.bodies import (
    JSON_TYPE,
    BodyTooLarge,
    decode,
    error_response,
    json_response,
    read_raw,
    rpc_error_response,
)
from studyservice.http.requests import MESSAGE_REFUSED, PROBE
from studyservice.operations.errors import InvalidRequest, MethodNotAllowed, RateLimited

_PROBES = frozenset({"GET", "HEAD", "DELETE"})
"""Methods that open a stream or end a session. A server without either answers 405 (MCP, Streamable HTTP)."""


class NotAcceptable(InvalidRequest):
    """The client does not accept JSON."""

    status = HTTPStatus.NOT_ACCEPTABLE
    default_message = f"Answers are JSON. Send Accept: {JSON_TYPE}, text/event-stream."


class UnsupportedMediaType(InvalidRequest):
    """The body is not declared as JSON."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    default_message = f"Send the message as JSON, with the header Content-Type: {JSON_TYPE}."


class ContentTooLarge(InvalidRequest):
    """The body exceeds the limit."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


@csrf_exempt
def endpoint(request: HttpRequest) -> HttpResponse:
    """Answer a POST. There are no streams to GET and no sessions to DELETE.

    Any Origin may call, as in REST (spec, rule 4). No cookie is read, so a page has only the credential that it was
    given.
    """
    if request.method == "OPTIONS":
        return _empty(HTTPStatus.NO_CONTENT, Allow="POST, OPTIONS")
    if request.method in _PROBES:
        PROBE.set(request, True)
    if request.method != "POST":
        return error_response(MethodNotAllowed(headers={"Allow": "POST"}))
    request.get_host()  # refuses a Host that is not ours (MCP transports, Security Warning: DNS rebinding)
    try:
        _check_headers(request)
        raw = read_raw(request, long=True)
    except BodyTooLarge as error:
        return error_response(ContentTooLarge(error.message))
    except InvalidRequest as error:
        return error_response(error)
    try:
        message = decode(raw)
    except InvalidRequest as error:
        reply = refusal(PARSE_ERROR, error.message)
    else:
        try:
            reply = exchange(request, message)
        except RateLimited as error:
            return rpc_error_response(error)
    last = reply.body[-1] if isinstance(reply.body, list) else reply.body or {}
    MESSAGE_REFUSED.set(request, "error" in last)
    return _empty(reply.status) if reply.body is None else json_response(reply.body, reply.status)


endpoint.__dict__["max_body_bytes"] = settings.MAX_LONG_BODY_BYTES


def _empty(status: int, **headers: str) -> HttpResponse:
    response = HttpResponse(status=status, headers=headers)
    del response.headers["Content-Type"]
    return response


def _check_headers(request: HttpRequest) -> None:
    if not _takes_json(request.META.get("HTTP_ACCEPT", "*/*")):
        raise NotAcceptable
    if request.content_type != JSON_TYPE:
        raise UnsupportedMediaType


@lru_cache(maxsize=100)
def _takes_json(accept: str) -> bool:
    """Return whether an `Accept` header accepts JSON. Django would parse it on each request."""
    request = HttpRequest()
    request.META["HTTP_ACCEPT"] = accept
    return request.accepts(JSON_TYPE)
