"""JSON answers and errors."""

from collections.abc import Mapping
from http import HTTPStatus

from django.http import FileResponse, HttpResponse, HttpResponseBase
from django.utils.http import content_disposition_header

from studyservice.http.request_ids import current_request_id
from studyservice.operations.codec import encode, encode_in_pieces, has_long_list
from studyservice.operations.downloads import DownloadRow
from studyservice.operations.errors import ApiError

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
