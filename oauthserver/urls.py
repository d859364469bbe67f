"""Routes of the authorization server, with the names that django-oauth-toolkit expects for its metadata."""

from django.urls import path

from oauthserver.authorization import AuthorizationView
from oauthserver.registration import RegistrationView, ResourceMetadataView, ServerMetadataView
from oauthserver.tokens import RevocationView, TokenView
from studyservice.http.requests import MCP_ROOT

app_name = "oauth2_provider"

urlpatterns = [
    path("oauth/authorize", AuthorizationView.as_view(), name="authorize"),
    path("oauth/token", TokenView.as_view(), name="token"),
    path("oauth/revoke", RevocationView.as_view(), name="revoke-token"),
    path("oauth/register", RegistrationView.as_view(), name="dcr-register"),
    path(".well-known/oauth-authorization-server", ServerMetadataView.as_view(), name="oauth-server-metadata"),
    path(
        ".well-known/oauth-protected-resource",
        ResourceMetadataView.as_view(),
        name="oauth-resource-metadata",
    ),
    path(
        f".well-known/oauth-protected-resource{MCP_ROOT}",
        ResourceMetadataView.as_view(root=MCP_ROOT),
        name="oauth-resource-metadata-path",
    ),
]
