"""Base of the OAuth endpoints for programs."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from django.views.decorators.csrf import csrf_exempt
from django.views.generic import View
from oauthlib.oauth2.rfc6749.errors import InvalidRequestError, OAuth2Error

from oauthserver.errors import refusal
from studyservice.http.bodies import JSON_TYPE, json_response, oauth_error_response
from studyservice.http.requests import client_address
from studyservice.operations.errors import ApiError
from studyservice.rates.limiter import Rate, Window, hit

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


def unstored(value: Any, status: HTTPStatus = HTTPStatus.OK) -> HttpResponse:
    """Return `value` as an uncacheable answer."""
    response = json_response(value, status)
    response.headers["Cache-Control"] = "no-store"
    return response


def unstored_json(text: str) -> HttpResponse:
    """Return JSON `text` as an uncacheable answer."""
    return HttpResponse(text, content_type=JSON_TYPE, headers={"Cache-Control": "no-store"})
