"""Bodies of requests and answers: JSON, read and written with orjson, downloads, and errors.

A document that orjson refuses is read again with the standard library. So a lone surrogate (which RFC 8259 section 8.2
permits) is reported with its field as 422, and everything that is not JSON as 400.
"""

import json
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Literal, NoReturn

import orjson
from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.http import content_disposition_header
from django.views.decorators.csrf import csrf_exempt

from studyservice.http.logs import current_request_id
from studyservice.http.requests import MCP_ROOT, is_mcp_path
from studyservice.operations.answers import DownloadRow
from studyservice.operations.codec import encode, encode_in_pieces, has_long_list
from studyservice.operations.declaration import Scope
from studyservice.operations.errors import ApiError, InvalidRequest, MethodNotAllowed

JSON_TYPE = "application/json"

REFUSED = -32010
"""The JSON-RPC code for the service's errors, which `type` specifies (MCP 2026-07-28: -32000 to -32019 are for servers;
SDKs and older revisions use the first three).
"""


class ErrorResponse(HttpResponse):
    """An error as JSON.

    Attributes:
        error_type: for the log line of the request.
        cause: narrower than the type, if there is one (`ApiError.cause`).
    """

    def __init__(
        self, error_type: str, value: object, status: int, headers: Mapping[str, str], cause: str | None = None
    ) -> None:
        content = encode(value)
        length = {"Content-Length": str(len(content))}
        super().__init__(content, status=status, content_type=JSON_TYPE, headers=length | dict(headers))
        self.error_type, self.cause = error_type, cause


def json_response(value: object, status: int = HTTPStatus.OK) -> HttpResponse:
    """Return `value` as an HTTP answer. Its long lists are consumed (`encode_in_pieces`)."""
    if not has_long_list(value):
        return content_response(encode(value), status)
    response = HttpResponse(status=status, content_type=JSON_TYPE)
    length = 0
    for piece in encode_in_pieces(value):
        response.write(piece)
        length += len(piece)
    response.headers["Content-Length"] = str(length)
    return response


def content_response(content: bytes, status: int) -> HttpResponse:
    """Return encoded JSON as an HTTP answer."""
    return HttpResponse(content, status=status, content_type=JSON_TYPE, headers={"Content-Length": str(len(content))})


def download_response(file: DownloadRow, status: int) -> HttpResponseBase:
    """Return a file as a download under its name (RFC 6266), which browsers do not display."""
    content, media_type = file["content"], file["media_type"]
    if not isinstance(content, bytes):
        streamed = FileResponse(
            content, as_attachment=True, filename=file["filename"], status=status, content_type=media_type
        )
        streamed.headers["X-Content-Type-Options"] = "nosniff"
        return streamed
    headers = {
        "Content-Length": str(len(content)),
        "Content-Disposition": str(content_disposition_header(True, file["filename"])),
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(content, status=status, content_type=media_type, headers=headers)


def error_response(error: ApiError) -> HttpResponse:
    """Return `error` as an HTTP answer, in the envelope."""
    return ErrorResponse(error.type, error.envelope(current_request_id()), error.status, error.headers, error.cause)


def rpc_error_response(error: ApiError) -> HttpResponse:
    """Return `error` as an HTTP answer to an MCP client: the envelope and a JSON-RPC error without an id in one.

    The official Python client shows the message of the JSON-RPC error, and nothing of any other body.
    """
    code_and_rest = {"code": REFUSED} | error.envelope(current_request_id())["error"]
    body = {"jsonrpc": "2.0", "id": None, "error": code_and_rest}
    return ErrorResponse(error.type, body, error.status, error.headers, error.cause)


def oauth_error_response(
    code: str, description: str, status: HTTPStatus, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """Return an error of an OAuth endpoint (RFC 6749 section 5.2)."""
    body = {"error": code, "error_description": description}
    return ErrorResponse(code, body, status, {"Cache-Control": "no-store", **(headers or {})})


_READ = ("GET", "HEAD")


def read_only(view: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Restrict `view` to GET and HEAD. Other methods get an error in the envelope."""

    @csrf_exempt
    def answer(request: HttpRequest) -> HttpResponse:
        if request.method not in _READ:
            return error_response(MethodNotAllowed(headers={"Allow": ", ".join(_READ)}))
        return view(request)

    return answer


class BodyTooLarge(InvalidRequest):
    """The body exceeds the limit for API requests, `most` bytes."""

    def __init__(self, most: int) -> None:
        super().__init__(f"The body is larger than {most} bytes.")


def decode(raw: bytes) -> Any:
    """Return the JSON value in `raw`.

    Raises:
        InvalidRequest: `raw` is not JSON: malformed, infinite, nested too deeply, not UTF-8, or with a byte-order mark.
    """
    try:
        return orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        reason = str(error)
    try:
        return json.loads(raw.decode(), parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError):
        raise InvalidRequest(f"The body is not valid JSON: {reason}.") from None


def _refuse(_constant: str) -> NoReturn:
    raise ValueError


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError
    return number


def read_json(request: HttpRequest, *, long: bool = False) -> Any:
    """Return the JSON body of `request`. An empty body is read as `{}`.

    Args:
        long: whether the limit is `MAX_LONG_BODY_BYTES` instead of `MAX_BODY_BYTES`.

    Raises:
        InvalidRequest: the body is too large, lacks the JSON content type, or is not JSON.
    """
    raw = read_raw(request, long=long)
    if not raw:
        return {}
    if request.content_type != JSON_TYPE:
        raise InvalidRequest(f"Send the body as JSON, with the header Content-Type: {JSON_TYPE}.")
    return decode(raw)


def read_raw(request: HttpRequest, *, long: bool = False) -> bytes:
    """Return the body of `request`.

    Args:
        long: whether the limit is `MAX_LONG_BODY_BYTES` instead of `MAX_BODY_BYTES`.

    Raises:
        BodyTooLarge: it exceeds the limit.
        InvalidRequest: it is encoded.
    """
    require_plain(request)
    most = settings.MAX_LONG_BODY_BYTES if long else settings.MAX_BODY_BYTES
    if content_length(request) > most:
        raise BodyTooLarge(most)
    return request.body


def require_plain(request: HttpRequest) -> None:
    """Refuse an encoded body.

    Raises:
        InvalidRequest: it is encoded.
    """
    if request.META.get("HTTP_CONTENT_ENCODING", "identity").strip().lower() not in {"", "identity"}:
        raise InvalidRequest("Send the body as it is, without Content-Encoding.")


def content_length(request: HttpRequest) -> int:
    """Return the declared length of the body in bytes; 0 if there is none.

    Raises:
        InvalidRequest: it is not a number.
    """
    length: str = request.META.get("CONTENT_LENGTH") or "0"
    if not (length.isascii() and length.isdecimal()):
        raise InvalidRequest("The Content-Length header is not a number.")
    return int(length)


Reason = Literal["invalid_token", "insufficient_scope"]
"""The error codes of RFC 6750 section 3.1. A request without a credential has none."""


def challenge(path: str, error: Reason | None = None, description: str = "") -> str:
    """Return the challenge for a request to `path`, which points to its resource metadata (RFC 9728 section 5.1).

    `description` explains the error to developers. It has no quotation mark and no backslash (RFC 6750 section 3). On
    `/mcp`, and for a missing scope, the challenge also names the scopes that a client should request (MCP
    authorization, Scope Selection Strategy).
    """
    is_mcp = is_mcp_path(path)
    metadata = f"{settings.BASE_URL}/.well-known/oauth-protected-resource{MCP_ROOT if is_mcp else ''}"
    parts = [f'resource_metadata="{metadata}"']
    if is_mcp or error == "insufficient_scope":
        parts.append(f'scope="{" ".join(Scope)}"')
    if error is not None:
        described = [f'error_description="{description}"'] if description else []
        parts = [f'error="{error}"', *described, *reversed(parts)]
    return f"Bearer {', '.join(parts)}"
