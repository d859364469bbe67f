"""oauthlib's authorization server. It runs the flow and calls `oauthserver.validator`."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from oauthlib.oauth2.rfc6749.endpoints.pre_configured import WebApplicationServer
from oauthlib.oauth2.rfc6749.errors import InvalidRequestError
from oauthlib.oauth2.rfc6749.grant_types.authorization_code import AuthorizationCodeGrant

from oauthserver.redirect_uris import with_parameters
from studyservice.secrets.generated import new_secret

S256 = "S256"
_CHALLENGE = re.compile(r"[A-Za-z0-9\-_]{43}")
"""The base64url of a SHA-256, without padding (RFC 7636 section 4.2)."""


def answer_uri(redirect_uri: str, answer: Mapping[str, str | None]) -> str:
    """Return the base of answers to authorization requests. Each names its issuer (RFC 9207 section 2)."""
    given = {name: value for name, value in answer.items() if value is not None}
    return with_parameters(redirect_uri, urlencode(given | {"iss": settings.BASE_URL}))


class CodeGrant(AuthorizationCodeGrant):
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


class Server(WebApplicationServer):
    """An oauthlib server for authorization codes and refresh tokens only."""

    def __init__(self, request_validator: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(request_validator, *args, **kwargs)
        self.auth_grant = CodeGrant(request_validator)
        self.response_types["code"] = self.grant_types["authorization_code"] = self.auth_grant
