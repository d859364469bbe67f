"""The code or refresh token in a token request, with its app and its member.

Costs one query, or two if the member is not cached in the process.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Self
from uuid import UUID

from django.db.models import F, OuterRef, Subquery

from accounts.credentials.limits import Limits
from accounts.credentials.owners import owner_of
from accounts.credentials.resolving import MemberColumns, member_columns, member_of
from accounts.models import Member
from oauthserver.blocking import blocked_by
from oauthserver.clients import ClientColumns, app_of, authenticates, client_columns, client_of
from oauthserver.errors import InvalidClient, InvalidGrant
from oauthserver.models import Application, Grant, RefreshToken
from oauthserver.token_requests import GrantType, TokenRequest
from studyservice.database.statements import Param, Select
from studyservice.secrets.generated import sha256

_SHARED = {
    "id": "id",
    "family": "token_family",
    "scope": "scope",
    "resource": "resource",
    "expires": "expires",
    **member_columns("user"),
    **client_columns("application"),
    "blocked": "blocked",
    "limits": "consented",
}


class _SharedColumns(MemberColumns, ClientColumns):
    id: UUID
    family: UUID
    scope: str
    resource: str
    expires: datetime
    spent_at: datetime | None
    blocked: bool
    limits: str | None


class _CodeColumns(_SharedColumns):
    redirect_uri: str
    redirect_uri_sent: bool
    code_challenge: str
    code_challenge_method: str


_CONSENT = Grant.objects.filter(user_id=Param("member_id"), token_family=OuterRef("token_family"))
_CODE = Select[_CodeColumns](
    Grant.objects.filter(
        user_id=Param("member_id"),
        code=Param("checksum"),
        application__client_id=Param("client_id"),
        user__is_active=True,
    ).annotate(blocked=blocked_by("application__client_id"), consented=F("limits")),
    _SHARED
    | {
        "spent_at": "spent_at",
        "redirect_uri": "redirect_uri",
        "redirect_uri_sent": "redirect_uri_sent",
        "code_challenge": "code_challenge",
        "code_challenge_method": "code_challenge_method",
    },
)
_REFRESH_TOKEN = Select[_SharedColumns](
    RefreshToken.objects.filter(
        user_id=Param("member_id"),
        token_checksum=Param("checksum"),
        application__client_id=Param("client_id"),
        user__is_active=True,
    ).annotate(blocked=blocked_by("application__client_id"), consented=Subquery(_CONSENT.values("limits"))),
    _SHARED | {"spent_at": "revoked"},
)


@dataclass(frozen=True, slots=True)
class CodeBinding:
    """The values that an authorization code is bound to (RFC 6749 section 4.1.3, RFC 7636 section 4.6)."""

    redirect_uri: str
    redirect_uri_sent: bool
    challenge: str
    challenge_method: str


@dataclass(frozen=True, slots=True)
class PresentedGrant:
    """A code or a refresh token as it was when its request arrived, before waiting for the lock.

    Afterwards it can only be spent or ended, which the statement that spends it checks.

    Attributes:
        family: the consent it came from.
        scope: granted by the member.
        resource: where its tokens work (`oauthserver.resources`).
        spent_at: when the code was exchanged or the refresh token rotated; None while it works.
        blocked: whether operators have blocked the client.
        has_ended: whether the last allowed day is over.
        binding: of a code.
    """

    grant_type: GrantType
    id: UUID
    client: Application
    member: Member
    family: UUID
    scope: str
    resource: str
    expires: datetime
    spent_at: datetime | None
    blocked: bool
    has_ended: bool
    binding: CodeBinding | None

    @classmethod
    def by(cls, wanted: TokenRequest) -> Self:
        """Return the grant in `wanted`. The validator checks the client's authentication and whether the grant is live.

        Raises:
            InvalidClient: the client has no such code or token, and did not authenticate.
            InvalidGrant: it has none, but did authenticate.
        """
        client_id = wanted.credentials.client_id
        if client_id is None:
            raise InvalidClient
        checksum = sha256(wanted.secret)
        shown = {"member_id": owner_of(checksum), "checksum": checksum, "client_id": client_id}
        binding = None
        row: _SharedColumns | None
        if shown["member_id"] is None:
            row = None
        elif wanted.grant_type is GrantType.AUTHORIZATION_CODE:
            row = code = _CODE.first(**shown)
            if code is not None:
                binding = CodeBinding(
                    redirect_uri=code["redirect_uri"],
                    redirect_uri_sent=code["redirect_uri_sent"],
                    challenge=code["code_challenge"],
                    challenge_method=code["code_challenge_method"],
                )
        else:
            row = _REFRESH_TOKEN.first(**shown)
        if row is None:
            app = app_of(wanted.credentials)
            raise InvalidClient if app is None or not authenticates(wanted.credentials, app) else InvalidGrant
        member = member_of(row)
        has_ended = Limits.of(row["limits"]).have_ended(member.today())
        return cls(
            grant_type=wanted.grant_type,
            id=row["id"],
            client=client_of(row),
            member=member,
            family=row["family"],
            scope=row["scope"],
            resource=row["resource"],
            expires=row["expires"],
            spent_at=row["spent_at"],
            blocked=row["blocked"],
            has_ended=has_ended,
            binding=binding,
        )
