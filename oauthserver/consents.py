"""What a consent allows and everything it issued: its scopes, its limits, its family of tokens, and blocked apps.

A block is stored separately from the app, by client id. So it survives the app's deletion, works before an app's
metadata document was ever read, and is not lifted by reading the document again.
"""

import uuid
from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from accounts.credentials.owners import delete_credentials
from accounts.models import Member
from oauthserver.models import AccessToken, BlockedApp, Grant, RefreshToken
from studyservice.gone import note_gone
from studyservice.operations.declaration import Scope
from studyservice.rows.limits import Limits


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


def families_of(**owner: Any) -> set[uuid.UUID]:
    """Return consents with remaining rows: of the `user`, the `application` or both, or as `owner` filters."""
    found: set[uuid.UUID] = set()
    for model in (Grant, RefreshToken, AccessToken):
        found.update(model.objects.filter(**owner).values_list("token_family", flat=True))
    return found


def members_of(**which: Any) -> set[uuid.UUID]:
    """Return members with rows of an `application` or a `token_family`. Searches all members, so only for operators."""
    found: set[uuid.UUID] = set()
    for model in (Grant, RefreshToken, AccessToken):
        found.update(model.objects.filter(**which).values_list("user_id", flat=True))
    return found


def end_families(member_id: uuid.UUID, families: Iterable[uuid.UUID]) -> None:
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
