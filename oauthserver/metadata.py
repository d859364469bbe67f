"""Discovery documents of the authorization server (RFC 8414) and the resources it protects (RFC 9728)."""

import json
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.generic import View
from oauth2_provider.views.metadata import OAuthProtectedResourceMetadataView, OAuthServerMetadataView

from studyservice.http.bodies import error_response, json_response
from studyservice.operations.errors import MethodNotAllowed


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
