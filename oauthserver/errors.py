"""The errors of the OAuth endpoints: `{"error", "error_description"}` (RFC 6749 section 5.2).

Separate from `studyservice.operations.errors`: one class per code, with its status.
"""

from collections.abc import Mapping
from http import HTTPStatus
from typing import ClassVar

from django.conf import settings
from django.http import HttpResponse

from studyservice.http.responses import oauth_error_response

CHALLENGE = {"WWW-Authenticate": f'Basic realm="{settings.BASE_URL}"'}
"""Sent with every 401 (RFC 6749 section 5.2, RFC 9110 section 15.5.2)."""


class OAuthError(Exception):
    """An error in the answer to a client.

    Attributes:
        code: the registered name.
        status: HTTP status.
        description: a sentence for the developer, in ASCII.
        headers: extra response headers.
    """

    code: ClassVar[str]
    status: ClassVar[HTTPStatus] = HTTPStatus.BAD_REQUEST

    def __init__(self, description: str, *, headers: Mapping[str, str] | None = None) -> None:
        self.description = description
        self.headers = dict(headers or {})
        super().__init__(description)

    def response(self) -> HttpResponse:
        """Return the error as an answer."""
        return oauth_error_response(self.code, self.description, self.status, self.headers)


class InvalidRequest(OAuthError):
    """A parameter is missing, repeated or malformed (RFC 6749 section 5.2)."""

    code = "invalid_request"


class InvalidClient(OAuthError):
    """The client is unknown, or did not authenticate as registered (RFC 6749 section 5.2)."""

    code = "invalid_client"
    status = HTTPStatus.UNAUTHORIZED

    def __init__(self) -> None:
        super().__init__(
            "The client is unknown, or did not authenticate by the method it is registered for.", headers=CHALLENGE
        )


class InvalidGrant(OAuthError):
    """The code or refresh token does not work (RFC 6749 section 5.2)."""

    code = "invalid_grant"

    def __init__(
        self, description: str = "The code or token is wrong, expired, spent, or belongs to another client."
    ) -> None:
        super().__init__(description)


class UnauthorizedClient(OAuthError):
    """The client is known and may not use the grant (RFC 6749 section 5.2)."""

    code = "unauthorized_client"


class UnsupportedGrantType(OAuthError):
    """The grant type is not supported (RFC 6749 section 5.2)."""

    code = "unsupported_grant_type"


class InvalidTarget(OAuthError):
    """The resource is unknown (RFC 8707 section 2)."""

    code = "invalid_target"


class InvalidRedirectUri(OAuthError):
    """A redirect URI is invalid (RFC 7591 section 3.2.2)."""

    code = "invalid_redirect_uri"


class InvalidClientMetadata(OAuthError):
    """Another field of a registration is wrong (RFC 7591 section 3.2.2)."""

    code = "invalid_client_metadata"


class MethodNotAllowed(OAuthError):
    """The endpoint does not support the method."""

    code = "invalid_request"
    status = HTTPStatus.METHOD_NOT_ALLOWED


class TooManyRequests(OAuthError):
    """The rate limit was exceeded. `Retry-After` is the number of seconds to wait."""

    code = "temporarily_unavailable"
    status = HTTPStatus.TOO_MANY_REQUESTS


def refusal(answer: Mapping[str, str]) -> OAuthError:
    """Return oauthlib's error at the token endpoint as one of ours. Most of oauthlib's have no description."""
    for ours in (InvalidClient, InvalidGrant):
        if ours.code == answer["error"]:
            return ours()
    return InvalidRequest(answer.get("error_description", "The request is not valid."))
