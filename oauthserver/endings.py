"""What ends: rows that `purgeexpired` removes, and what `redo-gone` repeats after a restore.

The first replaces the toolkit's `cleartokens`, which does not know families.
"""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.erasure.purging import purge_credentials
from oauthserver.connections import end_connection
from oauthserver.consents import block, is_blocked, members_of, unblock
from oauthserver.models import AccessToken, Application, BlockedApp, Grant, RefreshToken
from studyservice.database.deleting import BATCH, delete_alone
from studyservice.gone import Ending, note_gone

UNUSED_AFTER = timedelta(hours=24)
"""How long a registration without a token is kept."""


def purge_refresh_tokens() -> int:
    """Remove expired refresh tokens. Rotated ones are kept until then too, because reuse ends the family."""
    return purge_credentials(RefreshToken.objects.filter(expires__lte=timezone.now()), owner="user_id")


def purge_access_tokens() -> int:
    """Remove expired access tokens. The family's refresh tokens do not need them."""
    return purge_credentials(AccessToken.objects.filter(expires__lte=timezone.now()), owner="user_id")


def purge_authorization_codes() -> int:
    """Remove expired codes without live tokens. Until then, reuse of a code ends its tokens."""
    lives = Exists(RefreshToken.objects.filter(user_id=OuterRef("user_id"), token_family=OuterRef("token_family")))
    return purge_credentials(Grant.objects.filter(~lives, expires__lte=timezone.now()), owner="user_id")


def purge_unused_registrations() -> int:
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


OF_APPS = {
    "app_disconnected": Ending(_connection, lambda found: end_connection(*found)),
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
