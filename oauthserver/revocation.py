"""The revocation endpoint (RFC 7009)."""

from contextlib import suppress

from django.http import HttpRequest, HttpResponse
from oauthlib.oauth2.rfc6749.errors import OAuth2Error

from accounts.changes.writing import writing
from accounts.credentials.owners import delete_credentials, owner_of
from oauthserver.clients import ClientCredentials
from oauthserver.endpoints import OAuthEndpoint, unstored
from oauthserver.families import end_families
from oauthserver.models import AccessToken, Application, RefreshToken
from oauthserver.parameters import form_parameters
from studyservice.http.requests import CALLER
from studyservice.operations.errors import InvalidRequest, NotFound
from studyservice.secrets.generated import sha256


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
