"""Middleware of pages, which does nothing for API requests, and of every answer: cache headers and refusals.

The API has no sessions, cookies or form tokens (spec, rule 4), so it does not pay for them. Nor do other JSON
endpoints, like the token endpoint. Their `Host` is checked like that of a page.

Cache headers (RFC 9111) are set for every URL except members' pages, which set them with Django's `never_cache`. Error
pages set their own.
"""

import logging
from collections.abc import Callable
from typing import Any, TypeVar

from csp.constants import SELF
from csp.decorators import csp_replace, csp_update
from csp.middleware import CSPMiddleware
from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponsePermanentRedirect
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.common import CommonMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.deprecation import MiddlewareMixin

from studyservice.http.bodies import error_response, oauth_error_response
from studyservice.http.forms import refusal
from studyservice.http.requests import (
    REFUSAL,
    is_api_path,
    is_connecting_path,
    is_description_path,
    is_health_path,
    is_json_path,
    is_oauth_path,
    is_unstored_path,
)

logger = logging.getLogger(__name__)

_Middleware = TypeVar("_Middleware", bound=type[MiddlewareMixin])


def _only(method: Any, skips: Callable[[str], bool]) -> Any:
    """Return `method` of a middleware, which returns the answer or None where `skips` accepts the path."""

    def process(self: Any, request: HttpRequest, *rest: Any) -> Any:
        if skips(request.path_info):
            return rest[0] if method.__name__ == "process_response" else None
        return method(self, request, *rest)

    return process


def _skip(skips: Callable[[str], bool]) -> Callable[[_Middleware], _Middleware]:
    """Let a middleware do nothing for paths that `skips` accepts. Django calls `process_view` for every view."""

    def decorate(middleware: _Middleware) -> _Middleware:
        for name in ("process_request", "process_view", "process_response"):
            if hasattr(middleware, name):
                setattr(middleware, name, _only(getattr(middleware, name), skips))
        return middleware

    return decorate


@_skip(is_api_path)
class PagePolicyMiddleware(CSPMiddleware):
    """`Content-Security-Policy`. API answers are data and have none."""


@_skip(is_api_path)
class PageFrameMiddleware(XFrameOptionsMiddleware):
    """`X-Frame-Options`."""


class ConnectingPageMiddleware(MiddlewareMixin):
    """Lets an app's callback redirect further, and an app's popup keep its opener. Framing stays refused.

    Browsers apply `form-action` to every redirect after a form (CSP 3 section 6.3.1), and an app may redirect to any
    address. They also separate a popup from its opener at the first answer, even a redirect, with a different
    `Cross-Origin-Opener-Policy` (HTML standard, section 7.1.3). So this wraps all middleware that may answer instead of
    a view.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Set the headers on every answer of these pages."""
        if is_connecting_path(request.path_info):
            response.headers["Cross-Origin-Opener-Policy"] = "unsafe-none"
            return csp_replace({"form-action": None})(lambda _: response)(request)
        return response


@_skip(is_json_path)
class PageSessionMiddleware(SessionMiddleware):
    """Sessions."""


@_skip(is_api_path)
class PageCommonMiddleware(CommonMiddleware):
    """The host check and `Content-Length`."""

    def process_request(self, request: HttpRequest) -> HttpResponsePermanentRedirect | None:
        """Check the host, except for probes: a load balancer uses an instance's IP address, and gets no link back."""
        return None if is_health_path(request.path_info) else super().process_request(request)


@_skip(is_json_path)
class PageCsrfMiddleware(CsrfViewMiddleware):
    """Form tokens. The body is read for them only after `refusal` has admitted it."""

    def process_view(self, request: HttpRequest, callback: Any, callback_args: Any, callback_kwargs: Any) -> Any:
        """Check the rate and the size of the request, then its token."""
        return refusal(request, callback) or super().process_view(request, callback, callback_args, callback_kwargs)


@_skip(is_json_path)
class PageAuthenticationMiddleware(AuthenticationMiddleware):
    """`request.user`."""


@_skip(is_json_path)
class PageMessageMiddleware(MessageMiddleware):
    """Flash messages."""


class RefusalMiddleware(MiddlewareMixin):
    """Answers requests that were refused before. The innermost middleware, so that all others see the answer.

    The server refuses what is not HTTP; a request that can be read then stands in for it.
    """

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """Return the refusal of `request`, if there is one."""
        refused = REFUSAL.get(request)
        if refused is None:
            return None
        error, reason = refused
        if reason:
            logger.warning("Refused before it was a request: %s", reason)
        if is_oauth_path(request.path_info):
            return oauth_error_response(error.type, error.message, error.status, error.headers)
        return error_response(error)


def may_fetch(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Let the scripts of a page send requests to this site."""
    csp_update({"connect-src": [SELF]})(lambda _: response)(request)
    return response


DESCRIPTION_SECONDS = 300
"""How long a cache may keep an outdated description of the service."""

_UNSTORED = "no-store"
_SHORT = f"public, max-age={DESCRIPTION_SECONDS}"


class CacheControlMiddleware(MiddlewareMixin):
    """Sets `Cache-Control`, also on refusals and redirects, unless the view has set it."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Set the header."""
        if is_unstored_path(request.path_info):
            response.headers.setdefault("Cache-Control", _UNSTORED)
        elif is_description_path(request.path_info):
            response.headers.setdefault("Cache-Control", _SHORT if response.status_code == 200 else _UNSTORED)
        return response


def site_links(request: HttpRequest) -> dict[str, str]:
    """Return `contact_url`, `privacy_url` and `terms_url`, empty if the operators did not set them."""
    return {
        "contact_url": settings.CONTACT_URL,
        "privacy_url": settings.PRIVACY_URL,
        "terms_url": settings.TERMS_URL,
    }
