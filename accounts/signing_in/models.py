"""Sign-in codes as rows; none is stored readable."""

import uuid

from django.db import models

from accounts.members.models import Member


class SignInCode(models.Model):
    """A code that was e-mailed for signing in; only its keyed hash is stored.

    One is also made for an address that belongs to nobody, without a member, so that both take the same work.
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
