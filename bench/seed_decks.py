"""Flashcards of the members: one deck each, with cards that stand alike."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from bench.cast import CARDS
from bench.tables import copy, new_id
from vocab.models import Card, CardState, Deck

Cards = dict[UUID, list[UUID]]
"""Member to the ids of the cards."""


def add_decks(courses: Mapping[UUID, list[UUID]], now: datetime) -> Cards:
    """A deck in the first course of each member, and its cards."""
    decks = {member: new_id() for member in courses}
    cards = {member: [new_id() for _ in range(CARDS)] for member in courses}
    copy(Deck, _deck_rows(decks, courses, now))
    copy(Card, _card_rows(decks, cards, now))
    return cards


def _deck_rows(
    decks: Mapping[UUID, UUID], courses: Mapping[UUID, list[UUID]], now: datetime
) -> Iterator[dict[str, Any]]:
    for member, deck in decks.items():
        created_at = now - timedelta(days=30)
        yield {
            "id": deck,
            "member_id": member,
            "course_id": courses[member][0],
            "name": "Words of the course",
            "created_at": created_at,
            "updated_at": created_at,
        }


def _card_rows(decks: Mapping[UUID, UUID], cards: Cards, now: datetime) -> Iterator[dict[str, Any]]:
    """Of every three members one has new cards, one learned ones that are due, and one forgotten ones."""
    reviewed = now - timedelta(days=13, hours=1)
    due = {"due_at": now - timedelta(hours=1), "last_reviewed_at": reviewed, "stability": 12.5, "difficulty": 5.1}
    states: tuple[dict[str, Any], ...] = (
        {"due_at": now},
        due | {"state": CardState.REVIEW.value, "step": None, "reps": 4},
        due | {"state": CardState.RELEARNING.value, "step": 0, "reps": 6, "lapses": 1},
    )
    for number, (member, ids) in enumerate(cards.items()):
        for position, card in enumerate(ids, 1):
            yield states[number % 3] | {
                "id": card,
                "member_id": member,
                "deck_id": decks[member],
                "position": position,
                "term": "Golgi apparatus",
                "definition": "Modifies, sorts and packs proteins into vesicles.",
            }
