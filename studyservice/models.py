"""The log of changes, with a row for each call that changed a member's study data, and answers stored for retries."""

import uuid
from datetime import timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from studyservice.database.constraints import between, characters, one_of
from studyservice.database.ids import uuid7

KEPT_FOR = timedelta(days=90)
"""How long a row is kept."""

MAX_NAME = 255
"""Maximum characters of the name of an object or an actor."""


class ActorKind(models.TextChoices):
    """The kind of actor of a change."""

    KEY = "key", "API key"
    APP = "app", "connected app"
    PAGE = "page", "page of this service"
    OPERATOR = "operator"
    COMMAND = "command"
    CALENDAR = "calendar", "school calendar"


CALLERS = [(kind.value, kind.label) for kind in ActorKind if kind is not ActorKind.CALENDAR]
"""The kinds of actors except school calendars, which change only items."""


class Change(models.Model):
    """The change of one call: its actor, its object, and the fields before and after.

    `studyservice.changes.contents` reads `contents`, `studyservice.changes.stream` reads `taken`. Reviews of cards have
    a separate log. They get a row here when that log loses them.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="changes", db_index=False)
    created_at = models.DateTimeField(help_text="The stamp of the write, on the member's clock.")
    operation = models.CharField(max_length=64)
    by_kind = models.CharField(
        max_length=8, choices=ActorKind, null=True, help_text="Empty of reviews from before it was kept."
    )
    by_id = models.UUIDField(null=True)
    by_name = models.CharField(max_length=MAX_NAME, blank=True)
    object_type = models.CharField(max_length=32)
    object_id = models.UUIDField()
    object_name = models.CharField(max_length=MAX_NAME, blank=True)
    contents = models.BinaryField(help_text="The fields before and after, as JSON; compressed if they are long.")
    taken = models.BinaryField(null=True, help_text="The rows that a deletion took, compressed; for 30 days.")
    undoable = models.BooleanField(help_text="Whether the row has what taking the change back needs.")
    undone_at = models.DateTimeField(null=True)
    course_id = models.UUIDField(null=True, help_text="The course of the object; empty if it has none, or unknown.")
    courses = models.TextField(
        default="",
        db_default="",
        help_text="Further courses that it touched, apart by spaces; a hyphen for what belongs to no course.",
    )
    grades = models.BooleanField(default=False, db_default=False, help_text="Whether it is about grades.")

    class Meta:
        db_table = "accounts_change"  # from when the model belonged to accounts
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "created_at", "id"], name="change_member_age"),
            models.Index(fields=["member", "object_id", "created_at", "id"], name="change_member_object"),
            models.Index(fields=["id"], name="change_taken", condition=Q(taken__isnull=False)),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            characters("operation", 1, 64),
            one_of("by_kind", ActorKind.values),
            characters("by_name", 0, MAX_NAME),
            characters("object_type", 1, 32),
            characters("object_name", 0, MAX_NAME),
        ]

    def __str__(self) -> str:
        return f"{self.operation}: {self.object_name}"


class ChangeObject(models.Model):
    """A further object that a call created, changed or deleted, so that list_changes finds its row.

    It has the same age as the row and is purged by age, so neither needs a foreign key.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False)
    object_id = models.UUIDField()
    change_id = models.UUIDField()

    class Meta:
        db_table = "accounts_changeobject"
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "object_id", "change_id"], name="changeobject_member"),
        ]

    def __str__(self) -> str:
        return f"{self.object_id} in {self.change_id}"


class IdempotencyKey(models.Model):
    """The stored answer to a call with an `Idempotency-Key`."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False)
    holder = models.UUIDField(help_text="The API key, or the connection of the access token, that sent it.")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64, help_text="SHA-256 of the operation, its path and its body.")
    status = models.PositiveSmallIntegerField()
    answer = models.TextField(help_text="The body of the answer, or the ids in it.")
    whole = models.BooleanField(help_text="Whether the answer is there, and not only its ids.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        db_table = "accounts_idempotencykey"
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "-created_at"], name="idempotency_member_created"),
            models.Index(fields=["created_at"], name="idempotency_created"),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["member", "holder", "key"], name="idempotency_key_once"),
            characters("key", 1, 255),
            characters("fingerprint", 64, 64),
            between("status", 200, 299),
        ]

    def __str__(self) -> str:
        return f"idempotency key {self.id}"
