"""Django's middleware for browser pages, which API requests bypass (`studyservice.http.fork`).

The API has no sessions, cookies or form tokens (spec, rule 4), so it does not pay for them. Nor do other JSON
endpoints, like the token endpoint. Their `Host` is checked like that of a page.
"""

from typing import Any

from csp.constants import SELF
from csp.decorators import csp_replace, csp_update
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponsePermanentRedirect
from django.middleware.common import CommonMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.deprecation import MiddlewareMixin

from studyservice.http.page_gate import refusal
from studyservice.http.paths import is_connecting_path, is_health_path, is_json_path


class _FormsOnly(MiddlewareMixin):
    """Skips JSON endpoints, which neither read nor set cookies."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if is_json_path(request.path_info):
            return self.get_response(request)  # type: ignore[return-value]  # never async here
        return super().__call__(request)  # type: ignore[return-value]  # nor here


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


class PageSessionMiddleware(_FormsOnly, SessionMiddleware):
    """Sessions."""


class PageCommonMiddleware(CommonMiddleware):
    """The host check and `Content-Length`."""

    def process_request(self, request: HttpRequest) -> HttpResponsePermanentRedirect | None:
        """Check the host, except for probes: a load balancer uses an instance's IP address, and gets no link back."""
        return None if is_health_path(request.path_info) else super().process_request(request)


class PageCsrfMiddleware(_FormsOnly, CsrfViewMiddleware):
    """Form tokens. The body is read for them only after `page_gate` has admitted it."""

    def process_view(self, request: HttpRequest, callback: Any, callback_args: Any, callback_kwargs: Any) -> Any:
        """Skip JSON endpoints here too, because Django calls this for every view."""
        if is_json_path(request.path_info):
            return None
        return refusal(request, callback) or super().process_view(request, callback, callback_args, callback_kwargs)


class PageAuthenticationMiddleware(_FormsOnly, AuthenticationMiddleware):
    """`request.user`."""


class PageMessageMiddleware(_FormsOnly, MessageMiddleware):
    """Flash messages."""


def may_fetch(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Let the scripts of a page send requests to this site."""
    csp_update({"connect-src": [SELF]})(lambda _: response)(request)
    return response
