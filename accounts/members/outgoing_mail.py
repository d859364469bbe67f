"""An e-mail in the outbox. Its text is encrypted, since it may contain the link of an invitation."""

from typing import ClassVar

from django.db import models
from django.utils import timezone

from studyservice.database.constraints import at_least, characters, one_of
from studyservice.database.ids import uuid7


class MailKind(models.TextChoices):
    """The kinds of e-mail that are stored until sent. E-mails with codes are not stored."""

    ANNOUNCEMENT = "announcement"
    REMINDER = "reminder"
    INVITATION = "invitation"


class OutgoingMail(models.Model):
    """An e-mail to one address. The address may belong to no member, so there is no foreign key."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    kind = models.CharField(max_length=12, choices=MailKind.choices)
    email = models.EmailField(db_index=True)
    content = models.TextField(help_text="Subject and text, encrypted. See accounts.members.outbox.")
    created_at = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            one_of("kind", MailKind.values),
            characters("email", 1, 254),
            at_least("attempts", 0),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.email}"
