"""An invitation as a row; only the hash of its link's secret is stored."""

import uuid
from typing import ClassVar

from django.db import models
from django.utils import timezone

from studyservice.database.constraints import characters


class Invitation(models.Model):
    """An invited address and the end of its invitation."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    email = models.EmailField(unique=True)
    secret_hash = models.CharField(max_length=64, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(db_index=True, editable=False)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["secret_hash"], name="invitation_secret_hash"),
            characters("email", 1, 254),
        ]

    def __str__(self) -> str:
        return self.email
