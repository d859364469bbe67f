"""Answers stored for retries."""

import uuid
from typing import ClassVar

from django.db import models
from django.utils import timezone

from accounts.members.models import Member
from studyservice.database.constraints import between, characters


class IdempotencyKey(models.Model):
    """The stored answer to a call with an `Idempotency-Key`."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    member = models.ForeignKey(Member, models.CASCADE, related_name="+", db_index=False)
    holder = models.UUIDField(help_text="The API key, or the connection of the access token, that sent it.")
    key = models.CharField(max_length=255)
    fingerprint = models.CharField(max_length=64, help_text="SHA-256 of the operation, its path and its body.")
    status = models.PositiveSmallIntegerField()
    answer = models.TextField(help_text="The body of the answer, or the ids in it.")
    whole = models.BooleanField(help_text="Whether the answer is there, and not only its ids.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
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
