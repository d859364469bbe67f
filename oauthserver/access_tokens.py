"""Access tokens as credentials of the API."""

from datetime import datetime
from uuid import UUID

from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.credentials import Credential, MemberColumns, member_columns, member_of
from accounts.secrets import sha256
from oauthserver.blocking import blocked_by
from oauthserver.models import AccessToken, RefreshToken
from studyservice.database.statements import Param, Select
from studyservice.http.paths import MCP_ROOT
from studyservice.operations.declaration import Scope


class _TokenColumns(MemberColumns):
    token_id: UUID
    family: UUID
    scope: str
    resource: str
    expires: datetime


_ACCESS_TOKEN = Select[_TokenColumns](
    AccessToken.objects.filter(
        # An access token whose refresh tokens are gone is an orphan.
        Exists(RefreshToken.objects.filter(token_family=OuterRef("token_family"))),
        ~blocked_by("application__client_id"),
        token_checksum=Param("checksum"),
        user__is_active=True,
    ),
    {"token_id": "id", "family": "token_family", "scope": "scope", "resource": "resource", "expires": "expires"}
    | member_columns("user"),
)


def resolve_access_token(secret: str) -> Credential | None:
    """The live access token `secret`; costs one query.

    None if it is wrong, expired, revoked or orphaned, or its app is blocked.
    """
    row = _ACCESS_TOKEN.first(checksum=sha256(secret))
    if row is None or row["expires"] <= timezone.now():
        return None
    return Credential(
        kind="access_token",
        id=row["token_id"],
        scopes=frozenset(map(Scope, row["scope"].split())),
        member=member_of(row),
        root=MCP_ROOT if row["resource"] else "",
        connection=row["family"],
    )
