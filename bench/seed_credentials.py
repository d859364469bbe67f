"""What members' requests are let in by: API keys, and refresh tokens of an app that everybody has connected."""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from accounts.credentials.owners import id_of
from accounts.models import ApiKey, SecretOwner
from bench.cast import CALLBACK, CLIENT_ID
from bench.tables import copy, new_id
from oauthserver.client_metadata import AuthMethod
from oauthserver.models import AccessToken, Application, RefreshToken
from studyservice.secrets.generated import new_secret, sha256

NETWORK = "127.0.0.0/24"
"""Where the calls come from, as keys know it once they have been used."""


def add_keys(members: Sequence[UUID], used_at: datetime | None) -> list[str]:
    """A key for each place in `members`; gives the plaintexts."""
    secrets = [new_secret("sk") for _ in members]
    rows = (
        ApiKey(
            id=new_id(),
            member_id=member,
            name="bench",
            secret_hash=sha256(key),
            hint=key[:11],
            last_used_at=used_at,
            networks=NETWORK,
        )
        for member, key in zip(members, secrets, strict=True)
    )
    copy(ApiKey, rows)
    add_owners(zip(secrets, members, strict=True))
    return secrets


def add_owners(secrets: Iterable[tuple[str, UUID]]) -> None:
    """Say whose each secret is."""
    copy(SecretOwner, (SecretOwner(id=id_of(sha256(secret)), member_id=member) for secret, member in secrets))


def connect(members: Sequence[UUID], tokens_each: int, now: datetime) -> dict[UUID, list[str]]:
    """A public client, and connections of it with a pair of live tokens each; gives the refresh tokens."""
    app = Application.objects.create(
        client_id=CLIENT_ID,
        name="Bench",
        redirect_uris=CALLBACK,
        client_type=Application.CLIENT_PUBLIC,
        token_endpoint_auth_method=AuthMethod.NONE,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        registration_source=Application.RegistrationSource.DCR,
        first_token_at=now,
    )
    tokens = {member: [new_secret("rt") for _ in range(tokens_each)] for member in members}
    given = {"application_id": app.pk, "scope": "read write", "created": now, "updated": now}
    hour, days = now + timedelta(hours=1), now + timedelta(days=60)
    access, refresh = [], []
    for member, secret in ((member, secret) for member, secrets in tokens.items() for secret in secrets):
        given |= {"user_id": member, "token_family": new_id()}
        pair = AccessToken(id=new_id(), token_checksum=sha256(new_secret("at")), expires=hour, **given)
        token = RefreshToken(id=new_id(), token_checksum=sha256(secret), expires=days, access_token=pair, **given)
        access.append(pair)
        refresh.append(token)
    copy(AccessToken, access)
    copy(RefreshToken, refresh)
    add_owners((secret, member) for member, secrets in tokens.items() for secret in secrets)
    return tokens
