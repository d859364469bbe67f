"""Second factors of operators: authenticator apps, passkeys and recovery codes."""

import uuid
from typing import ClassVar

from django.db import models
from django.utils import timezone

from accounts.members.models import Member
from studyservice.database.constraints import at_least, characters


class AuthenticatorApp(models.Model):
    """An app that shows a new code every 30 seconds (RFC 6238). A member has at most one.

    Its secret cannot be hashed, because each code is computed from it. It is encrypted under `SECRET_KEY`.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    member = models.OneToOneField(Member, models.CASCADE, related_name="authenticator_app")
    sealed_secret = models.CharField(max_length=500, editable=False)
    last_step = models.BigIntegerField(
        default=0,
        editable=False,
        help_text="Of 30 seconds since 1970, the one whose code was used last; none before it.",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            characters("sealed_secret", 1, 500),
            at_least("last_step", 0),
        ]

    def __str__(self) -> str:
        return f"authenticator app of {self.member_id}"


class Passkey(models.Model):
    """A key pair. A device or a password manager keeps the private half (WebAuthn)."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    member = models.ForeignKey(Member, models.CASCADE, related_name="passkeys", db_index=False)
    name = models.CharField(max_length=60)
    credential_id = models.CharField(max_length=1400, editable=False, help_text="In base64url.")
    public_key = models.BinaryField(editable=False, help_text="A COSE key (RFC 9052).")
    sign_count = models.BigIntegerField(
        default=0, editable=False, help_text="What the device counted at its last signature; 0 if it does not count."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        # Includes the member, like all unique constraints, because tables may be distributed by member.
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["member", "credential_id"], name="passkey_member_credential"),
            characters("name", 1, 60),
            characters("credential_id", 1, 1400),
            at_least("sign_count", 0),
        ]

    def __str__(self) -> str:
        return self.name


class RecoveryCode(models.Model):
    """A recovery code that replaces a lost device once. Only its hash is stored, and its use deletes it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    member = models.ForeignKey(Member, models.CASCADE, related_name="recovery_codes", db_index=False)
    secret_hash = models.CharField(max_length=64, editable=False)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["member", "secret_hash"], name="recoverycode_member_hash")
        ]

    def __str__(self) -> str:
        return f"recovery code of {self.member_id}"
