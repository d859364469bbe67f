"""oauthlib's authorization server, with input from our own parsers.

oauthlib runs the flow and calls `oauthserver.validator`. It never sees the raw request, only well-formed parameters, so
nothing that a client adds reaches it.
"""

import re
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import urlencode

from django.conf import settings
from oauth2_provider.exceptions import FatalClientError, OAuthToolkitError
from oauth2_provider.oauth2_backends import OAuthLibCore
from oauthlib.oauth2.rfc6749 import errors as oauthlib_errors
from oauthlib.oauth2.rfc6749.endpoints.pre_configured import WebApplicationServer
from oauthlib.oauth2.rfc6749.errors import InvalidRequestError, OAuth2Error
from oauthlib.oauth2.rfc6749.grant_types.authorization_code import AuthorizationCodeGrant
from oauthlib.oauth2.rfc6749.grant_types.refresh_token import RefreshTokenGrant

from oauthserver.errors import refusal
from oauthserver.redirect_uris import with_parameters
from studyservice.secrets.generated import new_secret

S256 = "S256"
_CHALLENGE = re.compile(r"[A-Za-z0-9\-_]{43}")
"""The base64url of a SHA-256, without padding (RFC 7636 section 4.2)."""


def answer_uri(redirect_uri: str, answer: Mapping[str, str | None]) -> str:
    """Return the base of answers to authorization requests. Each names its issuer (RFC 9207 section 2)."""
    given = {name: value for name, value in answer.items() if value is not None}
    return with_parameters(redirect_uri, urlencode(given | {"iss": settings.BASE_URL}))


class _Raising:
    """A grant that raises errors instead of writing them as text."""

    def validate_token_request(self, request: Any) -> None:
        """Check a token request (RFC 6749 sections 4.1.3 and 6, RFC 7636 section 4.6).

        Raises:
            OAuthError: it is refused.
        """
        try:
            super().validate_token_request(request)  # type: ignore[misc]  # wraps oauthlib's grant
        except OAuth2Error as error:
            raise refusal(error) from None


class CodeGrant(_Raising, AuthorizationCodeGrant):
    """Authorization codes with our prefix and S256 only. Answers name the issuer."""

    def __init__(self, request_validator: Any) -> None:
        super().__init__(request_validator)
        self.custom_validators.post_auth.append(_require_s256)

    def create_authorization_code(self, request: Any) -> dict[str, str | None]:
        """Return a new code, with the state to send back."""
        return {"code": new_secret("ac"), "state": request.state}

    def prepare_authorization_response(
        self, request: Any, token: dict[str, str | None], headers: dict[str, str], body: Any, status: int
    ) -> tuple[dict[str, str], Any, int]:
        """Return the redirect with the code."""
        return headers | {"Location": answer_uri(request.redirect_uri, token)}, body, status


def _require_s256(request: Any) -> dict[str, Any]:
    """Require PKCE with S256, not with a plain verifier (RFC 9700 section 2.1.1)."""
    if request.code_challenge_method != S256:
        raise InvalidRequestError("code_challenge_method is S256.", request=request)
    if not _CHALLENGE.fullmatch(request.code_challenge):
        raise InvalidRequestError("code_challenge is the base64url of a SHA-256, 43 characters.", request=request)
    return {}


class RefreshGrant(_Raising, RefreshTokenGrant):
    """Refresh tokens, which rotate."""


class Server(WebApplicationServer):
    """An oauthlib server for authorization codes and refresh tokens only."""

    def __init__(self, request_validator: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(request_validator, *args, **kwargs)
        self.auth_grant = CodeGrant(request_validator)
        self.refresh_grant = RefreshGrant(request_validator)
        self.response_types["code"] = self.auth_grant
        self.grant_types["authorization_code"] = self.auth_grant
        self.grant_types["refresh_token"] = self.refresh_grant


class Parsed(Protocol):
    """A well-formed request."""

    def parameters(self) -> Mapping[str, str]:
        """Return the parameters for oauthlib. Empty ones are None."""


class Backend(OAuthLibCore):
    """Passes our parsed request to oauthlib. `OAuthLibMixin` would pass the view's request."""

    def __init__(self, server: WebApplicationServer) -> None:
        super().__init__(server)

    def validate_authorization_request(self, request: Parsed) -> tuple[list[str], dict[str, Any]]:
        """Return the requested scopes, and the rest of the request as oauthlib checked it (RFC 6749 section 4.1.1).

        Raises:
            FatalClientError: the client or the redirect URI is wrong.
            OAuthToolkitError: anything else is wrong.
        """
        try:
            checked: tuple[list[str], dict[str, Any]] = self.server.validate_authorization_request(
                _ADDRESS, "POST", request.parameters()
            )
        except oauthlib_errors.FatalClientError as error:
            raise FatalClientError(error=error) from None
        except OAuth2Error as error:
            raise OAuthToolkitError(error=error) from None
        return checked

    def create_token_response(self, request: Parsed) -> tuple[None, dict[str, str], str, int]:
        """Return None for the URL, then headers, JSON and status of the answer with the tokens.

        Raises:
            OAuthError: the request is refused.
        """
        return None, *self.server.create_token_response(_ADDRESS, "POST", request.parameters())


_ADDRESS = settings.BASE_URL
"""oauthlib wants a URL to parse parameters from. Ours are already parsed."""
