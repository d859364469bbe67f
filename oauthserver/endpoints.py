"""Base of the OAuth endpoints for programs, and their errors: `{"error", "error_description"}` (RFC 6749 section 5.2).

The errors are oauthlib's, with the codes that it lacks. Separate from `studyservice.operations.errors`.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import View
from oauthlib.oauth2.rfc6749.errors import InvalidRequestError, OAuth2Error

from studyservice.http.bodies import json_response, oauth_error_response
from studyservice.http.requests import client_address
from studyservice.operations.errors import ApiError
from studyservice.rates.limiter import Rate, Window, hit

_CHALLENGE = {"WWW-Authenticate": f'Basic realm="{settings.BASE_URL}"'}
"""Sent with every 401 (RFC 6749 section 5.2, RFC 9110 section 15.5.2)."""

_DESCRIPTIONS = {
    "invalid_client": "The client is unknown, or did not authenticate by the method it is registered for.",
    "invalid_grant": "The code or token is wrong, expired, spent, or belongs to another client.",
}
"""Descriptions by code, for errors without their own."""


class InvalidTarget(OAuth2Error):
    """The resource is unknown (RFC 8707 section 2)."""

    error: Any = "invalid_target"


class InvalidRedirectUri(OAuth2Error):
    """A redirect URI is invalid (RFC 7591 section 3.2.2)."""

    error: Any = "invalid_redirect_uri"


class InvalidClientMetadata(OAuth2Error):
    """Another field of a registration is wrong (RFC 7591 section 3.2.2)."""

    error: Any = "invalid_client_metadata"


def refusal(answer: Mapping[str, str], status: int) -> HttpResponse:
    """Return oauthlib's error as an answer. Most of oauthlib's have no description.

    Args:
        answer: the error's members, as in its JSON.
        status: HTTP status.
    """
    code = answer["error"]
    description = answer.get("error_description") or _DESCRIPTIONS.get(code, "The request is not valid.")
    headers = _CHALLENGE if status == HTTPStatus.UNAUTHORIZED else None
    return oauth_error_response(code, description, HTTPStatus(status), headers)


_PLAIN_HTTP = "Use https. A code, token or secret that was sent over http may have been read on the way: replace it."

_WAIT = "Too many requests. Wait for the number of seconds in Retry-After and try again."


@method_decorator(csrf_exempt, name="dispatch")
class OAuthEndpoint(View):
    """A POST endpoint that answers with uncacheable JSON (RFC 6749 section 5.1).

    If the service uses https, plain http is refused (RFC 6749 section 3.2).
    """

    http_method_names = ("post",)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer. Exceptions become errors in RFC 6749's format."""
        try:
            if settings.SECURE_SSL_REDIRECT and not request.is_secure():
                raise InvalidRequestError(_PLAIN_HTTP)
            return super().dispatch(request, *args, **kwargs)
        except OAuth2Error as error:
            return refusal(dict(error.twotuples), error.status_code)
        except TooManyRequests as error:
            headers = {"Retry-After": str(error.window.reset), **error.window.headers()}
            return oauth_error_response("temporarily_unavailable", _WAIT, HTTPStatus.TOO_MANY_REQUESTS, headers)
        except ApiError as error:
            return oauth_error_response("invalid_request", error.message, error.status)

    def http_method_not_allowed(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return oauth_error_response(
            "invalid_request", "This endpoint takes POST.", HTTPStatus.METHOD_NOT_ALLOWED, {"Allow": "POST"}
        )


class TooManyRequests(Exception):
    """A rate is exceeded in `window`."""

    def __init__(self, window: Window) -> None:
        self.window = window
        super().__init__(window)


def count(rate: Rate, request: HttpRequest) -> None:
    """Count `request` against its client address.

    Raises:
        TooManyRequests: the rate is exceeded.
    """
    window = hit(rate, client_address(request))
    if window.exceeded:
        raise TooManyRequests(window)


def unstored(value: Any, status: int = HTTPStatus.OK) -> HttpResponse:
    """Return `value` as an uncacheable answer."""
    response = json_response(value, status)
    response.headers["Cache-Control"] = "no-store"
    return response
