"""Django's middleware for browser pages, which API requests pass by (`studyservice.http.fork`).

The API knows no session, no cookie and no form token (spec, rule 4), so it does not pay for them either; nor do the
other addresses that answer JSON, like the token endpoint. Their `Host` is checked like that of a page.
"""

from typing import Any

from csp.decorators import csp_replace
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponseBase, HttpResponsePermanentRedirect
from django.middleware.common import CommonMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.deprecation import MiddlewareMixin

from studyservice.http.page_gate import refusal
from studyservice.http.paths import is_connecting_path, is_health_path, is_json_path


class _FormsOnly(MiddlewareMixin):
    """Passes on whatever answers JSON, where no cookie is read or set."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if is_json_path(request.path_info):
            return self.get_response(request)  # type: ignore[return-value]  # never async here
        return super().__call__(request)  # type: ignore[return-value]  # nor here


class ConnectingPageMiddleware(MiddlewareMixin):
    """Lets an app's callback lead on to where it must, and an app's popup keep its opener; framing stays refused.

    Browsers hold a form to `form-action` through every redirect that follows (CSP 3 section 6.3.1), and an app may lead
    on to any address of its own. They cut a popup off from its opener at the first answer, a redirect too, whose
    `Cross-Origin-Opener-Policy` is not the opener's (HTML standard, section 7.1.3). So this stands outside of
    everything that may answer in place of a view.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Say so in every answer of these pages."""
        if is_connecting_path(request.path_info):
            response.headers["Cross-Origin-Opener-Policy"] = "unsafe-none"
            return csp_replace({"form-action": None})(lambda _: response)(request)
        return response


class PageSessionMiddleware(_FormsOnly, SessionMiddleware):
    """Sessions."""


class PageCommonMiddleware(CommonMiddleware):
    """The host check and `Content-Length`."""

    def process_request(self, request: HttpRequest) -> HttpResponsePermanentRedirect | None:
        """Check the host, but of a probe: a load balancer names an instance by its address, and gets no link."""
        return None if is_health_path(request.path_info) else super().process_request(request)


class PageCsrfMiddleware(_FormsOnly, CsrfViewMiddleware):
    """Form tokens. They are read from the body once that is allowed."""

    def process_view(self, request: HttpRequest, callback: Any, callback_args: Any, callback_kwargs: Any) -> Any:
        """Django calls this for every view, whatever `__call__` passed by."""
        if is_json_path(request.path_info):
            return None
        return refusal(request, callback) or super().process_view(request, callback, callback_args, callback_kwargs)


class PageAuthenticationMiddleware(_FormsOnly, AuthenticationMiddleware):
    """`request.user`."""


class PageMessageMiddleware(_FormsOnly, MessageMiddleware):
    """Flash messages."""
