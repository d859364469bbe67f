"""Find and end everything that one consent issued."""

import uuid
from collections.abc import Iterable
from typing import Any

from accounts.credentials.owners import delete_credentials
from oauthserver.models import AccessToken, Grant, RefreshToken
from studyservice.gone import note_gone


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

    The caller holds the member's lock (`accounts.changes.writing`), so that nothing is issued meanwhile.
    """
    ended = list(families)
    for model in (RefreshToken, AccessToken, Grant):
        delete_credentials(model.objects.filter(user_id=member_id, token_family__in=ended))
    note_gone("app_disconnected", *ended)
