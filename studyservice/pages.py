"""Django's middleware for browser pages, which API requests pass by.

The API knows no session, no cookie and no form token (spec, rule 4), so it does not pay for them either.
"""

from csp.middleware import CSPMiddleware
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest, HttpResponseBase
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.common import CommonMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.deprecation import MiddlewareMixin

from studyservice.paths import is_api_path


class _PagesOnly(MiddlewareMixin):
    """Passes API requests on untouched."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if is_api_path(request.path_info):
            response: HttpResponseBase = self.get_response(request)  # type: ignore[assignment]  # never async here
            return response
        return super().__call__(request)  # type: ignore[return-value]  # never async here


class PageContentSecurityPolicyMiddleware(_PagesOnly, CSPMiddleware):
    """The Content-Security-Policy, on error pages too."""


class PageSessionMiddleware(_PagesOnly, SessionMiddleware):
    """Sessions."""


class PageCommonMiddleware(_PagesOnly, CommonMiddleware):
    """The host check and `Content-Length`."""


class PageCsrfMiddleware(_PagesOnly, CsrfViewMiddleware):
    """Form tokens."""


class PageAuthenticationMiddleware(_PagesOnly, AuthenticationMiddleware):
    """`request.user`."""


class PageMessageMiddleware(_PagesOnly, MessageMiddleware):
    """One-time messages."""


class PageXFrameOptionsMiddleware(_PagesOnly, XFrameOptionsMiddleware):
    """No framing."""
