"""Attempts: each time a member practiced something, with the result. And their stored sums."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from studyservice.database.constraints import at_least, between, characters, one_of
from studyservice.database.ids import uuid7
from studyservice.rows.rows import Rows
from studyservice.rows.seen import Masked

CERTAIN = 1_000_000_000
"""The probability 1. Probabilities are stored in billionths, so that sums do not depend on the order."""


class MaskedUUIDField(Masked, models.UUIDField):  # type: ignore[type-arg]  # not generic when it runs
    """An id that a credential limited to courses sees otherwise."""


class MaskedIntegerField(Masked, models.PositiveIntegerField):  # type: ignore[type-arg]  # likewise
    """A number that a credential limited to courses sees otherwise."""


class MaskedBigIntegerField(Masked, models.PositiveBigIntegerField):  # type: ignore[type-arg]  # likewise
    """A larger number that such a credential sees otherwise."""


class Source(models.TextChoices):
    """The kind of practice of an attempt. Later kinds are added here."""

    VOCAB = "vocab", "flashcard review"


class Attempt(models.Model):
    """One answer to one question of any kind of practice.

    It has the id of its origin (for a flashcard, its `vocab.Review`). It outlives the deck and the course, whose ids
    have no foreign key and become null. `topic` is the deck's name at the time.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, db_index=False)
    source = models.CharField(max_length=16, choices=Source)
    topic = models.CharField(max_length=120)
    deck_id = models.UUIDField(null=True, blank=True)
    course_id = MaskedUUIDField(null=True, blank=True)
    correct = models.BooleanField()
    attempted_at = models.DateTimeField()
    day = models.DateField(help_text="The member's date at that moment, in the time zone the profile then had.")
    is_first = models.BooleanField(default=False, db_default=False, help_text="Whether a new card was begun with it.")
    foretold = models.IntegerField(
        null=True, help_text="How likely it was to be correct, in billionths; empty where nothing was foretold."
    )

    rows = Rows["Attempt"]()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "day", "correct"], name="attempt_member_day")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            one_of("source", Source.values),
            characters("topic", 1, 120),
            between("foretold", 0, CERTAIN),
        ]

    def __str__(self) -> str:
        return f"{self.topic}, {self.day}"


class SumKind(models.TextChoices):
    """The period of a sum."""

    DAY = "day", "a day"
    TOPIC_DAY = "topic_day", "a day of one topic"
    TOPIC_MONTH = "topic_month", "a calendar month of one topic"


class PracticeSum(models.Model):
    """Stored sums of a member's attempts, updated with each attempt (`practice.attempts`), so that no answer counts
    attempts.

    Like attempts, a topic's sum outlives its deck and course. `topic_key` distinguishes topics in the key of the row,
    and does not change when their ids become null. So several rows may belong to one topic; readers add them up.
    """

    id = models.BigAutoField(primary_key=True)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, db_index=False)
    kind = models.CharField(max_length=11, choices=SumKind)
    starts_on = models.DateField(help_text="The day, or the first of the month.")
    topic_key = models.UUIDField(help_text="Of topic, deck and course when the row was made; of a day zero.")
    topic = models.CharField(max_length=120, blank=True, help_text="Of a day empty.")
    deck_id = models.UUIDField(null=True, blank=True)
    course_id = MaskedUUIDField(null=True, blank=True)
    attempts = MaskedIntegerField()
    correct = MaskedIntegerField()
    firsts = models.PositiveIntegerField(
        default=0, db_default=0, help_text="How many of the attempts began a new card."
    )
    foretold_attempts = MaskedIntegerField(
        default=0, db_default=0, help_text="How many of the attempts have a foretold likelihood."
    )
    foretold = MaskedBigIntegerField(default=0, db_default=0, help_text="The sum of those likelihoods, in billionths.")
    foretold_correct = MaskedIntegerField(default=0, db_default=0, help_text="How many of those attempts were correct.")
    newest_at = models.DateTimeField(help_text="When the newest of the attempts was made.")
    run = models.PositiveIntegerField(default=0, help_text="Of a day: the days in a row with practice up to it.")

    rows = Rows["PracticeSum"]()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "run"], name="practicesum_member_run", condition=models.Q(kind=SumKind.DAY))
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["member", "kind", "starts_on", "topic_key"], name="practicesum_key"),
            one_of("kind", SumKind.values),
            characters("topic", 0, 120),
            at_least("attempts", 1),
            models.CheckConstraint(condition=models.Q(correct__lte=models.F("attempts")), name="practicesum_parts"),
        ]

    def __str__(self) -> str:
        return f"{self.topic or 'all topics'}, {self.starts_on}"
