"""Browser sessions as rows with member, browser and last use, and sign-in codes, stored as keyed hashes."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils import timezone

from accounts.members.models import Member
from studyservice.database.constraints import characters


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
