"""The cards of a deck, in each order in which list_vocab_decks returns them."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import Case, F, IntegerField, Value, When

from studyservice.database.statements import Param
from studyservice.operations.errors import ValidationFailed
from studyservice.rows.access import Access, MemberSelect
from vocab.models import Card, CardState
from vocab.readiness import recall_of
from vocab.scheduling import DUE_NOW
from vocab.serializers import CardOrder, CardRow

NO_LIMIT = 1_000_000
"""Far more cards than a deck has, even one changed by an operator."""

_OF_DECK = Card.rows.declared.filter(deck_id=Param("deck_id"))
_BY_POSITION = MemberSelect(_OF_DECK.order_by("position", "id"), CardRow, limited=True)
_BY_DUE_TIME = MemberSelect(_OF_DECK.order_by("due_at", "position", "id"), CardRow, limited=True)
_LEARNING_FIRST = (
    Case(
        When(state=CardState.NEW, then=Value(2)),
        When(state=CardState.REVIEW, then=Value(1)),
        default=Value(0),
        output_field=IntegerField(),
    ),
    Case(When(state=CardState.NEW, then=None), default=F("due_at")),
    "position",
    "id",
)
"""Learning and relearning cards, then reviews, each by due time; then new ones by position."""

_TO_ASK = MemberSelect(_OF_DECK.filter(DUE_NOW).order_by(*_LEARNING_FIRST), CardRow, limited=True)


class Cards(NamedTuple):
    """Some cards of a deck.

    Attributes:
        more: whether others follow in the order; None if it was not asked for a part.
    """

    cards: list[CardRow]
    more: bool | None = None


def ask_for_cards(
    access: Access,
    deck_id: UUID,
    now: datetime,
    *,
    order: str = CardOrder.DUE,
    cards_after: UUID | None = None,
    limit: int | None = None,
) -> Callable[[], Cards]:
    """Queue the query of a deck's cards, and return a function that returns them (`Select.ahead`).

    Args:
        cards_after: the card after which they begin, in the order. Such a part is cut from all cards of the deck, of
            which there are at most 500. So are the weakest cards, which are sorted here.

    Raises:
        ValidationFailed: by that function, if `cards_after` is not a card of the deck.
    """
    most = NO_LIMIT if limit is None or cards_after is not None or order == CardOrder.WEAKEST else limit + 1
    statement = _BY_DUE_TIME if order == CardOrder.DUE else _BY_POSITION
    rows = statement.ahead(access, deck_id=deck_id, limit=most)

    def cards() -> Cards:
        found = rows()
        if order == CardOrder.WEAKEST:
            found.sort(key=lambda card: _strength(card, now))
        if cards_after is not None:
            found = _after(found, cards_after)
        elif limit is None:
            return Cards(found)
        return Cards(found[:limit], limit is not None and len(found) > limit)

    return cards


def cards_to_ask(access: Access, deck_id: UUID, now: datetime, most: int) -> list[CardRow]:
    """The first cards to study now."""
    return _TO_ASK.all(access, deck_id=deck_id, now=now, limit=most)


def _strength(card: CardRow, now: datetime) -> tuple[bool, float, float]:
    """The key by which weaker cards are first, and new ones last.

    Recall falls once a day, so many cards have the same. Of these, the one that will be forgotten sooner is weaker.
    """
    recall = recall_of(card, now)
    return recall is None, recall or 0.0, card["stability"] or 0.0


def _after(cards: list[CardRow], card_id: UUID) -> list[CardRow]:
    for place, card in enumerate(cards, start=1):
        if card["id"] == card_id:
            return cards[place:]
    raise ValidationFailed.of("cards_after", "Not a card of this deck.")
