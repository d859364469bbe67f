"""Parse a token request (RFC 6749 sections 4.1.3 and 6), before any lookup."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Self

from django.http import HttpRequest
from django.utils import timezone

from oauthserver.clients import ClientCredentials
from oauthserver.errors import UnsupportedGrantType
from oauthserver.parameters import form_parameters
from oauthserver.scopes import scopes_from, written


class GrantType(StrEnum):
    """Types of grants that can be exchanged for tokens."""

    AUTHORIZATION_CODE = "authorization_code"
    REFRESH_TOKEN = "refresh_token"  # noqa: S105  # a name

    @property
    def parameter(self) -> str:
        """Return the name of the parameter with the code or the refresh token."""
        return "code" if self is GrantType.AUTHORIZATION_CODE else "refresh_token"


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """A well-formed token request.

    Attributes:
        secret: the code or the refresh token.
        arrived_at: when the request arrived.
    """

    grant_type: GrantType
    credentials: ClientCredentials
    secret: str
    redirect_uri: str | None
    code_verifier: str | None
    scope: str | None
    resources: tuple[str, ...]
    arrived_at: datetime

    @classmethod
    def parse(cls, request: HttpRequest) -> Self:
        """Return the token request in `request`.

        Raises:
            InvalidRequest: a parameter is missing, repeated or malformed (RFC 6749 section 5.2).
            InvalidClient: the client's header cannot be parsed.
            UnsupportedGrantType: the grant type is not supported.
        """
        arrived_at = timezone.now()
        form = form_parameters(request)
        credentials = ClientCredentials.parse(request, form)
        named = form.require("grant_type")
        if named not in set(GrantType):
            raise UnsupportedGrantType(f"grant_type is one of {', '.join(GrantType)}.")
        grant_type = GrantType(named)
        refreshes = grant_type is GrantType.REFRESH_TOKEN
        scope = form.get("scope") if refreshes else None
        return cls(
            grant_type=grant_type,
            credentials=credentials,
            secret=form.require(grant_type.parameter),
            redirect_uri=form.get("redirect_uri"),
            code_verifier=form.get("code_verifier") if refreshes else form.require("code_verifier"),
            scope=None if scope is None else written(scopes_from(scope)),
            resources=tuple(form.resources),
            arrived_at=arrived_at,
        )

    def parameters(self) -> dict[str, str]:
        """Return the parameters for oauthlib."""
        given = {
            "grant_type": self.grant_type.value,
            "client_id": self.credentials.client_id,
            self.grant_type.parameter: self.secret,
            "redirect_uri": self.redirect_uri,
            "code_verifier": self.code_verifier,
            "scope": self.scope,
        }
        return {name: value for name, value in given.items() if value is not None}
