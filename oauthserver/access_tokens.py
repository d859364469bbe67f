"""Resolve access tokens, and find the owner of a token or a client secret for the admin."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from django.db.models import Exists, OuterRef, Subquery, TextField, Value
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone

from accounts.credentials.connections import Refusal
from accounts.credentials.owners import owner_of
from accounts.credentials.resolving import DeadToken, MemberColumns, member_columns, member_of
from oauthserver.consents import blocked_by
from oauthserver.models import AccessToken, Application, Grant, RefreshToken, live_refresh_tokens
from studyservice.changes.calls import Actor
from studyservice.database.rows import At, columns_of_row
from studyservice.database.statements import Param, Select
from studyservice.http.requests import MCP_ROOT
from studyservice.models import ActorKind
from studyservice.operations.declaration import Scope
from studyservice.rows.access import Connection, Credential
from studyservice.rows.limits import Limits
from studyservice.secrets.generated import sha256


class _TokenColumns(MemberColumns):
    token_id: Annotated[UUID, At("id")]
    app_id: Annotated[UUID, At("application_id")]
    app_name: Annotated[str, At("application__name")]
    client_id: Annotated[str, At("application__client_id")]
    family: Annotated[UUID, At("token_family")]
    scope: str
    resource: str
    expires: datetime
    blocked: bool
    last_call_at: datetime | None
    refused_at: datetime | None
    limits: str | None


_OF_MEMBER = Param("member_id")
_CONSENT = Grant.objects.filter(user_id=_OF_MEMBER, token_family=OuterRef("token_family"))
_ACCESS_TOKEN = Select[_TokenColumns](
    AccessToken.objects.filter(
        # An access token without refresh tokens is an orphan.
        Exists(RefreshToken.objects.filter(user_id=_OF_MEMBER, token_family=OuterRef("token_family"))),
        user_id=_OF_MEMBER,
        token_checksum=Param("checksum"),
        user__is_active=True,
    ).annotate(
        blocked=blocked_by("application__client_id"),
        last_call_at=Subquery(_CONSENT.values("last_call_at")),
        refused_at=Subquery(_CONSENT.values("refused_at")),
        limits=Subquery(_CONSENT.annotate(told=Coalesce("limits", Value(""), output_field=TextField())).values("told")),
    ),
    columns_of_row(_TokenColumns) | member_columns("user"),
)


def resolve_access_token(secret: str) -> Credential | DeadToken | None:
    """Return the access token `secret`, dead if it has expired or its app is blocked.

    None if it is wrong, revoked or orphaned.
    """
    checksum = sha256(secret)
    member_id = owner_of(checksum)
    row = None if member_id is None else _ACCESS_TOKEN.first(member_id=member_id, checksum=checksum)
    if row is None or row["limits"] is None:  # without a consent its limits are unknown
        return None
    member, limits = member_of(row), Limits.of(row["limits"])
    if limits.have_ended(member.today()):
        return None
    connection = Connection(row["family"], row["member_id"], row["client_id"], row["last_call_at"], row["refused_at"])
    if row["blocked"]:
        return DeadToken(connection, Refusal.BLOCKED)
    if row["expires"] <= timezone.now():
        return DeadToken(connection, Refusal.EXPIRED)
    return Credential(
        kind="access_token",
        id=row["token_id"],
        scopes=frozenset(map(Scope, row["scope"].split())),
        member=member,
        actor=Actor(ActorKind.APP, row["app_id"], row["app_name"]),
        root=MCP_ROOT if row["resource"] else "",
        connection=connection,
        limits=limits,
    )


def find_token(model: type[AccessToken | RefreshToken], secret: str) -> str | None:
    """Find an access token, or a refresh token, rotated or not. Return the list of connections, filtered to its own."""
    checksum = sha256(secret)
    owner = owner_of(checksum)
    token = model.objects.filter(user_id=owner, token_checksum=checksum).first() if owner else None
    if token is None:
        return None
    live = live_refresh_tokens().filter(user_id=token.user_id, token_family=token.token_family).first()
    return None if live is None else reverse("admin:oauthserver_refreshtoken_changelist", query={"q": str(live.pk)})


def find_client_secret(secret: str) -> str | None:
    """Find an app's secret. Return the page of the app."""
    found = Application.objects.filter(client_secret=secret).values_list("id", flat=True).first()
    return None if found is None else reverse("admin:oauthserver_application_change", args=[found])
