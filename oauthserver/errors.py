"""The errors of the OAuth endpoints: `{"error", "error_description"}` (RFC 6749 section 5.2).

They are oauthlib's, with the codes that it lacks. Separate from `studyservice.operations.errors`.
"""

from collections.abc import Mapping
from http import HTTPStatus

from django.conf import settings
from django.http import HttpResponse
from oauthlib.oauth2.rfc6749.errors import CustomOAuth2Error

from studyservice.http.bodies import oauth_error_response

_CHALLENGE = {"WWW-Authenticate": f'Basic realm="{settings.BASE_URL}"'}
"""Sent with every 401 (RFC 6749 section 5.2, RFC 9110 section 15.5.2)."""

_DESCRIPTIONS = {
    "invalid_client": "The client is unknown, or did not authenticate by the method it is registered for.",
    "invalid_grant": "The code or token is wrong, expired, spent, or belongs to another client.",
}
"""Descriptions by code, for errors without their own."""


class InvalidTarget(CustomOAuth2Error):
    """The resource is unknown (RFC 8707 section 2)."""

    def __init__(self, description: str) -> None:
        super().__init__("invalid_target", description)


class InvalidRedirectUri(CustomOAuth2Error):
    """A redirect URI is invalid (RFC 7591 section 3.2.2)."""

    def __init__(self, description: str) -> None:
        super().__init__("invalid_redirect_uri", description)


class InvalidClientMetadata(CustomOAuth2Error):
    """Another field of a registration is wrong (RFC 7591 section 3.2.2)."""

    def __init__(self, description: str) -> None:
        super().__init__("invalid_client_metadata", description)


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
