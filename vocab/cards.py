"""Cards as they come to a deck and leave it: the one place that keeps the deck's `card_count`."""

from collections.abc import Sequence
from uuid import UUID

from django.db.models import F, OuterRef
from django.utils import timezone

from accounts.changes.deleting import delete_object
from accounts.changes.recording import Write
from studyservice.database.statements import aggregated
from vocab.changes import keep_reviews
from vocab.models import Card, Deck
from vocab.serializers import CardFields


def add_cards(write: Write, deck_id: UUID, cards: Sequence[CardFields], *, after: int = 0) -> None:
    """Add cards to the deck, due at once where they do not say when, behind the position `after`; inside `write`.

    The log keeps their texts, so that an undo does not take away what was written into them since.
    """
    due_at = timezone.now()  # the clock that tells what is due; the member's write clock may be ahead of it
    added = Card.objects.bulk_create(
        Card(member_id=write.member_id, deck_id=deck_id, position=position, **({"due_at": due_at} | card))
        for position, card in enumerate(cards, start=after + 1)
    )
    count_cards(write.member_id, deck_id, len(added))
    for card in added:
        write.made(Card, card.id, card.term, {"deck_id": deck_id, "term": card.term, "definition": card.definition})


def remove_card(write: Write, card_id: UUID, deck_id: UUID) -> None:
    """Remove the card with its review log, inside `write`; practice history keeps the attempts."""
    keep_reviews(write, Card.objects.filter(member_id=write.member_id, id=card_id))
    if delete_object(write, Card, card_id):
        count_cards(write.member_id, deck_id, -1)


def repair_card_counts(member_id: UUID) -> int:
    """Count the cards of the member's decks; gives how many decks had a wrong count. Under the member's lock."""
    cards = Card.objects.filter(member_id=member_id, deck_id=OuterRef("id"))
    counted = Deck.objects.filter(member_id=member_id).annotate(there=aggregated(cards, "COUNT", "id"))
    decks = counted.exclude(card_count=F("there"))
    wrong = dict(decks.values_list("id", "there"))
    for deck_id, there in wrong.items():
        Deck.objects.filter(member_id=member_id, id=deck_id).update(card_count=there)
    return len(wrong)


def count_cards(member_id: UUID, deck_id: UUID, more: int) -> None:
    """Count `more` cards in the deck, or less."""
    Deck.objects.filter(member_id=member_id, id=deck_id).update(card_count=F("card_count") + more)
