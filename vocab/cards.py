"""Adding cards to a deck and removing them. No other module changes the deck's `card_count`."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import F
from django.utils import timezone

from accounts.changes.contents import fields_of
from accounts.changes.deleting import delete_object
from accounts.changes.recording import Write
from studyservice.database.ahead import insert_later, update_later
from vocab.changes import keep_reviews
from vocab.models import Card, Deck
from vocab.serializers import CardBody, CardFields


def add_cards(write: Write, deck_id: UUID, cards: Sequence[CardFields], *, after: int = 0) -> list[Card]:
    """Add cards to the deck after the position `after`, inside `write`. They are due at once unless they have a due
    time.

    The log stores their texts, so that an undo does not delete a card that was edited since.
    """
    due_at = timezone.now()  # due times use this clock; the member's write clock may be ahead of it
    added = [
        Card(member_id=write.member_id, deck_id=deck_id, position=position, **({"due_at": due_at} | card))
        for position, card in enumerate(cards, start=after + 1)
    ]
    insert_later(added)
    count_cards(write.member_id, deck_id, len(added))
    for card in added:
        write.made(Card, card.id, card.term, fields_of(card, ("deck_id", *CardBody.Meta.fields)))
    return added


def remove_card(write: Write, card_id: UUID) -> Card | None:
    """Delete the card with its review log, inside `write`. Practice history keeps the attempts.

    Return the card as it was, or None if it does not exist.
    """
    keep_reviews(write, Card.objects.filter(member_id=write.member_id, id=card_id))
    card = delete_object(write, Card, card_id)
    if card is not None:
        count_cards(write.member_id, card.deck_id, -1)
    return card


def count_cards(member_id: UUID, deck_id: UUID, more: int) -> None:
    """Change the deck's number of cards by `more`, which may be negative."""
    update_later(Deck.objects.filter(member_id=member_id, id=deck_id), card_count=F("card_count") + more)
