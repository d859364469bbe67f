"""Decks, cards and the review log in an archive, and the cards as a table for a spreadsheet."""

from collections.abc import Iterator, Mapping
from typing import Any

from rest_framework import serializers

from accounts.archive.fields import ExactField, MomentField
from accounts.changes.models import CALLERS, MAX_NAME
from accounts.members.archived import MAX_POSITION
from accounts.models import LEAST_RETENTION, MOST_RETENTION, Member
from studyservice.database.snapshots import in_pieces
from studyservice.operations.fields import BooleanField, ChoiceField, IdField, IntegerField, StringField
from studyservice.operations.serializers import Body
from studyservice.operations.spreadsheets import csv_lines
from vocab.forgetting import LEAST_STABILITY, MOST_STABILITY
from vocab.models import MAX_DURATION_MS, Card, CardState, Rating
from vocab.scheduling import MOST_STEP
from vocab.serializers import CardBody, DeckDetailsBody


class DeckLine(DeckDetailsBody):
    """A deck."""

    id = IdField()
    created_at = MomentField(past=True)
    updated_at = MomentField(past=True)


class _MemoryLine(Body):
    """FSRS's state of a card. It must be consistent, otherwise reviews could not be scheduled."""

    state = ChoiceField(choices=CardState.values)
    step = IntegerField(allow_null=True, min_value=0, max_value=max(MOST_STEP.values()))
    stability = ExactField(allow_null=True, least=LEAST_STABILITY, most=MOST_STABILITY)
    difficulty = ExactField(allow_null=True, least=1, most=10)
    due_at = MomentField()
    last_reviewed_at = MomentField(allow_null=True, past=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require stability, difficulty and time for a reviewed card, and none of them for a new one."""
        wrong = {}
        is_new = attrs["state"] == CardState.NEW
        for name in ("stability", "difficulty", "last_reviewed_at"):
            if (attrs[name] is None) is not is_new:
                wrong[name] = [f"Must {'be null' if is_new else 'not be null'} in the state {attrs['state']}."]
        most = MOST_STEP.get(attrs["state"])
        if (attrs["step"] is None) is not (most is None):
            wrong["step"] = ["Must be null in the state review, and in no other."]
        elif most is not None and attrs["step"] > most:
            wrong["step"] = [f"Must be at most {most} in the state {attrs['state']}."]
        if wrong:
            raise serializers.ValidationError(wrong)
        return attrs


class CardLine(_MemoryLine, CardBody):
    """A card."""

    id = IdField()
    deck_id = IdField()
    position = IntegerField(min_value=1, max_value=MAX_POSITION)
    reps = IntegerField(min_value=0, max_value=MAX_POSITION)
    lapses = IntegerField(min_value=0, max_value=MAX_POSITION)
    suspended = BooleanField()

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require that a new card has no reviews."""
        wrong = [name for name in ("reps", "lapses") if attrs["state"] == CardState.NEW and attrs[name]]
        if wrong:
            raise serializers.ValidationError({name: ["Must be 0 in the state new."] for name in wrong})
        return super().validate(attrs)


class ReviewLine(_MemoryLine):
    """An answer, and the card's state before it."""

    id = IdField()
    card_id = IdField()
    rating = ChoiceField(choices=Rating.values)
    reviewed_at = MomentField(past=True)
    duration_ms = IntegerField(allow_null=True, min_value=0, max_value=MAX_DURATION_MS)
    by_kind = ChoiceField(choices=[*dict(CALLERS)], allow_null=True)
    by_id = IdField(allow_null=True)
    by_name = StringField(max_length=MAX_NAME, allow_null=True, allow_blank=True, trim_whitespace=False)
    desired_retention = ExactField(least=LEAST_RETENTION, most=MOST_RETENTION)


def is_lapse(line: Mapping[str, Any]) -> bool:
    """Return whether an answer in the review log counts as a lapse of its card."""
    return bool(line["rating"] == Rating.AGAIN and line["state"] == CardState.REVIEW)


_COLUMNS = {
    "deck": "deck__name",
    "term": "term",
    "definition": "definition",
    "state": "state",
    "due_at": "due_at",
    "reps": "reps",
    "lapses": "lapses",
    "suspended": "suspended",
}


def write_cards(member: Member) -> Iterator[bytes]:
    """One row per card, with its deck and due time."""
    mine = Card.objects.filter(member_id=member.id, deck__member_id=member.id)
    cards: Any = mine.order_by("deck__created_at", "deck_id", "position", "id")
    return csv_lines(_COLUMNS, in_pieces(cards.values_list(*_COLUMNS.values())))
