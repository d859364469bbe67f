"""Decks, cards and the review log in an archive, and the cards as a table for a spreadsheet."""

from collections.abc import Iterator
from typing import Any

from rest_framework import serializers

from accounts.models import Member
from studyservice.archive.tables import ExactField, MomentField
from studyservice.database.snapshots import in_pieces
from studyservice.models import MAX_NAME
from studyservice.operations.fields import StringField
from studyservice.operations.serializers import Body
from studyservice.operations.spreadsheets import csv_lines
from vocab.exam_plan.memory import LEAST_STABILITY, MOST_STABILITY
from vocab.models import Card, CardState
from vocab.scheduling import MOST_STEP
from vocab.serializers import CardBody, ReviewBody


class _MemoryRules(Body):
    """FSRS's state of a card. It must be consistent, otherwise reviews could not be scheduled."""

    stability = ExactField(min_value=LEAST_STABILITY, max_value=MOST_STABILITY)
    due_at = MomentField(past=False)

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
        for name in ("reps", "lapses"):
            if is_new and attrs.get(name):
                wrong[name] = ["Must be 0 in the state new."]
        if wrong:
            raise serializers.ValidationError(wrong)
        return attrs


class CardRules(_MemoryRules, CardBody):
    """A card."""


class ReviewRules(_MemoryRules, ReviewBody):
    """An answer, and the card's state before it."""

    by_name = StringField(max_length=MAX_NAME, allow_blank=True, trim_whitespace=False)


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
