"""Sign-in codes, stored as keyed hashes."""

import uuid

from django.db import models

from accounts.members.models import Member


class SignInCode(models.Model):
    """An e-mailed sign-in code; only its keyed hash is stored.

    For an unknown address a code without a member is stored, so that both cases take the same work.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    member = models.ForeignKey(Member, models.CASCADE, related_name="sign_in_codes", null=True)
    code_hash = models.CharField(max_length=64)
    tries = models.PositiveSmallIntegerField(default=0)
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True)
    joins = models.BooleanField(
        default=False, db_default=False, help_text="Whether it was sent to an address of nobody, who joins with it."
    )

    def __str__(self) -> str:
        return f"sign-in code {self.id}"
