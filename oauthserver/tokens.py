"""The endpoints for tokens (RFC 6749 sections 4.1.3 and 6) and their revocation (RFC 7009)."""

import json
from contextlib import suppress
from http import HTTPStatus
from typing import NamedTuple

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from oauth2_provider.oauth2_backends import OAuthLibCore
from oauth2_provider.settings import oauth2_settings
from oauth2_provider.views.mixins import OAuthLibMixin
from oauthlib.oauth2.rfc6749.errors import InvalidGrantError, OAuth2Error, UnsupportedGrantTypeError

from accounts.credentials.owners import delete_credentials, owner_of
from oauthserver.clients import ClientCredentials, form_parameters, named_client
from oauthserver.consents import end_families
from oauthserver.endpoints import OAuthEndpoint, count, refusal, unstored
from oauthserver.models import AccessToken, Application, Grant, Hashed, RefreshToken
from oauthserver.token_validator import TokenValidator
from studyservice.changes.writing import writing
from studyservice.http.requests import CALLER
from studyservice.operations.errors import InvalidRequest, NotFound
from studyservice.rates.limiter import Rate
from studyservice.secrets.generated import sha256


class _Kind(NamedTuple):
    """A kind of grant: its required parameters, the secret first, and the model with the secret's hash."""

    required: tuple[str, ...]
    model: type[Grant | RefreshToken]
    hash_column: str
    spent_column: str


_KINDS = {
    "authorization_code": _Kind(("code", "code_verifier"), Grant, "code", "spent_at"),
    "refresh_token": _Kind(("refresh_token",), RefreshToken, "token_checksum", "revoked"),
}
"""By `grant_type`."""


class TokenView(OAuthLibMixin, OAuthEndpoint):
    """`POST /oauth/token`.

    A request is one transaction, which locks the member, then the app, then the code or token. A disconnection and a
    consent lock in the same order. A refusal commits too, since it may have ended a family of tokens.

    Attributes:
        validator: of this request.
    """

    validator: TokenValidator

    def post(self, request: HttpRequest) -> HttpResponse:
        """Exchange a code, or refresh."""
        count(Rate.TOKEN, request)
        form = form_parameters(request)
        credentials = ClientCredentials.parse(request, form)
        CALLER.set(request, named_client(credentials.client_id))
        kind = _KINDS.get(form.require("grant_type"))
        if kind is None:
            raise UnsupportedGrantTypeError(f"grant_type is one of {', '.join(_KINDS)}.")
        secret, *_ = [form.require(name) for name in kind.required]
        secret_hash = Hashed(sha256(secret))
        member_id = owner_of(secret_hash)
        presented = kind.model.objects.filter(user_id=member_id, **{kind.hash_column: secret_hash})
        if member_id is None:
            presented = presented.none()
        spent_at = presented.values_list(kind.spent_column, flat=True).first()
        self.validator = TokenValidator(credentials, presented, kind.spent_column, spent_at, form.resources)
        asked = form.only("grant_type", "code", "refresh_token", "redirect_uri", "code_verifier", "scope")
        try:
            with transaction.atomic() if member_id is None else writing(member_id):
                _, _, body, status = self.create_token_response(asked)
        except NotFound:  # the member is gone, or is being deleted
            raise InvalidGrantError from None
        finally:
            if (consent := self.validator.consent) is not None:
                CALLER.set(request, {"member": consent.user_id, "client_id": str(credentials.client_id)})
        answer = json.loads(body)
        return unstored(answer) if status == HTTPStatus.OK else refusal(answer, status)

    def get_oauthlib_core(self) -> OAuthLibCore:  # type: ignore[override]  # the toolkit shares one core in the class
        """Return the toolkit's core, with the validator of this request."""
        return OAuthLibCore(self.get_server_class()(self.validator, **oauth2_settings.server_kwargs))


class RevocationView(OAuthEndpoint):
    """`POST /oauth/revoke`."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """End a token of the requesting client, which may send its secret by Basic or in the body.

        The answer is always 200 (spec, Authorization code flow 5).
        """
        try:
            form = form_parameters(request)
            token, credentials = form.require("token"), ClientCredentials.parse(request, form)
        except (OAuth2Error, InvalidRequest):
            return unstored({})
        app = Application.objects.filter(client_id=credentials.client_id).first()
        if app is not None and credentials.prove(app):
            CALLER.set(request, {"client_id": app.client_id})
            revoke(app, token)
        return unstored({})


def revoke(app: Application, token: str) -> None:
    """End `token` if it belongs to `app`: an access token by itself, a refresh token with all access tokens."""
    token_hash = sha256(token)
    member_id = owner_of(token_hash)
    if member_id is None:
        return
    ours = {"user_id": member_id, "application": app, "token_checksum": token_hash}
    if delete_credentials(AccessToken.objects.filter(**ours)):
        return
    refresh_token = RefreshToken.objects.filter(**ours).first()
    if refresh_token is not None:
        # A member who is gone or being deleted has no live token, so there is nothing to end (RFC 7009 section 2.2).
        with suppress(NotFound), writing(member_id):
            end_families(member_id, [refresh_token.token_family])
