"""Where members study: the addresses of pages of an app above."""

from uuid import UUID

STUDY = "/study"
"""The page that asks the cards of all decks."""


def study_path(deck_id: UUID) -> str:
    """The page that asks the cards of the deck."""
    return f"/decks/{deck_id}/study"


def deck_path(deck_id: UUID) -> str:
    """The page of the deck."""
    return f"/decks/{deck_id}"
