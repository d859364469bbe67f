"""Spend a code or a refresh token, and store the new pair of tokens."""

from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

from django.conf import settings
from django.db.models import DateTimeField, Exists
from django.utils import timezone

from accounts.changes.writing import writing
from accounts.credentials.owners import ADD_OWNER, owner_row
from accounts.models import Member
from oauthserver.clients import stays
from oauthserver.errors import InvalidClient, InvalidGrant
from oauthserver.models import AccessToken, Application, Grant, RefreshToken
from oauthserver.presented_grant import PresentedGrant
from oauthserver.token_requests import GrantType
from studyservice.database.statements import Insert, Param, Update
from studyservice.operations.errors import NotFound
from studyservice.secrets.generated import sha256

_REFRESH_LIFETIME = timedelta(seconds=settings.OAUTH2_PROVIDER["REFRESH_TOKEN_EXPIRE_SECONDS"])

_NOW = Param("now", DateTimeField())
_ACTIVE = Exists(Member.objects.filter(pk=Param("member_id"), is_active=True))

_SPEND = {
    GrantType.AUTHORIZATION_CODE: Update(
        Grant.objects.filter(_ACTIVE, user_id=Param("member_id"), id=Param("id"), spent_at=None), {"spent_at": _NOW}
    ),
    GrantType.REFRESH_TOKEN: Update(
        RefreshToken.objects.filter(_ACTIVE, user_id=Param("member_id"), id=Param("id"), revoked=None),
        {"revoked": _NOW},
    ),
}
_ADD_ACCESS_TOKEN = Insert(AccessToken)
_ADD_REFRESH_TOKEN = Insert(RefreshToken)
_USED = Update(Application.objects.filter(id=Param("id"), first_token_at=None), {"first_token_at": _NOW})


@dataclass(frozen=True, slots=True)
class Pair:
    """A new pair of tokens.

    Attributes:
        scope: of the access token; the refresh token keeps the granted scope.
        resource: of the access token.
        lifetime: of the access token, in seconds.
    """

    access_token: str
    refresh_token: str
    scope: str
    resource: str
    lifetime: int


def issue(pair: Pair, presented_grant: PresentedGrant) -> None:
    """Spend the presented grant and store `pair`, under the member's lock. Costs four queries on PostgreSQL.

    Of simultaneous requests with the same code or refresh token exactly one succeeds. A grant that was ended meanwhile,
    by a disconnection, a revocation or the app's deletion, is refused.

    Raises:
        InvalidGrant: it was already spent or ended, or the member is gone or deactivated.
        InvalidClient: the app is gone.
    """
    client, member = presented_grant.client, presented_grant.member
    try:
        with writing(member.id) as write:
            if not stays(client):
                raise InvalidClient
            now = timezone.now()
            if not _SPEND[presented_grant.grant_type].run(member_id=member.id, id=presented_grant.id, now=now):
                raise InvalidGrant
            given = {
                "user_id": member.id,
                "application_id": client.pk,
                "token_family": presented_grant.family,
                "created": now,
                "updated": now,
            }
            access_hash, refresh_hash = sha256(pair.access_token), sha256(pair.refresh_token)
            for token_hash in (access_hash, refresh_hash):
                write.later(ADD_OWNER, **owner_row(token_hash, member.id))
            write.later(
                _ADD_ACCESS_TOKEN,
                id=uuid4(),
                token_checksum=access_hash,
                scope=pair.scope,
                resource=pair.resource,
                expires=now + timedelta(seconds=pair.lifetime),
                **given,
            )
            write.later(
                _ADD_REFRESH_TOKEN,
                id=uuid4(),
                token_checksum=refresh_hash,
                scope=presented_grant.scope,
                resource=presented_grant.resource,
                expires=now + _REFRESH_LIFETIME,
                revoked=None,
                access_token_id=None,  # the toolkit's link; here the family links them
                **given,
            )
    except NotFound:
        raise InvalidGrant from None
    if client.first_token_at is None:
        # After the commit, because upgrading the lock on the app could deadlock with its deletion. If the process ends
        # before, the consent prevents the app from being purged as unused.
        _USED.run(id=client.pk, now=now)
