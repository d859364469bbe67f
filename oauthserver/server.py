"""oauthlib's authorization server, which runs the flow, its callbacks, and generators of ids, codes and tokens.

The callbacks here are for clients and authorization requests. Those for token requests are in `token_validator`.
"""

import re
import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.utils import timezone
from oauth2_provider.oauth2_validators import OAuth2Validator
from oauthlib.oauth2.rfc6749.endpoints.pre_configured import WebApplicationServer
from oauthlib.oauth2.rfc6749.errors import InvalidRequestError, UnsupportedResponseTypeError
from oauthlib.oauth2.rfc6749.grant_types.authorization_code import AuthorizationCodeGrant

from accounts.credentials.owners import add_owner
from oauthserver.metadata_documents import DocumentRefused, lasting_refusal_of, refusal_of
from oauthserver.models import Application, Grant, Hashed
from oauthserver.redirect_uris import with_parameters
from studyservice.secrets.generated import new_secret, sha256


class ClientIdGenerator:
    """Generates client ids, which are not secret."""

    def hash(self) -> str:
        """Return a new `<CREDENTIAL_PREFIX>client_…`."""
        return f"{settings.CREDENTIAL_PREFIX}client_{secrets.token_urlsafe(18)}"


def is_generated(client_id: str) -> bool:
    """Return whether this is such an id, even if no app has it."""
    prefixes = "|".join(map(re.escape, (settings.CREDENTIAL_PREFIX, *settings.CREDENTIAL_PREFIX_FALLBACKS)))
    return re.fullmatch(rf"(?:{prefixes})client_[A-Za-z0-9_-]{{24}}", client_id) is not None


def access_token(request: Any) -> str:
    """Return a new access token."""
    return new_secret("at")


def refresh_token(request: Any) -> str:
    """Return a new refresh token."""
    return new_secret("rt")


_CODE_LIFETIME = timedelta(seconds=settings.OAUTH2_PROVIDER["AUTHORIZATION_CODE_EXPIRE_SECONDS"])


class Validator(OAuth2Validator):
    """django-oauth-toolkit's validator with hashed codes and families."""

    def validate_client_id(self, client_id: str, request: Any, *args: Any, **kwargs: Any) -> bool:
        """Return whether the client is known, or becomes known through its metadata document.

        Raises:
            DocumentRefused: its client id is a document's URL, and the document was refused.
        """
        known: bool = super().validate_client_id(client_id, request, *args, **kwargs)
        refusal = lasting_refusal_of(request.client) if known else refusal_of(client_id, request)
        if refusal is not None:
            raise DocumentRefused(refusal, request)
        return known

    def validate_response_type(
        self, client_id: str, response_type: str, client: Application, request: Any, *args: Any
    ) -> bool:
        """Return whether it is `code`.

        Raises:
            UnsupportedResponseTypeError: it is not (RFC 6749 section 4.1.2.1).
        """
        if response_type != "code":
            raise UnsupportedResponseTypeError("response_type is code.", request=request)
        return True

    def save_authorization_code(self, client_id: str, code: dict[str, str], request: Any, *args: Any) -> None:
        """Store the consent. The caller holds the locks of the member and the app."""
        code_hash = sha256(code["code"])
        add_owner(code_hash, request.user.id)
        Grant.objects.create(
            user=request.user,
            application=request.client,
            code=Hashed(code_hash),
            expires=timezone.now() + _CODE_LIFETIME,
            redirect_uri=request.redirect_uri,
            redirect_uri_sent=request.redirect_uri_sent,
            scope=" ".join(request.scopes),
            resource=request.resource,
            limits=request.limits,
            code_challenge=request.code_challenge,
            code_challenge_method=request.code_challenge_method,
        )

    def get_default_redirect_uri(self, client_id: str, request: Any, *args: Any, **kwargs: Any) -> str | None:
        """Return the redirect URI for an authorization request without one (RFC 6749 section 3.1.2.3)."""
        registered = str(request.client.default_redirect_uri)
        return registered if request.client.redirect_uri_allowed(registered) else None


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
