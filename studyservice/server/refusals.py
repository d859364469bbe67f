"""Answers to requests that the server itself refuses, before they reach the application.

They pass through the application's middleware, which adds the request id, the log line and the common headers. A
request that cannot be read counts against its address.
"""

import io
import logging
import re
from collections.abc import Callable
from email.utils import formatdate
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from studyservice.http.responses import error_response
from studyservice.operations.errors import ApiError, InternalError, InvalidRequest

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

logger = logging.getLogger(__name__)

_REFUSED = "studyservice.refused"
_REQUEST_LINE = re.compile(rb"(?:\r\n)?([A-Z]{1,20}) (/[^? \r\n]*)")
_FORWARDED = re.compile(rb"\r\n(x-forwarded-for|origin):[ \t]*([\x21-\x7e][\x20-\x7e]*)", re.IGNORECASE)
_MOST_OF_PATH = 2_000
_UNREADABLE = "The request is not valid HTTP, lacks Host, or its line or a header is too long."


class UnreadableRequest(Exception):
    """The request is not valid HTTP, lacks Host, or is too long."""


class RefusalMiddleware:
    """Answers requests that the server refused. Others pass."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        refused: tuple[ApiError, BaseException] | None = request.META.get(_REFUSED)
        if refused is None:
            return self.get_response(request)
        error, cause = refused
        if isinstance(error, InternalError):
            logger.error("Error answering a request", exc_info=cause)
        else:
            logger.warning("Refused before it was a request: %s", cause)
        return error_response(error)


def refuse(application: "WSGIApplication", head: bytes, peer: str, cause: BaseException) -> bytes:
    """Return the whole answer. The connection closes after it.

    Args:
        head: the received part of the request's head. Its method, path and origin are used if they can be read.
        peer: the address of the connection.
        cause: for the log; the client only learns if the request was at fault.
    """
    told: list[str] = []

    def start_response(status: str, headers: list[tuple[str, str]], *_: Any) -> Any:
        told.append(f"HTTP/1.1 {status}")
        told.extend(f"{name}: {value}" for name, value in headers)

    unreadable = isinstance(cause, UnreadableRequest)
    error: ApiError = InvalidRequest(_UNREADABLE) if unreadable else InternalError()
    environ = _environ(head, peer)
    answer = application(environ | {_REFUSED: (error, cause)}, start_response)
    body = b"".join(answer)
    if hasattr(answer, "close"):
        answer.close()
    length = (
        [] if any(line.lower().startswith("content-length:") for line in told) else [f"Content-Length: {len(body)}"]
    )
    told[1:1] = [f"Date: {formatdate(usegmt=True)}", "Connection: close", *length]
    return "\r\n".join((*told, "", "")).encode("latin-1") + (b"" if environ["REQUEST_METHOD"] == "HEAD" else body)


def _environ(head: bytes, peer: str) -> dict[str, Any]:
    line = _REQUEST_LINE.match(head)
    method, path = (
        (line[1].decode(), unquote_to_bytes(line[2])[:_MOST_OF_PATH].decode("latin-1")) if line else ("GET", "/")
    )
    base = urlsplit(settings.BASE_URL)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method,
        # Below the static files' path, a file would be served instead of the refusal.
        "PATH_INFO": "/" if path.startswith(settings.STATIC_URL) else path,
        "QUERY_STRING": "",
        "SERVER_NAME": base.hostname,
        "SERVER_PORT": str(base.port or ""),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": peer,
        "HTTP_HOST": base.netloc,
        # Otherwise a middleware would redirect to https and hide the reason.
        "wsgi.url_scheme": base.scheme,
        "HTTP_X_FORWARDED_PROTO": base.scheme,
        "wsgi.input": io.BytesIO(),
    }
    names = {b"origin": "HTTP_ORIGIN", b"x-forwarded-for": "HTTP_X_FORWARDED_FOR"}
    found = _FORWARDED.findall(head)
    for name, value in found:
        key, text = names[name.lower()], value.decode()
        environ[key] = f"{environ[key]},{text}" if key in environ else text
    return environ
