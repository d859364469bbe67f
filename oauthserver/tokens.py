"""The token endpoint (RFC 6749 sections 4.1.3 and 6)."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from http import HTTPStatus
from typing import Any, Self
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from oauth2_provider.views.mixins import OAuthLibMixin

from accounts.secrets import sha256
from accounts.writing import writing
from oauthserver.clients import ClientCredentials
from oauthserver.endpoints import OAuthEndpoint, count, unstored
from oauthserver.errors import CHALLENGE, InvalidGrant, UnsupportedGrantType
from oauthserver.models import Grant, RefreshToken
from oauthserver.parameters import form_parameters
from oauthserver.scopes import scopes_from, written
from studyservice.http.responses import oauth_error_response
from studyservice.operations.errors import NotFound
from studyservice.rates.limiter import Rate

_DESCRIPTIONS = {
    "invalid_client": "The client is unknown, or did not authenticate by the method it is registered for.",
    "invalid_grant": "The code or token is wrong, expired, spent, or belongs to another client.",
    "invalid_scope": "The scope goes beyond what the member allowed.",
}
"""For what oauthlib refuses without a word."""


class GrantType(StrEnum):
    """What may be exchanged for tokens."""

    AUTHORIZATION_CODE = "authorization_code"
    REFRESH_TOKEN = "refresh_token"  # noqa: S105  # a name


@dataclass(frozen=True, slots=True)
class TokenRequest:
    """A token request that passed every check of form.

    Attributes:
        secret: the code or the refresh token.
        arrived_at: when the request came in.
        was_live: whether the code or token was not spent yet when it was looked up, before waiting for its turn.
    """

    grant_type: GrantType
    credentials: ClientCredentials
    secret: str
    redirect_uri: str | None
    code_verifier: str | None
    scope: str | None
    resources: tuple[str, ...]
    arrived_at: datetime
    was_live: bool = False

    @classmethod
    def parse(cls, request: HttpRequest) -> Self:
        """The token request in `request`.

        Raises:
            InvalidRequest: a parameter is missing, repeated or malformed (RFC 6749 section 5.2).
            InvalidClient: the client's header cannot be read.
            UnsupportedGrantType: the grant type is not ours.
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
            secret=form.require("refresh_token" if refreshes else "code"),
            redirect_uri=form.get("redirect_uri"),
            code_verifier=form.get("code_verifier") if refreshes else form.require("code_verifier"),
            scope=None if scope is None else written(scopes_from(scope)),
            resources=tuple(form.resources),
            arrived_at=arrived_at,
        )

    def parameters(self) -> dict[str, Any]:
        """What oauthlib gets."""
        secret = "refresh_token" if self.grant_type is GrantType.REFRESH_TOKEN else "code"
        return {
            "grant_type": self.grant_type.value,
            "client_id": self.credentials.client_id,
            "credentials": self.credentials,
            secret: self.secret,
            "redirect_uri": self.redirect_uri,
            "code_verifier": self.code_verifier,
            "scope": self.scope,
            "resources": self.resources,
            "arrived_at": self.arrived_at,
            "was_live": self.was_live,
        }


class TokenView(OAuthLibMixin, OAuthEndpoint):
    """`POST /oauth/token`."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """Exchange a code, or refresh."""
        count(Rate.TOKEN, request)
        wanted = TokenRequest.parse(request)
        with _locked(wanted) as was_live:
            request.parsed = replace(wanted, was_live=was_live)  # type: ignore[attr-defined]  # read by the backend
            _, _, body, status = self.create_token_response(request)  # type: ignore[no-untyped-call]  # the toolkit is untyped
        answer = json.loads(body)
        if status == HTTPStatus.OK:
            return unstored(answer)
        code = answer["error"]
        description = answer.get("error_description") or _DESCRIPTIONS.get(code, "The request is not valid.")
        headers = CHALLENGE if status == HTTPStatus.UNAUTHORIZED else None
        return oauth_error_response(code, description, HTTPStatus(status), headers)


@contextmanager
def _locked(wanted: TokenRequest) -> Iterator[bool]:
    """Hold the lock of the member whose code or refresh token this is, if it is one; gives whether it was live before.

    Exchanges, refreshes, revocations and disconnections of one member follow each other, so a code or a refresh token
    works once, and nothing is minted from what has just been ended. An error is an answer, not an exception: what was
    ended because of it stays so.

    Raises:
        InvalidGrant: the member is gone.
    """
    held: QuerySet[Any, tuple[UUID, datetime | None]]
    if wanted.grant_type is GrantType.REFRESH_TOKEN:
        held = RefreshToken.objects.filter(token_checksum=sha256(wanted.secret)).values_list("user_id", "revoked")
    else:
        held = Grant.objects.filter(code=wanted.secret).values_list("user_id", "spent_at")
    found = held.first()
    if found is None:
        yield False
        return
    member_id, spent_at = found
    try:
        with writing(member_id):
            yield spent_at is None
    except NotFound:
        raise InvalidGrant(_DESCRIPTIONS["invalid_grant"]) from None
