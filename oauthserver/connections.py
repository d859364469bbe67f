"""The apps that members have connected: list, limit, disconnect and delete them, and remove what has expired.

The module implements `accounts.credentials.connections.Connections`, for the key page. Its part for `purgeexpired`
replaces the toolkit's `cleartokens`, which does not know families.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.db import transaction
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone
from oauthlib.oauth2.rfc6749.errors import InvalidRequestError

from accounts.credentials.connections import AskingApp, ConnectedApp, Refusal
from accounts.credentials.owners import note_use
from accounts.erasure.erasing import Purge, purge_credentials
from accounts.events import EventKind, Subject, record_event
from accounts.models import Member
from oauthserver.clients import Parameters
from oauthserver.consents import (
    block,
    blocked_by,
    end_families,
    families_of,
    is_blocked,
    limit_app,
    members_of,
    unblock,
)
from oauthserver.models import AccessToken, Application, BlockedApp, Grant, RefreshToken, live_refresh_tokens
from oauthserver.redirect_uris import destination_of
from studyservice.changes.writing import writing
from studyservice.database.deleting import BATCH, delete_alone
from studyservice.gone import Ending, note_gone
from studyservice.operations.declaration import Scope
from studyservice.rows.limits import Limits


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
            verified=apps[found].is_recognized(),
            hosts=apps[found].hosts(),
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


def one(member: Member, app_id: UUID) -> ConnectedApp | None:
    """Return the app, if `member` has connected it."""
    return next(iter(connected_apps(member, app_id)), None)


def unnamed(app_ids: Collection[UUID]) -> set[UUID]:
    """Return those of the apps whose names are not shown. One query, or none without apps."""
    apps = Application.objects.filter(id__in=app_ids).only("name", "redirect_uris")
    return {app.id for app in apps if not app.is_named}


def members() -> QuerySet[Member]:
    """Return the members for whom an app holds a live refresh token."""
    return Member.objects.filter(Exists(live_refresh_tokens().filter(user=OuterRef("pk"))))


def end_consents(member_id: UUID, **which: Any) -> None:
    """Revoke everything issued by these consents of the member, or by all, with an event for each app."""
    with writing(member_id):
        families = families_of(user_id=member_id, **which)
        grants = Grant.objects.filter(application=OuterRef("pk"), user_id=member_id, token_family__in=families)
        for app in Application.objects.select_for_update(no_key=True).filter(Exists(grants)).order_by("name", "id"):
            record_event(member_id, EventKind.APP_DISCONNECTED, Subject("app", app.pk, app.name))
        end_families(member_id, families)


def disconnect(member: Member, app_id: UUID) -> None:
    """Revoke every code and token that the app has for the member, in one transaction. Does nothing without any."""
    end_consents(member.id, application_id=app_id)


def disconnect_all_members(app: Application) -> int:
    """Revoke every code and token of `app`, member by member. Return the number of members."""
    connected = members_of(application=app)
    for member_id in connected:
        end_consents(member_id, application=app)
    return len(connected)


def limit(member: Member, app_id: UUID, limits: Limits) -> None:
    """Set the limits of every consent of the app."""
    with writing(member.id):
        for app in connected_apps(member, app_id):
            limit_app(member.id, app_id, limits)
            if changed := limits.compared_with(app.limits):
                subject = Subject("app", app_id, app.name)
                record_event(member.id, EventKind.LIMITS_CHANGED, subject, detail=changed)


def note_call(member_id: UUID, connection: UUID, noted: datetime | None, refusal: Refusal | None) -> None:
    """Record the connection's last call, or its last `refusal`.

    Args:
        noted: the stored time of either.
    """
    column, also = ("last_call_at", {}) if refusal is None else ("refused_at", {"refusal": refusal})
    note_use(Grant, noted, column=column, also=also, user_id=member_id, token_family=connection)


def asking(target: str) -> AskingApp | None:
    """Return the app of the authorization request in `target`, if its redirect URI is the app's. Costs a query."""
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


UNUSED_AFTER = timedelta(hours=24)
"""How long a registration without a token is kept."""


def _purge(rows: QuerySet[Any]) -> int:
    return purge_credentials(rows.filter(expires__lte=timezone.now()), owner="user_id")


def _spent_codes() -> QuerySet[Any]:
    """Return codes without live tokens. Until their tokens have ended, reuse of a code ends them."""
    tokens = RefreshToken.objects.filter(user_id=OuterRef("user_id"), token_family=OuterRef("token_family"))
    return Grant.objects.exclude(Exists(tokens))


def _purge_unused_registrations() -> int:
    """Remove apps that never got a token. One with a consent in progress is locked, and skipped."""
    unused = Application.objects.filter(first_token_at=None, created__lte=timezone.now() - UNUSED_AFTER)
    consented = Grant.objects.filter(application__in=unused).values("application_id")
    removed = 0
    while batch := list(unused.exclude(pk__in=consented).order_by("created").values_list("pk", flat=True)[:BATCH]):
        with transaction.atomic():
            locked = Application.objects.select_for_update(skip_locked=True).filter(pk__in=batch)
            free = list(locked.values_list("pk", flat=True))
            # Checked again under the lock, since a consent may have arrived.
            still = list(unused.exclude(pk__in=consented).filter(pk__in=free).values_list("pk", flat=True))
            gone = delete_alone(Application.objects.filter(pk__in=still))
        if not gone:
            break
        removed += gone
    return removed


def _connection(family: str, at: datetime) -> tuple[UUID, UUID] | None:
    """Return the member and the id of a connection that has rows."""
    members = members_of(token_family=family)
    return (members.pop(), UUID(family)) if members else None


def _not_blocked(client_id: str, at: datetime) -> str | None:
    return None if is_blocked(client_id) else client_id


def _blocked(client_id: str, at: datetime) -> str | None:
    """Return the app if it was blocked before `at`."""
    return client_id if BlockedApp.objects.filter(client_id=client_id, created__lte=at).exists() else None


EXPIRED_OF_APPS: dict[str, Purge] = {
    # Rotated refresh tokens are kept until they expire too, because reuse ends the family. A refresh token must be
    # removed before the access token that it refers to.
    "refresh_tokens": lambda: _purge(RefreshToken.objects.all()),
    "access_tokens": lambda: _purge(AccessToken.objects.all()),
    "authorization_codes": lambda: _purge(_spent_codes()),
    "unused_registrations": _purge_unused_registrations,
}

ENDINGS_OF_APPS = {
    "app_disconnected": Ending(_connection, lambda found: end_consents(found[0], token_family=found[1])),
    "app_blocked": Ending(_not_blocked, block, by_uuid=False),
    "app_unblocked": Ending(_blocked, unblock, by_uuid=False),
}


def note_block(instance: BlockedApp, created: bool, **_: Any) -> None:
    """Receive `post_save` of a block."""
    if created:
        note_gone("app_blocked", instance.client_id)


def note_unblock(instance: BlockedApp, **_: Any) -> None:
    """Receive `post_delete` of a block."""
    note_gone("app_unblocked", instance.client_id)
