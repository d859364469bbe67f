"""Disconnections and blocks of apps that `redo-gone` repeats after a restore."""

from datetime import datetime
from typing import Any
from uuid import UUID

from oauthserver.blocking import block, is_blocked, unblock
from oauthserver.connections import end_connection
from oauthserver.families import members_of
from oauthserver.models import BlockedApp
from studyservice.gone import Ending, note_gone


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
