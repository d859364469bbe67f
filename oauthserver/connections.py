"""The apps that a member has connected: list, disconnect and delete them."""

from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from oauthlib.oauth2.rfc6749.errors import InvalidRequestError

from accounts.credentials.connections import AskingApp, ConnectedApp, ConnectedApps, Refusal
from accounts.credentials.owners import note_use
from accounts.events import EventKind, Subject, record_event
from accounts.models import Member
from oauthserver.clients import Parameters
from oauthserver.consents import blocked_by, end_families, families_of, limit_app, members_of
from oauthserver.models import Application, Grant, live_refresh_tokens
from oauthserver.platforms import destination_of, hosts_of, is_verified
from studyservice.changes.writing import writing
from studyservice.operations.declaration import Scope
from studyservice.rows.limits import Limits

MAX_LISTED = 50
"""Number of apps that the key page lists, the newest first."""


def connected_apps(member: Member, app_id: UUID | None = None, *, most: int | None = None) -> list[ConnectedApp]:
    """Return the apps with access to the member's data, the newest first, or only `app_id`. Costs two queries.

    The database aggregates each app's tokens, since it may have been connected many times.

    Args:
        most: limit; None means all.
    """
    consent = Grant.objects.filter(user=member, token_family=OuterRef("token_family"))
    tokens = live_refresh_tokens().filter(user=member)
    if app_id is not None:
        tokens = tokens.filter(application=app_id)
    held = (
        tokens.values("application_id")
        .annotate(
            connected_at=Min(Coalesce(Subquery(consent.values("created")), "created")),
            reused_at=Max(Subquery(consent.values("reused_at"))),
            writes=Count("id", filter=Q(scope__contains=Scope.WRITE)),
        )
        .order_by("-connected_at", "application_id")[:most]
    )
    by_app = {row["application_id"]: row for row in held}
    consents = Grant.objects.filter(user=member, application=OuterRef("pk"))
    called = consents.filter(last_call_at__isnull=False).order_by("-last_call_at")
    refused = consents.filter(refused_at__isnull=False).order_by("-refused_at")
    apps = Application.objects.annotate(
        blocked=blocked_by("client_id"),
        last_call_at=Subquery(called.values("last_call_at")[:1]),
        refused_at=Subquery(refused.values("refused_at")[:1]),
        refusal=Subquery(refused.values("refusal")[:1]),
        limits=Subquery(consents.order_by("-created", "-id").values("limits")[:1]),
    ).in_bulk(list(by_app))
    return [
        ConnectedApp(
            id=found,
            name=apps[found].name,
            is_named=apps[found].is_named,
            verified=is_verified(apps[found]),
            hosts=hosts_of(apps[found]),
            scopes=frozenset(Scope) if row["writes"] else frozenset({Scope.READ}),
            connected_at=row["connected_at"],
            last_call_at=apps[found].last_call_at,
            refused_at=apps[found].refused_at,
            refusal=Refusal(apps[found].refusal) if apps[found].refusal else None,
            reused_at=row["reused_at"],
            blocked=apps[found].blocked,
            limits=Limits.of(apps[found].limits),
        )
        for found, row in by_app.items()
        if found in apps  # it may be deleted between the two queries
    ]


def disconnect(member: Member, app_id: UUID) -> None:
    """Revoke every code and token that the app has for the member, in one transaction. Does nothing without any."""
    with writing(member.id):
        _end(member.id, application_id=app_id)


def disconnect_all_apps(member: Member) -> None:
    """Revoke every code and token that any app has for the member."""
    with writing(member.id):
        _end(member.id)


def disconnect_all_members(app: Application) -> int:
    """Revoke every code and token of `app`, member by member. Return the number of members."""
    members = members_of(application=app)
    for member_id in members:
        with writing(member_id):
            _end(member_id, application=app)
    return len(members)


def end_connection(member_id: UUID, family: UUID) -> None:
    """Revoke everything issued by one consent."""
    with writing(member_id):
        _end(member_id, token_family=family)


def _end(member_id: UUID, **which: Any) -> None:
    """Revoke everything issued by these consents of the member, under the member's lock, with an event for each app."""
    families = families_of(user_id=member_id, **which)
    grants = Grant.objects.filter(application=OuterRef("pk"), user_id=member_id, token_family__in=families)
    for app in Application.objects.select_for_update(no_key=True).filter(Exists(grants)).order_by("name", "id"):
        record_event(member_id, EventKind.APP_DISCONNECTED, Subject("app", app.pk, app.name))
    end_families(member_id, families)


def note_call(member_id: UUID, connection: UUID, noted: datetime | None, refusal: Refusal | None) -> None:
    """Record the connection's last call, or its last `refusal`.

    Args:
        noted: the stored time of either.
    """
    row: dict[str, Any] = {"user_id": member_id, "token_family": connection}
    if refusal is None:
        note_use(Grant, noted, column="last_call_at", **row)
    else:
        note_use(Grant, noted, column="refused_at", also={"refusal": refusal}, **row)


def asking_app(target: str) -> AskingApp | None:
    """Return the app of the authorization request in `target`, if its redirect URI is the app's."""
    parts = urlsplit(target)
    if parts.path != reverse("oauth2_provider:authorize"):
        return None
    try:
        query = Parameters(parts.query)
    except InvalidRequestError:
        return None
    app = Application.objects.filter(client_id=query.get("client_id")).first()
    if app is None:
        return None
    uri = query.get("redirect_uri") or app.default_redirect_uri
    name = app.name if app.is_named else ""
    return AskingApp(name, str(destination_of(uri))) if app.redirect_uri_allowed(uri) else None


class OAuthConnections:
    """The implementation for the key page (`accounts.credentials.connections.Connections`)."""

    @staticmethod
    def of(member: Member) -> ConnectedApps:
        found = connected_apps(member, most=MAX_LISTED + 1)
        return ConnectedApps(found[:MAX_LISTED], more=len(found) > MAX_LISTED)

    @staticmethod
    def one(member: Member, app_id: UUID) -> ConnectedApp | None:
        return next(iter(connected_apps(member, app_id)), None)

    @staticmethod
    def members() -> QuerySet[Member]:
        """Return the members for whom an app holds a live refresh token."""
        return Member.objects.filter(Exists(live_refresh_tokens().filter(user=OuterRef("pk"))))

    @staticmethod
    def asking(target: str) -> AskingApp | None:
        """Return the app that requests consent at `target`. Costs a query."""
        return asking_app(target)

    note_call = staticmethod(note_call)
    disconnect = staticmethod(disconnect)

    @staticmethod
    def limit(member: Member, app_id: UUID, limits: Limits) -> None:
        """Set the limits of every consent of the app."""
        with writing(member.id):
            for app in connected_apps(member, app_id):
                limit_app(member.id, app_id, limits)
                if changed := limits.compared_with(app.limits):
                    subject = Subject("app", app_id, app.name)
                    record_event(member.id, EventKind.LIMITS_CHANGED, subject, detail=changed)


def delete_app(app: Application) -> None:
    """Delete `app` with all its codes and tokens.

    Its lock waits for rows that are being stored, which are then deleted too. Later requests find it deleted
    (`oauthserver.clients.locked_app`). Disconnect its members before, each in a separate transaction
    (`oauthserver.connections.disconnect_all_members`), so that no member waits for all others.
    """
    with transaction.atomic():
        Application.objects.select_for_update().filter(pk=app.pk).values_list("pk").first()
        for member_id in members_of(application=app):
            end_families(member_id, families_of(user_id=member_id, application=app))
        app.delete()
