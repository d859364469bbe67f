"""The gate before every API route: credential and rate limit."""

import logging
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse

from accounts.credentials import credential_of
from studyservice.http.client_address import client_address
from studyservice.http.paths import MCP_ROOT, is_api_path, is_mcp_path
from studyservice.http.responses import error_response
from studyservice.operations.declaration import Scope
from studyservice.operations.errors import InternalError, InvalidRequest, RateLimited, Unauthorized
from studyservice.rates.limiter import Rate, Window, hit, peek
from studyservice.server.lanes import MEMBER

logger = logging.getLogger(__name__)

_PLAIN_HTTP = "Use https. A credential that was sent over http may have been read on the way: replace it."


class CredentialMiddleware:
    """Resolves the credential of an API request and counts the request, once, against its fixed window.

    A request without a live credential counts against its client address. Unknown routes are counted and answered 404;
    only a route that exists goes on to 401 and 429 (`process_view`). Where the service stands behind https, plain http
    is refused. CORS preflight needs no credential and is not counted; any other OPTIONS on `/mcp` needs no credential
    either. Every answer carries the `RateLimit-*` headers (spec, Conventions 5).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Count `request`, and go on with its credential."""
        if not is_api_path(request.path_info):
            return self.get_response(request)
        if is_preflight(request):
            window = peek(Rate.API, client_address(request))
            response = self.get_response(request)
        else:
            window, response = self._counted(request)
        for name, value in window.headers().items():
            response.headers[name] = value
        return response

    def _counted(self, request: HttpRequest) -> tuple[Window, HttpResponse]:
        if settings.SECURE_SSL_REDIRECT and not request.is_secure():
            return hit(Rate.API, client_address(request)), error_response(InvalidRequest(_PLAIN_HTTP))
        try:
            credential = credential_of(request)
        except DatabaseError as error:
            logger.exception("The credential could not be looked up")
            return hit(Rate.API, client_address(request)), error_response(InternalError.of(error))
        window = hit(Rate.API, str(credential.id) if credential else client_address(request))
        request.credential = credential  # type: ignore[attr-defined]  # read by the viewset and the log
        request.window = window  # type: ignore[attr-defined]  # read by process_view
        if credential is not None:
            request.META[MEMBER] = credential.member.id  # for the order in which requests are served
        return window, self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> HttpResponse | None:
        """401 or 429 for a route that exists."""
        window: Window | None = getattr(request, "window", None)
        if window is None:
            return None
        if window.exceeded:
            return error_response(RateLimited(headers={"Retry-After": str(window.reset)}))
        is_open = request.method == "OPTIONS" and is_mcp_path(request.path_info)
        if request.credential is None and not is_open:  # type: ignore[attr-defined]  # set above
            return error_response(Unauthorized(headers={"WWW-Authenticate": challenge(request)}))
        return None


def is_preflight(request: HttpRequest) -> bool:
    """Whether this is a CORS preflight (Fetch standard, CORS-preflight request)."""
    return request.method == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in request.META


def challenge(request: HttpRequest) -> str:
    """The `WWW-Authenticate` value that points at the resource metadata (RFC 9728 section 5.1).

    On `/mcp` it also names the scopes that a client should ask for (MCP authorization, Scope Selection Strategy).
    """
    metadata = f"{settings.BASE_URL}/.well-known/oauth-protected-resource"
    if is_mcp_path(request.path_info):
        return f'Bearer resource_metadata="{metadata}{MCP_ROOT}", scope="{" ".join(Scope)}"'
    return f'Bearer resource_metadata="{metadata}"'
