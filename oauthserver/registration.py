"""How apps find and join the server: discovery documents (RFC 8414, RFC 9728) and registration (RFC 7591)."""

import json
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.generic import View
from oauth2_provider.views.metadata import OAuthProtectedResourceMetadataView, OAuthServerMetadataView

from oauthserver.client_metadata import GRANT_TYPES, RESPONSE_TYPES, AuthMethod, ClientMetadata
from oauthserver.consents import written
from oauthserver.endpoints import InvalidClientMetadata, OAuthEndpoint, count, unstored
from oauthserver.models import Application
from studyservice.http.bodies import error_response, json_response, read_json
from studyservice.operations.declaration import Scope
from studyservice.operations.errors import InvalidRequest, MethodNotAllowed
from studyservice.rates.limiter import Rate
from studyservice.secrets.generated import new_secret


class _Document(View):
    """A read-only document."""

    http_method_names = ["get", "head"]  # noqa: RUF012  # as the base has it

    def http_method_not_allowed(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return error_response(MethodNotAllowed(headers={"Allow": "GET, HEAD"}))


class ServerMetadataView(_Document, OAuthServerMetadataView):
    """`/.well-known/oauth-authorization-server`."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Return the toolkit's document with `response_modes_supported`, whose default would include fragments."""
        document = json.loads(super().get(request).content)
        document |= {"response_modes_supported": ["query"], "service_documentation": f"{settings.BASE_URL}/docs/oauth"}
        operators = {"op_policy_uri": settings.PRIVACY_URL, "op_tos_uri": settings.TERMS_URL}
        return json_response(document | {name: url for name, url in operators.items() if url})


class ResourceMetadataView(_Document, OAuthProtectedResourceMetadataView):
    """`/.well-known/oauth-protected-resource`, and the same with `/mcp`.

    Attributes:
        root: path of the resource below the origin.
    """

    root = ""

    def get_resource(self, request: HttpRequest) -> str:
        """Return the resource of this document, which is the requested URL's (RFC 9728 3.3)."""
        return f"{settings.BASE_URL}{self.root}"


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
