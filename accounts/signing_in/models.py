"""Browser sessions, sign-in codes, identities at a provider, and operators' second factors.

Sessions are rows with member, browser and last use. Codes are stored as hashes.
"""

import uuid
from typing import ClassVar

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils import timezone
from django.utils.http import MAX_URL_REDIRECT_LENGTH

from accounts.members.models import Member
from studyservice.database.constraints import at_least, characters
from studyservice.identity_provider import MAX_ISSUER

MAX_SUBJECT = 255
"""Longest `sub` (OpenID Connect Core 1.0, 2)."""


class BrowserSession(AbstractBaseSession):
    """A session. It has no member while nobody is signed in."""

    member = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="browser_sessions", db_index=False
    )
    browser = models.CharField(max_length=60, blank=True, help_text="Such as Firefox on Windows.")
    last_used_at = models.DateTimeField(default=timezone.now)

    class Meta(AbstractBaseSession.Meta):
        abstract = False
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "-last_used_at"], name="session_member_used")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [characters("browser", 0, 60)]

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        """Return the store that reads and writes these rows."""
        from accounts.signing_in.sessions import SessionStore  # noqa: PLC0415  # it imports this model

        return SessionStore


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


class ProviderSignIn(models.Model):
    """A sign-in that began at the identity provider's. It ends once, in the browser that began it.

    Only the hash of the browser's secret is stored (`accounts.signing_in.provider.flows`).
    """

    id = models.UUIDField(primary_key=True, editable=False, help_text="The first half of the secret's SHA-256.")
    member = models.ForeignKey(
        Member, models.CASCADE, related_name="+", null=True, help_text="Who connects the account with an identity."
    )
    target = models.TextField(help_text="Address on this site to continue at.")
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [characters("target", 1, MAX_URL_REDIRECT_LENGTH)]

    def __str__(self) -> str:
        return f"provider sign-in {self.id}"


class LinkedIdentity(models.Model):
    """A person at the identity provider who signs in to a member's account.

    Attributes:
        membership_until: the end of the membership that a claim gave, if one did.
        before_until: the end of another membership, which was shorter and counts again when that one is taken away.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    member = models.ForeignKey(Member, models.CASCADE, related_name="identities", db_index=False)
    issuer = models.CharField(max_length=MAX_ISSUER, editable=False)
    subject = models.CharField(max_length=MAX_SUBJECT, editable=False, help_text="The claim sub.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    membership_until = models.DateField(null=True, editable=False)
    before_until = models.DateField(null=True, editable=False)

    class Meta:
        verbose_name_plural = "linked identities"
        # Found before the member is known, so the first key has no member.
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="linkedidentity_issuer_subject"),
            models.UniqueConstraint(fields=["member", "issuer"], name="linkedidentity_member_issuer"),
            characters("issuer", 1, MAX_ISSUER),
            characters("subject", 1, MAX_SUBJECT),
        ]

    def __str__(self) -> str:
        return f"identity of {self.member_id}"
