"""The log of account events: sign-ins, networks, keys, apps, and what operators did and read.

The log of changes covers study data (`accounts.changes.models`); this one covers the account. A row is written once and
never changed (`accounts.events.log`). It holds no secret, and only the network of an address.
"""

from datetime import timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.changes.models import CALLERS, MAX_NAME
from studyservice.database.constraints import characters, one_of
from studyservice.database.ids import uuid7

KEPT_FOR = timedelta(days=90)
"""How long a row is kept."""

_NETWORK_ENDS = ("/24", "/56")
"""The suffixes of truncated networks (`studyservice.http.requests`)."""


class EventKind(models.TextChoices):
    """The kinds of account events."""

    SIGNED_IN = "signed_in", "signed in"
    KEY_MADE = "key_made", "key made"
    KEY_NEW_NETWORK = "key_new_network", "key used from a new network"
    KEY_REVOKED = "key_revoked", "key revoked"
    LIMITS_CHANGED = "limits_changed", "limits changed"
    APP_CONNECTED = "app_connected", "app connected"
    APP_DISCONNECTED = "app_disconnected", "app disconnected"
    OPERATOR_ACTION = "operator_action", "operator's action"
    OPERATOR_READ = "operator_read", "read by an operator"


class AccountEvent(models.Model):
    """One event of a member's account, with its actor and network, at the true time."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    kind = models.CharField(max_length=24, choices=EventKind)
    by_kind = models.CharField(max_length=8, choices=CALLERS)
    by_id = models.UUIDField(null=True)
    by_name = models.CharField(max_length=MAX_NAME, blank=True)
    network = models.CharField(max_length=43, blank=True, help_text="Empty where it is not known, as of commands.")
    object_type = models.CharField(max_length=32, blank=True, help_text="What it is about, if not the account.")
    object_id = models.UUIDField(null=True)
    object_name = models.CharField(max_length=MAX_NAME, blank=True)
    detail = models.CharField(max_length=MAX_NAME, blank=True)
    request_id = models.CharField(max_length=64, blank=True)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "id"], name="event_member_age"),
            models.Index(fields=["request_id"], name="event_request", condition=~Q(request_id="")),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            one_of("kind", EventKind.values),
            one_of("by_kind", dict(CALLERS)),
            *(characters(name, 0, MAX_NAME) for name in ("by_name", "object_name", "detail")),
            characters("object_type", 0, 32),
            characters("request_id", 0, 64),
            models.CheckConstraint(
                condition=Q(network="") | Q(*(Q(network__endswith=end) for end in _NETWORK_ENDS), _connector=Q.OR),
                name="%(class)s_network",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.object_name}" if self.object_name else str(self.get_kind_display())
