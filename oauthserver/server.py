"""The authorization server of oauthlib, fed by what our own parsers found.

oauthlib runs the flow and asks `oauthserver.validator`. It never sees the raw request, only parameters that passed
every check of form, so nothing that a client adds reaches it.
"""

import re
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest
from oauth2_provider.oauth2_backends import OAuthLibCore
from oauthlib.oauth2.rfc6749.endpoints.pre_configured import WebApplicationServer
from oauthlib.oauth2.rfc6749.errors import InvalidRequestError
from oauthlib.oauth2.rfc6749.grant_types.authorization_code import AuthorizationCodeGrant

from accounts.secrets import new_secret
from oauthserver.redirect_uris import with_parameters

S256 = "S256"
_CHALLENGE = re.compile(r"[A-Za-z0-9\-_]{43}")
"""The base64url of a SHA-256, without padding (RFC 7636 section 4.2)."""


def answer_uri(redirect_uri: str, answer: Mapping[str, str | None]) -> str:
    """Where an authorization request is answered: every answer names its issuer (RFC 9207 section 2)."""
    given = {name: value for name, value in answer.items() if value is not None}
    return with_parameters(redirect_uri, urlencode(given | {"iss": settings.BASE_URL}))


class CodeGrant(AuthorizationCodeGrant):
    """Authorization codes with our prefix, for S256 alone, answered with the issuer."""

    def __init__(self, request_validator: Any) -> None:
        super().__init__(request_validator)  # type: ignore[no-untyped-call]  # oauthlib is untyped
        self.custom_validators.post_auth.append(_require_s256)

    def create_authorization_code(self, request: Any) -> dict[str, str | None]:
        """A fresh code, and the state to send back with it."""
        return {"code": new_secret("ac"), "state": request.state}

    def prepare_authorization_response(
        self, request: Any, token: dict[str, str | None], headers: dict[str, str], body: Any, status: int
    ) -> tuple[dict[str, str], Any, int]:
        """The redirect that carries the code."""
        return headers | {"Location": answer_uri(request.redirect_uri, token)}, body, status


def _require_s256(request: Any) -> dict[str, Any]:
    """RFC 9700 section 2.1.1: PKCE, and not with the verifier in clear."""
    if request.code_challenge_method != S256:
        raise InvalidRequestError("code_challenge_method is S256.", request=request)
    if not _CHALLENGE.fullmatch(request.code_challenge):
        raise InvalidRequestError("code_challenge is the base64url of a SHA-256, 43 characters.", request=request)
    return {}


class Server(WebApplicationServer):
    """Authorization codes and refresh tokens, nothing else."""

    def __init__(self, request_validator: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(request_validator, *args, **kwargs)  # type: ignore[no-untyped-call]  # oauthlib is untyped
        self.auth_grant = CodeGrant(request_validator)
        self.response_types["code"] = self.auth_grant
        self.grant_types["authorization_code"] = self.auth_grant


class Parsed(Protocol):
    """A request that passed every check of form."""

    def parameters(self) -> dict[str, Any]:
        """What oauthlib gets of it; a name it does not know becomes an attribute of its request."""


class Backend(OAuthLibCore):
    """Hands oauthlib what the view has put on the request as `parsed`."""

    def _extract_params(self, request: HttpRequest) -> tuple[str, str, dict[str, Any], dict[str, str]]:
        parsed: Parsed = request.parsed  # type: ignore[attr-defined]  # put there by the view
        given = {name: value for name, value in parsed.parameters().items() if value is not None}
        return request.path, "POST", given, {}
