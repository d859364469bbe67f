"""Answers to requests that the server itself refuses, before they reach the application.

A request that can be read stands in for each. It passes the same middleware as others, which adds the request id, the
log line and the common headers, and counts it against its address.
"""

import logging
import re
from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from studyservice.http.paths import API_ROOTS, is_oauth_path
from studyservice.http.responses import error_response, oauth_error_response
from studyservice.operations.errors import ApiError, InvalidRequest

logger = logging.getLogger(__name__)

REFUSAL = "studyservice.refusal"
"""Key in `META` of a request that stands in for a refused one."""

Refusal = tuple[ApiError, object]
"""The error, and why for the log."""

_REQUEST_LINE = re.compile(rb"(?:\r\n)?([A-Z]{1,20} /[!->@-~]{0,2000})")
_FORWARDED = re.compile(rb"\r\n((?:x-forwarded-for|origin):[ \t]*[ -~]+)", re.IGNORECASE)


class Unreadable(InvalidRequest):
    """The request is not HTTP."""

    default_message = "The request is not valid HTTP, lacks Host, or its line or a header is too long."


class RefusalMiddleware:
    """Answers requests that the server refused. Others pass."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        refusal: Refusal | None = request.META.get(REFUSAL)
        if refusal is None:
            return self.get_response(request)
        error, why = refusal
        logger.warning("Refused before it was a request: %s", why)
        if is_oauth_path(request.path_info):
            return oauth_error_response(error.type, error.message, error.status, error.headers)
        return error_response(error)


def head_in_place_of(head: bytes) -> bytes:
    """Return the head of the request that stands in for a refused one.

    Args:
        head: the received part of the refused request's head. Its method, path and origin are kept if they can be read.
    """
    line, base, api = _REQUEST_LINE.match(head), urlsplit(settings.BASE_URL), API_ROOTS[0]
    # Below the static files' path, a file would be served instead. Without the scheme, pages would redirect to https.
    first = line[1].replace(settings.STATIC_URL.encode(), f"{api}/".encode(), 1) if line else f"GET {api}".encode()
    own = f" HTTP/1.1\r\nHost: {base.netloc}\r\nX-Forwarded-Proto: {base.scheme}\r\nConnection: close".encode()
    return b"\r\n".join([first + own, *_FORWARDED.findall(head), b"", b""])
