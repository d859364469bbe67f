"""Changes of cards in an existing deck: adding, editing and deleting. Reviews are in `vocab.reviews`."""

from collections.abc import Sequence
from typing import NotRequired, Unpack, cast
from uuid import UUID

from django.db.models import Count, Max

from accounts.changes.recording import Write
from accounts.changes.writing import writing
from accounts.members.limits import Limit
from accounts.rows.access import Access
from studyservice.database.ahead import update_later
from studyservice.database.statements import Param, Select
from studyservice.operations.errors import Conflict
from studyservice.operations.serializers import DeletedRow, deletion
from vocab.cards import add_cards, remove_card
from vocab.decks import list_vocab_decks, require_deck
from vocab.errors import NoSuchCard
from vocab.models import Card, Deck
from vocab.serializers import MAX_CARDS, CardChanges, CardFields, CardRecord, CardRow, DeckRow, ListedCardRow

CARDS_OF_DECK = Limit(
    most=MAX_CARDS,
    what="cards of a deck",
    full="A deck has at most {most} cards. Delete some of it first.",
    per="deck",
    counter="card_count",
)


class _Changing(CardRow):
    course_id: NotRequired[UUID | None]


_MINE = Card.objects.filter(member_id=Param("member_id"))
_CARD = Select[CardRow](_MINE.filter(id=Param("card_id")), CardRecord)
_CHANGING = Select[_Changing](
    _MINE.filter(id=Param("card_id"), deck__member_id=Param("member_id")),
    CardRecord.columns() | {"course_id": "deck__course_id"},
)
_AFTER = Select[CardRow](
    _MINE.filter(deck_id=Param("deck_id"), position__gt=Param("position")).order_by("position", "id"), CardRecord
)


def require_card(access: Access, card_id: UUID) -> CardRow:
    """The card.

    Raises:
        NotFound: the member has no such card.
    """
    card = _CARD.first(member_id=access.member.id, card_id=card_id)
    if card is None:
        raise NoSuchCard
    return card


def _card_to_change(write: Write, card_id: UUID) -> CardRow:
    card = _CHANGING.first(member_id=write.member_id, card_id=card_id)
    if card is None:
        raise NoSuchCard
    write.belongs(card.pop("course_id", None))
    return card


def add_vocab_cards(access: Access, deck_id: UUID, *, cards: list[CardFields]) -> DeckRow:
    """Append cards to the deck, all due at once. Return the deck with only the new cards, in the order sent.

    Raises:
        NotFound: the member has no such deck.
        Conflict: the deck would have too many cards.
    """
    with writing(access.member.id, "add_vocab_cards") as write:
        deck_stored = require_deck(access, deck_id)
        write.belongs(deck_stored["course_id"])
        write.within(Deck, deck_id, deck_stored["name"])
        first, *_ = add_to_deck(write, deck_id, cards)
        touch_deck(write, deck_id)
        added = _AFTER.ahead(member_id=access.member.id, deck_id=deck_id, position=first.position - 1)
        [deck] = list_vocab_decks(access, deck_id=deck_id, include_cards=False)
        deck["cards"] = cast("list[ListedCardRow]", added())
        return deck


def add_to_deck(write: Write, deck_id: UUID, cards: Sequence[CardFields]) -> list[Card]:
    """Append cards to the deck, inside `write`.

    Raises:
        Conflict: the deck would have too many cards.
    """
    present = Card.objects.filter(member_id=write.member_id, deck_id=deck_id)
    there = present.aggregate(cards=Count("pk"), last=Max("position", default=0))
    if there["cards"] + len(cards) > CARDS_OF_DECK.most:
        raise Conflict(f"A deck has at most {CARDS_OF_DECK.most} cards. Add fewer, delete some, or make another deck.")
    return add_cards(write, deck_id, cards, after=there["last"])


def update_vocab_card(access: Access, card_id: UUID, **changes: Unpack[CardChanges]) -> CardRow:
    """Change the given fields. The card's schedule is kept.

    Raises:
        NotFound: the member has no such card.
    """
    with writing(access.member.id, "update_vocab_card") as write:
        card = _card_to_change(write, card_id)
        if different := write.differing(Card, card_id, card["term"], card, changes):
            update_later(Card.objects.filter(member_id=access.member.id, id=card_id), **different)
            touch_deck(write, card["deck_id"])
    return cast("CardRow", card | different)


def delete_vocab_card(access: Access, card_id: UUID) -> DeletedRow:
    """Delete the card with its review log. Practice history keeps the attempts.

    Raises:
        NotFound: the member has no such card.
    """
    with writing(access.member.id, "delete_vocab_card") as write:
        card = remove_card(write, card_id)
        if card is None:
            raise NoSuchCard
        touch_deck(write, card.deck_id)
    return deletion(card_id)


def touch_deck(write: Write, deck_id: UUID) -> None:
    """Update the time of the deck's last change, inside `write`."""
    update_later(Deck.objects.filter(member_id=write.member_id, id=deck_id), updated_at=write.now)
