"""Cards in an existing deck: searching, adding, editing and deleting. Reviews are in `vocab.reviews`."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, TypedDict, Unpack, cast
from uuid import UUID

from django.db.models import OuterRef
from django.db.models.functions import Coalesce
from django.utils import timezone

from studyservice.database.expressions import fold
from studyservice.database.rows import At
from studyservice.database.statements import Param, aggregated
from studyservice.operations.errors import Conflict, NotFound
from studyservice.operations.serializers import DeletedRow, deletion
from studyservice.registry.data import Maximum
from studyservice.rows.access import Access, MemberSelect, change
from studyservice.rows.rows import Row
from vocab.changes import keep_reviews
from vocab.decks import NoSuchDeck, list_vocab_decks
from vocab.models import Card, Deck
from vocab.serializers import MAX_CARDS, CardChanges, CardFields, CardRow, DeckRow, ListedCardRow, card_row

CARDS_OF_DECK = Maximum(
    most=MAX_CARDS,
    what="cards of a deck",
    full="A deck has at most {most} cards. Delete some of it first.",
    per="deck",
    counter="card_count",
)


class NoSuchCard(NotFound):
    """The member has no such card."""

    default_message = "There is no such card. list_vocab_decks with deck_id and include_cards gives the ids."


class StoredCard(CardRow):
    """A card with the columns for a review."""

    step: int | None
    deck_name: Annotated[str, At("deck__name")]
    course_id: Annotated[UUID | None, At("deck__course_id")]


class DeckCard(TypedDict):
    """A card in the list."""

    id: UUID
    term: str
    definition: str
    state: str
    due_at: datetime
    suspended: bool


class _DeckToFill(TypedDict):
    """A deck for more cards.

    Attributes:
        last: the position of its last card; 0 without cards.
    """

    name: str
    course_id: UUID | None
    card_count: int
    last: int


ONE_CARD = Card.rows.declared.filter(id=Param("card_id"), deck__member_id=Param("member_id"))
_CARD = MemberSelect(ONE_CARD, StoredCard)
_CARDS_OF_DECK = MemberSelect(Card.rows.declared.filter(deck_id=Param("deck_id")).order_by("position", "id"), DeckCard)
_LAST = aggregated(Card.rows.whole.filter(deck_id=OuterRef("id")), "MAX", "position")
_DECK = MemberSelect(
    Deck.rows.declared.filter(id=Param("deck_id")).annotate(last=Coalesce(_LAST, 0)),
    _DeckToFill,
)


def require_card(access: Access, card_id: UUID) -> StoredCard:
    """The card.

    Raises:
        NotFound: the call sees no such card.
    """
    return _CARD.get(NoSuchCard, access, card_id=card_id)


def cards_of(access: Access, deck_id: UUID, q: str = "") -> list[DeckCard]:
    """Return the cards of a deck in the order they were added: those whose term or definition contains `q`,
    case-insensitively. One query.

    A deck has few enough cards to search here. So `%` and `_` have no special meaning, and both databases fold case
    alike.
    """
    cards = _CARDS_OF_DECK.all(access, deck_id=deck_id)
    wanted = fold(q)
    return [card for card in cards if any(wanted in fold(text) for text in (card["term"], card["definition"]))]


def add_vocab_cards(access: Access, deck_id: UUID, *, cards: list[CardFields]) -> DeckRow:
    """Append cards to the deck, all due at once. Return the deck with only the new cards, in the order sent.

    Raises:
        NotFound: the call sees no such deck.
        Conflict: the deck would have too many cards.
    """
    with change(access, "add_vocab_cards") as log:
        stored = _DECK.get(NoSuchDeck, access, deck_id=deck_id)
        require_room_for_cards(stored["card_count"], len(cards))
        log.about(Deck, deck_id, stored["name"], stored["course_id"])
        added = add_cards(access, deck_id, stored["course_id"], cards, after=stored["last"])
        Deck.rows.of(access).touch(deck_id)
        [deck] = list_vocab_decks(access, deck_id=deck_id, include_cards=False)
        deck["cards"] = cast("list[ListedCardRow]", [card_row(card) for card in added])
        return deck


def require_room_for_cards(present: int, more: int) -> None:
    """Check the maximum number of cards of a deck.

    Raises:
        Conflict: the deck would have too many cards.
    """
    if present + more > CARDS_OF_DECK.most:
        raise Conflict(f"A deck has at most {CARDS_OF_DECK.most} cards. Add fewer, delete some, or make another deck.")


def add_cards(
    access: Access, deck_id: UUID, course_id: UUID | None, cards: Sequence[CardFields], *, after: int = 0
) -> list[Row]:
    """Add cards to the deck after the position `after`. They are due at once unless they have a due time.

    Args:
        course_id: the deck's.
    """
    due_at = timezone.now()  # due times use this clock; the member's write clock may be ahead of it
    rows: Iterable[Row] = (
        {"deck_id": deck_id, "position": position, "due_at": due_at, **card}
        for position, card in enumerate(cards, start=after + 1)
    )
    return Card.rows.of(access).insert(*rows, course_id=course_id)


def update_vocab_card(access: Access, card_id: UUID, **changes: Unpack[CardChanges]) -> CardRow:
    """Change the given fields. The card's schedule is kept.

    Raises:
        NotFound: the call sees no such card.
    """
    with change(access, "update_vocab_card"):
        card = require_card(access, card_id)
        if different := Card.rows.of(access).update(card, changes, course_id=card["course_id"]):
            Deck.rows.of(access).touch(card["deck_id"])
    return card_row({**card, **different})


def delete_vocab_card(access: Access, card_id: UUID) -> DeletedRow:
    """Delete the card with its review log. Practice history keeps the attempts.

    Raises:
        NotFound: the call sees no such card.
    """
    with change(access, "delete_vocab_card"):
        keep_reviews(access, "card_id", card_id)
        deleted = Card.rows.of(access).delete(card_id)
        if not deleted:
            raise NoSuchCard
        Deck.rows.of(access).touch(deleted[0]["deck_id"])
    return deletion(card_id)
