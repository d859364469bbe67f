"""Flashcards of the members: one deck each, with cards that stand alike."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from bench.cast import CARDS
from bench.tables import copy, new_id
from vocab.models import Card, CardState, Deck

Standing = Mapping[str, Any]
"""Attributes of a card that say how well it is known."""


def learned(now: datetime) -> tuple[Standing, ...]:
    """Of every three members one has new cards, one learned ones that are due, and one forgotten ones."""
    reviewed = now - timedelta(days=13, hours=1)
    due = {"due_at": now - timedelta(hours=1), "last_reviewed_at": reviewed, "stability": 12.5, "difficulty": 5.1}
    return (
        {"due_at": now},
        due | {"state": CardState.REVIEW.value, "step": None, "reps": 4},
        due | {"state": CardState.RELEARNING.value, "step": 0, "reps": 6, "lapses": 1},
    )


def add_decks(
    courses: Mapping[UUID, Sequence[UUID]], created_at: datetime, standing: Sequence[Standing]
) -> dict[UUID, list[UUID]]:
    """A deck in the first course of each member, with cards that stand as one of `standing`; gives the cards."""
    decks = {member: new_id() for member in courses}
    cards = {member: [new_id() for _ in range(CARDS)] for member in courses}
    deck_rows = (
        Deck(
            id=deck,
            member_id=member,
            course_id=courses[member][0],
            name="Words of the course",
            card_count=CARDS,
            created_at=created_at,
            updated_at=created_at,
        )
        for member, deck in decks.items()
    )
    card_rows = (
        Card(
            id=card,
            member_id=member,
            deck_id=decks[member],
            position=position,
            term="Golgi apparatus",
            definition="Modifies, sorts and packs proteins into vesicles.",
            **standing[number % len(standing)],
        )
        for number, (member, ids) in enumerate(cards.items())
        for position, card in enumerate(ids, 1)
    )
    copy(Deck, deck_rows)
    copy(Card, card_rows)
    return cards
