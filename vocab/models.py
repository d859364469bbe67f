"""Decks, cards with their FSRS state, and the review log."""

from typing import Any, ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone

from accounts.members.models import LEAST_RETENTION, MOST_RETENTION
from studyservice.database.constraints import at_least, between, characters, one_of
from studyservice.database.ids import uuid7
from studyservice.database.member_keys import MemberForeignKey, MemberKey
from studyservice.models import CALLERS, MAX_NAME
from studyservice.rows.rows import Rows

MAX_DURATION_MS = 3_600_000
"""Maximum duration of a review: an hour."""


class Deck(models.Model):
    """A set of cards, which remains if its course is deleted."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False, help_text="The deck's id.")
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, db_index=False)
    course = models.ForeignKey(
        "courses.Course",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="decks",
        help_text="The course it belongs to; null means none.",
    )
    name = models.CharField(max_length=120, help_text="The deck's name.")
    # counted by the verbs of its cards
    card_count = models.PositiveSmallIntegerField(
        default=0, db_default=0, editable=False, help_text="How many cards it has."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False, help_text="When the deck was created.")
    updated_at = models.DateTimeField(
        default=timezone.now, editable=False, help_text="When the deck was last changed; reviews do not change it."
    )

    rows = Rows["Deck"]()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "created_at", "id"], name="deck_member_age")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            MemberKey(),
            MemberForeignKey(field="course"),
            characters("name", 1, 120),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        if self.course is not None and self.course.member_id != self.member_id:
            raise ValidationError({"course": "This is a course of another member."})


class CardState(models.TextChoices):
    """The state of a card: FSRS's states, and `new` for its learning state before the first review."""

    NEW = "new"
    LEARNING = "learning"
    REVIEW = "review"
    RELEARNING = "relearning"


class Rating(models.TextChoices):
    """How well the member knew a card."""

    AGAIN = "again"
    HARD = "hard"
    GOOD = "good"
    EASY = "easy"


class Card(models.Model):
    """A term and its definition, with the card's FSRS state."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False, help_text="The card's id.")
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, db_index=False)
    deck = models.ForeignKey(Deck, models.CASCADE, related_name="cards", help_text="The deck it is in.")
    position = models.PositiveIntegerField(editable=False, help_text="Its place in the deck as it was made, from 1.")
    term = models.CharField(max_length=200, help_text="What is asked.")
    definition = models.CharField(max_length=2000, help_text="The answer.")
    state = models.CharField(
        max_length=10,
        choices=CardState,
        default=CardState.NEW,
        editable=False,
        help_text="new until its first review, then as FSRS has it.",
    )
    step = models.PositiveSmallIntegerField(
        null=True, default=0, editable=False, help_text="Place in the (re)learning steps; empty in review."
    )
    stability = models.FloatField(
        null=True, editable=False, help_text="Days until recall falls to 90 percent; null before the first review."
    )
    difficulty = models.FloatField(null=True, editable=False, help_text="1 to 10; null before the first review.")
    due_at = models.DateTimeField(default=timezone.now, editable=False, help_text="When it comes up next.")
    last_reviewed_at = models.DateTimeField(null=True, editable=False, help_text="When it was last reviewed.")
    reps = models.PositiveIntegerField(default=0, editable=False, help_text="How often it was reviewed.")
    # the answer "again" in the state review
    lapses = models.PositiveIntegerField(
        default=0, editable=False, help_text="How often it was forgotten after it had been learned."
    )
    suspended = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether it is set aside: not asked, counted as due or new, or planned until this is lifted.",
    )
    note = models.UUIDField(
        null=True,
        editable=False,
        help_text="Cards of one note, such as the gaps of a text, have the same; null for others.",
    )

    rows = Rows["Card"]()

    class Meta:
        # With the last two columns, the database counts due and new cards without reading the cards.
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "deck", "due_at"], name="card_member_deck_due"),
            models.Index(
                fields=["member", "deck", "due_at"],
                name="card_member_deck_new",
                condition=models.Q(last_reviewed_at=None),
            ),
            models.Index(
                fields=["member", "deck", "due_at"],
                name="card_member_deck_suspended",
                condition=models.Q(suspended=True),
            ),
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            MemberKey(),
            MemberForeignKey(field="deck"),
            at_least("position", 1),
            characters("term", 1, 200),
            characters("definition", 1, 2000),
            one_of("state", CardState.values),
            at_least("stability", 0),
            between("difficulty", 1, 10),
        ]

    def __str__(self) -> str:
        return self.term


class Review(models.Model):
    """One row of the append-only log: the answer, and the card's earlier state.

    `state` to `last_reviewed_at` are the card's fields before the review. With the desired retention at that time, they
    determine the new state, and an undo restores them. The attempt with the same id is its practice.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    member = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, db_index=False)
    card = models.ForeignKey(
        Card, models.CASCADE, related_name="reviews"
    )  # its index finds the reviews of a card being deleted
    rating = models.CharField(
        max_length=5, choices=Rating, help_text="How well it was known: again (not at all), hard, good or easy."
    )
    reviewed_at = models.DateTimeField()
    duration_ms = models.PositiveIntegerField(
        null=True,
        validators=[MinValueValidator(0), MaxValueValidator(MAX_DURATION_MS)],
        help_text="How long it took, in milliseconds, up to an hour.",
    )
    by_kind = models.CharField(
        max_length=8, choices=CALLERS, null=True, help_text="Who gave the answer; empty of old lines."
    )
    by_id = models.UUIDField(null=True)
    by_name = models.CharField(max_length=MAX_NAME, null=True)
    desired_retention = models.FloatField()
    state = models.CharField(max_length=10, choices=CardState)
    step = models.PositiveSmallIntegerField(null=True)
    stability = models.FloatField(null=True)
    difficulty = models.FloatField(null=True)
    due_at = models.DateTimeField()
    last_reviewed_at = models.DateTimeField(null=True)

    rows = Rows["Review"]()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["member", "reviewed_at", "id"], name="review_member_age")
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            MemberForeignKey(field="card"),
            one_of("rating", Rating.values),
            one_of("by_kind", dict(CALLERS)),
            characters("by_name", 0, MAX_NAME),
            between("duration_ms", 0, MAX_DURATION_MS),
            between("desired_retention", LEAST_RETENTION, MOST_RETENTION),
            one_of("state", CardState.values),
            at_least("stability", 0),
            between("difficulty", 1, 10),
        ]

    def __str__(self) -> str:
        return f"{self.rating}, {self.reviewed_at:%Y-%m-%d %H:%M} UTC"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Store a new row. Stored rows never change."""
        if not self._state.adding:
            raise TypeError("The review log is append-only.")
        super().save(*args, **kwargs)
