"""Registration of apps (RFC 7591)."""

from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse

from oauthserver.client_metadata import GRANT_TYPES, RESPONSE_TYPES, AuthMethod, ClientMetadata
from oauthserver.endpoints import OAuthEndpoint, count, unstored
from oauthserver.errors import InvalidClientMetadata
from oauthserver.models import Application
from oauthserver.scopes import written
from studyservice.http.bodies import read_json
from studyservice.operations.declaration import Scope
from studyservice.operations.errors import InvalidRequest
from studyservice.rates.limiter import Rate
from studyservice.secrets.generated import new_secret


class RegistrationView(OAuthEndpoint):
    """`POST /oauth/register`."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Register an app. Only valid registrations count against the rate."""
        try:
            body = read_json(request)
        except InvalidRequest as error:
            raise InvalidClientMetadata(error.message) from None
        metadata = ClientMetadata.parse(body)
        count(Rate.REGISTRATION, request)
        return unstored(register(metadata), HTTPStatus.CREATED)


def register(metadata: ClientMetadata) -> dict[str, Any]:
    """Create an app. Return its registration (RFC 7591 section 3.2.1); its secret is shown only here."""
    public = metadata.auth_method is AuthMethod.NONE
    secret = "" if public else new_secret("cs")
    app = Application.objects.create(
        name=metadata.name,
        redirect_uris=" ".join(metadata.redirect_uris),
        client_type=Application.CLIENT_PUBLIC if public else Application.CLIENT_CONFIDENTIAL,
        client_secret=secret,
        token_endpoint_auth_method=metadata.auth_method,
        auth_method_named=metadata.auth_method_named,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        registration_source=Application.RegistrationSource.DCR,
    )
    registered = {
        "client_id": app.client_id,
        "client_secret": secret,
        "client_secret_expires_at": 0,
        "client_id_issued_at": int(app.created.timestamp()),
        "client_name": metadata.name,
        "redirect_uris": metadata.redirect_uris,
        "token_endpoint_auth_method": metadata.auth_method,
        "grant_types": GRANT_TYPES,
        "response_types": RESPONSE_TYPES,
        "scope": written(frozenset(Scope)),
    }
    if public:
        del registered["client_secret"]
    return registered
