"""Errors outside operations, as a page or as JSON depending on the path: Django's `handler…` views, and refusals."""

import logging
import sys
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import is_valid_path, reverse
from django.utils.deprecation import MiddlewareMixin

from studyservice.http.error_pages import error_page
from studyservice.http.paths import MCP_ROOT, is_json_path, is_meant_for_mcp, is_oauth_path
from studyservice.http.request_keys import REFUSAL
from studyservice.http.responses import error_response, oauth_error_response, rpc_error_response
from studyservice.http.sent_back import is_from_here, is_members_form, sent_back
from studyservice.operations.errors import ApiError, InsufficientScope, InternalError, InvalidRequest, NotFound

logger = logging.getLogger(__name__)


class RefusalMiddleware(MiddlewareMixin):
    """Answers requests that were refused before. The innermost middleware, so that all others see the answer.

    The server refuses what is not HTTP; a request that can be read then stands in for it.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """Return the refusal of `request`, if there is one."""
        refusal = REFUSAL.get(request)
        if refusal is None:
            return None
        error, reason = refusal
        if reason:
            logger.warning("Refused before it was a request: %s", reason)
        if is_oauth_path(request.path_info):
            return oauth_error_response(error.type, error.message, error.status, error.headers)
        return error_response(error)


def _page_or_envelope(
    request: HttpRequest, error: ApiError, title: str, text: str, *, wrong_account: bool = False
) -> HttpResponse:
    if is_oauth_path(request.path_info):
        code = "server_error" if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request"
        return oauth_error_response(code, error.message, error.status, error.headers)
    if is_json_path(request.path_info):
        return error_response(error)
    return error_page(request, error.status, title, text, headers=error.headers, wrong_account=wrong_account)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """`handler400`: Django refused the request before any view saw it."""
    text = "Your browser sent a request that we could not read. Go back, reload the page and try again."
    return _page_or_envelope(request, InvalidRequest(), "The request could not be understood", text)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """`handler403`."""
    text = "Your account has no access to this page. Sign in with one that has."
    return _page_or_envelope(request, InsufficientScope(), "Not allowed", text, wrong_account=True)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """`CSRF_FAILURE_VIEW`: the form token is missing, or the form was posted from another site."""
    if is_members_form(request) and is_from_here(request):
        told = (
            "Nothing was saved: you signed in again since you opened the page, or it was open for too long. "
            "Check what you entered, then send it again."
        )
        return sent_back(request, HTTPStatus.FORBIDDEN, "This page was out of date", told)
    text = (
        "Nothing was changed. The page may have been open for too long, or the browser refuses cookies. "
        "Go back, reload the page and send the form again."
    )
    return _page_or_envelope(request, InsufficientScope(), "The form could not be checked", text)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """`handler404`: no such route, or the member has no such object."""
    title = "Page not found"
    if is_meant_for_mcp(request.path_info) or request.path_info == "/":  # only POST has a route there
        told = f"{title}. The MCP address is {settings.BASE_URL}{MCP_ROOT}."
        return rpc_error_response(NotFound(told, headers={"Cache-Control": "no-store"}))
    if is_members_form(request):
        told = (
            "Nothing was saved: it was deleted since you opened the page, perhaps in another tab or by an app. "
            "If that was a mistake, restore it in Activity first."
        )
        return sent_back(request, HTTPStatus.NOT_FOUND, "This no longer exists", told)
    text = "Check the address for typos, or start from the home page."
    return _page_or_envelope(request, NotFound(f"{title}.{_hint(request)}"), title, text)


def _hint(request: HttpRequest) -> str:
    """Return a hint that leads a program from a wrong address to the right one."""
    path = request.path_info
    if path.endswith("/") and is_valid_path(path.rstrip("/")):
        return f" Leave out the slash at its end: {path.rstrip('/')}."
    return f" Every operation is listed at {settings.BASE_URL}{reverse('docs')}."


def server_error(request: HttpRequest) -> HttpResponse:
    """`handler500`: the error is in the log under the request id. Django calls this while handling it."""
    text = "Try again in a few minutes. If it happens again, send us the request id below."
    return _page_or_envelope(request, InternalError.of(sys.exception()), "Something went wrong on our side", text)
