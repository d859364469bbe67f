"""JSON answers, and errors as JSON answers."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse

from studyservice.http.request_ids import current_request_id
from studyservice.operations.codec import encode
from studyservice.operations.errors import ApiError

JSON_TYPE = "application/json"


def json_response(value: object, status: int = HTTPStatus.OK) -> HttpResponse:
    """`value` as an HTTP answer."""
    content = encode(value)
    return HttpResponse(content, status=status, content_type=JSON_TYPE, headers={"Content-Length": str(len(content))})


def error_response(error: ApiError) -> HttpResponse:
    """`error` as a plain HTTP answer, for code outside DRF."""
    response = json_response(error.envelope(current_request_id()), error.status)
    for name, value in error.headers.items():
        response.headers[name] = value
    response.error_type = error.type  # type: ignore[attr-defined]  # for the request log
    return response


def oauth_error_response(
    code: str, description: str, status: HTTPStatus, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """An error of an OAuth endpoint (RFC 6749 section 5.2)."""
    response = json_response({"error": code, "error_description": description}, status)
    for name, value in {"Cache-Control": "no-store", **(headers or {})}.items():
        response.headers[name] = value
    response.error_type = code  # type: ignore[attr-defined]  # for the request log
    return response


def exception_handler(exc: Exception, context: Any) -> HttpResponse | None:
    """DRF's `EXCEPTION_HANDLER`: what an operation raised, as the envelope; None lets Django answer 500."""
    return error_response(exc) if isinstance(exc, ApiError) else None
