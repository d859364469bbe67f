"""An app that every member has connected many times over, so that there are refresh tokens to use up."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from accounts.secrets import new_secret, sha256
from bench.cast import CLIENT_ID, TOKENS
from bench.tables import copy, new_id
from oauthserver.client_metadata import AuthMethod
from oauthserver.models import AccessToken, Application, RefreshToken

_SCOPE = "read write"

Tokens = dict[UUID, list[str]]
"""Member to the plaintexts of the refresh tokens."""


def connect(members: Sequence[UUID], now: datetime) -> Tokens:
    """A public client, and connections of it with a pair of live tokens each."""
    app = Application.objects.create(
        client_id=CLIENT_ID,
        name="Bench",
        redirect_uris="https://app.example/callback",
        client_type=Application.CLIENT_PUBLIC,
        token_endpoint_auth_method=AuthMethod.NONE,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        registration_source=Application.RegistrationSource.DCR,
        first_token_at=now,
    )
    tokens = {member: [new_secret("rt") for _ in range(TOKENS)] for member in members}
    pairs = [
        {"user_id": member, "secret": secret, "access_token_id": new_id(), "token_family": new_id()}
        for member, secrets in tokens.items()
        for secret in secrets
    ]
    common = {"application_id": app.pk, "scope": _SCOPE, "created": now, "updated": now}
    copy(AccessToken, _access_rows(pairs, common | {"expires": now + timedelta(hours=1)}))
    copy(RefreshToken, _refresh_rows(pairs, common | {"expires": now + timedelta(days=60)}))
    return tokens


def _access_rows(pairs: Sequence[Mapping[str, Any]], common: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for pair in pairs:
        yield {
            **common,
            "id": pair["access_token_id"],
            "user_id": pair["user_id"],
            "token_family": pair["token_family"],
            "token_checksum": sha256(new_secret("at")),
        }


def _refresh_rows(pairs: Sequence[Mapping[str, Any]], common: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for pair in pairs:
        yield {
            **common,
            "id": new_id(),
            "user_id": pair["user_id"],
            "access_token_id": pair["access_token_id"],
            "token_family": pair["token_family"],
            "token_checksum": sha256(pair["secret"]),
        }
