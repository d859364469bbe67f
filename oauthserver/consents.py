"""What a consent allows and everything it issued: its scopes, its limits, its family of tokens, and blocked apps.

Access tokens are resolved here, and owners of tokens and client secrets found for the admin.

A block is stored separately from the app, by client id. So it survives the app's deletion, works before an app's
metadata document was ever read, and is not lifted by reading the document again.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet, Subquery, TextField, Value
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone

from accounts.credentials.connections import Refusal
from accounts.credentials.owners import delete_credentials, owner_of, row_of
from accounts.credentials.resolving import DeadToken, MemberColumns, member_columns, member_of
from accounts.models import Member
from oauthserver.models import AccessToken, Application, BlockedApp, Grant, RefreshToken, live_refresh_tokens
from studyservice.changes.calls import Actor
from studyservice.database.rows import At, columns_of_row
from studyservice.database.statements import Param, Select
from studyservice.gone import note_gone
from studyservice.http.requests import MCP_ROOT
from studyservice.models import ActorKind
from studyservice.operations.declaration import Scope
from studyservice.rows.access import Connection, Credential
from studyservice.rows.limits import Limits
from studyservice.secrets.generated import sha256


def scopes_from(text: str | None) -> frozenset[Scope]:
    """Return the requested scopes in `text`. `read` is always included, and unknown ones are dropped."""
    asked = set((text or "").split())
    return frozenset({Scope.READ, *(scope for scope in Scope if scope in asked)})


def written(scopes: frozenset[Scope]) -> str:
    """Return scopes in OAuth's format (RFC 6749 section 3.3)."""
    return " ".join(sorted(scopes))


def blocked_by(path: str) -> Exists:
    """Return a query condition: the app whose client id is at `path` is blocked."""
    return Exists(BlockedApp.objects.filter(client_id=OuterRef(path)))


def is_blocked(client_id: str | None) -> bool:
    """Return whether the app is blocked. Costs a query."""
    return BlockedApp.objects.filter(client_id=client_id).exists()


def block(client_id: str) -> bool:
    """Block the app at once. Its consents are kept for an unblock. False if it was already blocked."""
    return BlockedApp.objects.get_or_create(client_id=client_id)[1]


def unblock(client_id: str) -> bool:
    """Unblock the app. Its consents work again. False if it was not blocked."""
    return BlockedApp.objects.filter(client_id=client_id).delete()[0] > 0


def families_of(**owner: Any) -> set[UUID]:
    """Return consents with remaining rows: of the `user`, the `application` or both, or as `owner` filters."""
    return _values("token_family", owner)


def members_of(**which: Any) -> set[UUID]:
    """Return members with rows of an `application` or a `token_family`. Searches all members, so only for operators."""
    return _values("user_id", which)


def _values(column: str, which: dict[str, Any]) -> set[UUID]:
    models = (Grant, RefreshToken, AccessToken)
    return {value for model in models for value in model.objects.filter(**which).values_list(column, flat=True)}


def end_families(member_id: UUID, families: Iterable[UUID]) -> None:
    """Delete all codes, refresh tokens and access tokens of these consents of the member.

    The caller holds the member's lock (`studyservice.changes.writing`), so that nothing is issued meanwhile.
    """
    ended = list(families)
    for model in (RefreshToken, AccessToken, Grant):
        delete_credentials(model.objects.filter(user_id=member_id, token_family__in=ended))
    note_gone("app_disconnected", *ended)


def rows_of_consent(member_id: UUID, family: UUID) -> QuerySet[Grant]:
    """Return the rows of a consent, which hold its limits. Its tokens have none themselves."""
    return Grant.objects.filter(user_id=member_id, token_family=family)


def last_consent(member: Member, app_id: UUID) -> tuple[Limits, bool]:
    """Return what the member's newest consent for an app allowed: its limits, and whether the app may change data.

    A last day that is over is left out. Without a consent, nothing is limited.
    """
    consents = Grant.objects.filter(user=member, application_id=app_id).order_by("-created", "-id")
    newest = consents.values_list("limits", "scope").first()
    if newest is None:
        return Limits.of(None), True
    stored, scopes = newest
    limits = Limits.of(stored)
    if limits.have_ended(member.today()):
        limits = replace(limits, until=None)
    return limits, Scope.WRITE in scopes_from(scopes)


def consents_beyond(member_id: UUID, app_id: UUID, limits: Limits) -> set[UUID]:
    """Return the families of an app's consents that allow anything beyond `limits`."""
    consents = Grant.objects.filter(user_id=member_id, application_id=app_id).values_list("token_family", "limits")
    return {family for family, stored in consents if limits.keep_back_more_than(Limits.of(stored))}


def limit_app(member_id: UUID, app_id: UUID, limits: Limits) -> None:
    """Set the limits of every consent of the app. Needs the member's lock."""
    Grant.objects.filter(user_id=member_id, application_id=app_id).update(limits=limits.stored())


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
    token = row_of(model.objects.all(), secret)
    if token is None:
        return None
    live = live_refresh_tokens().filter(user_id=token.user_id, token_family=token.token_family).first()
    return None if live is None else reverse("admin:oauthserver_refreshtoken_changelist", query={"q": str(live.pk)})


def find_client_secret(secret: str) -> str | None:
    """Find an app's secret. Return the page of the app."""
    found = Application.objects.filter(client_secret=secret).values_list("id", flat=True).first()
    return None if found is None else reverse("admin:oauthserver_application_change", args=[found])
