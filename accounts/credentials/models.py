"""API keys and calendar addresses. Only hashes of their secrets are stored."""

import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.credentials.connections import Refusal
from accounts.members.models import Member
from studyservice.database.constraints import characters, one_of
from studyservice.operations.declaration import Scope
from studyservice.rows.limits import Limits


class KeyEnd(models.TextChoices):
    """The reason why an existing API key does not work."""

    REVOKED = "revoked", "the key is revoked"
    EXPIRED = "expired", "the key has expired"


class ApiKey(models.Model):
    """A member's key for scripts; only its hash is stored."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    member = models.ForeignKey(Member, models.CASCADE, related_name="api_keys", db_index=False)
    name = models.CharField(max_length=60)
    secret_hash = models.CharField(max_length=64, editable=False)
    hint = models.CharField(max_length=32, editable=False, help_text="The secret's visible beginning and end.")
    may_write = models.BooleanField("may change data", default=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    limits = models.TextField(
        null=True, blank=True, editable=False, help_text="Empty without limits; see studyservice.rows.limits."
    )
    networks = models.TextField(
        blank=True, default="", db_default="", editable=False, help_text="It was used from, apart by spaces."
    )

    refused_at = models.DateTimeField(
        null=True, editable=False, help_text="Time of the last refused call; at most one in five minutes is recorded."
    )
    refusal = models.CharField(
        max_length=32, blank=True, default="", db_default="", editable=False, help_text="The reason for that refusal."
    )

    sees = ""
    """The limits in words, for pages that show them."""

    class Meta:
        verbose_name = "API key"
        verbose_name_plural = "API keys"
        ordering: ClassVar[list[str]] = ["-created_at"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "-created_at"], name="apikey_member_created"),
            models.Index(fields=["member", "expires_at"], name="apikey_member_live", condition=Q(revoked_at=None)),
            models.Index(fields=["revoked_at"], name="apikey_revoked", condition=Q(revoked_at__isnull=False)),
            models.Index(fields=["hint"], name="apikey_hint", opclasses=["varchar_pattern_ops"]),
            models.Index(fields=["expires_at"], name="apikey_expires", condition=Q(expires_at__isnull=False)),
        ]
        # `unique=True` would add a second index, for LIKE, on PostgreSQL.
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["secret_hash"], name="apikey_secret_hash"),
            characters("name", 1, 60),
            one_of("refusal", ("", *Refusal.values, *KeyEnd.values)),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.hint})"

    def refused_in_words(self) -> str:
        """Return the reason for the last refused call; empty if there was none."""
        if not self.refusal:
            return ""
        ended = self.refusal in KeyEnd.values
        return str(KeyEnd(self.refusal).label if ended else Refusal(self.refusal).label)

    def state(self) -> str:
        """Return `active`, `expired` or `revoked`."""
        if self.revoked_at is not None:
            return "revoked"
        if self.expires_at is not None and self.expires_at <= timezone.now():
            return "expired"
        return "active"

    def limited_to(self) -> Limits:
        """The limits of the key."""
        return Limits.of(self.limits)

    def scopes(self) -> frozenset[Scope]:
        """The scopes of the key; `write` includes `read`."""
        return frozenset(Scope) if self.may_write else frozenset({Scope.READ})


class CalendarFeed(models.Model):
    """The secret address of a member's calendar; only its hash is stored. A member has at most one."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    member = models.OneToOneField(Member, models.CASCADE, related_name="calendar_feed")
    secret_hash = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["secret_hash"], name="calendarfeed_secret_hash")
        ]

    def __str__(self) -> str:
        return f"calendar address of {self.member_id}"


class SecretOwner(models.Model):
    """The member behind the secret of an API key, a calendar address, a code or an app's token.

    A separate table without a foreign key, so that it can be in one place wherever the members' rows are. See
    `accounts.credentials.owners`.
    """

    id = models.UUIDField(primary_key=True, editable=False, help_text="The first half of the secret's SHA-256.")
    member = models.ForeignKey(Member, models.CASCADE, related_name="+", db_constraint=False)

    def __str__(self) -> str:
        return f"owner of secret {self.id}"
