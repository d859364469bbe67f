"""Browser sessions as rows with member, browser and last use."""

from typing import ClassVar

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils import timezone

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
        from accounts.signing_in.session_store import SessionStore  # noqa: PLC0415  # it imports this model

        return SessionStore
