"""Attempts: every time a member practised something, and whether it went well."""

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models

from studyservice.database.constraints import characters, one_of


class Source(models.TextChoices):
    """What kind of practice an attempt comes from; later kinds are added here."""

    VOCAB = "vocab", "flashcard review"


class Attempt(models.Model):
    """One answer to one question of any kind of practice.

    It has the id of what it was made from (of a flashcard, its `vocab.Review`). It outlives the deck and the course,
    whose ids are plain references and become null with them; `topic` is the deck's name at the time.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, db_index=False)
    source = models.CharField(max_length=16, choices=Source)
    topic = models.CharField(max_length=120)
    deck_id = models.UUIDField(null=True, blank=True)
    course_id = models.UUIDField(null=True, blank=True)
    correct = models.BooleanField()
    attempted_at = models.DateTimeField()
    day = models.DateField(help_text="The member's date at that moment, in the time zone the profile then had.")

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "day", "correct"], name="attempt_member_day")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            one_of("source", Source.values),
            characters("topic", 1, 120),
        ]

    def __str__(self) -> str:
        return f"{self.topic}, {self.day}"
