"""The cards of a deck on its page: in the order they were added, and searched."""

from datetime import datetime
from typing import TypedDict
from uuid import UUID

from accounts.rows.access import Access, MemberSelect
from studyservice.database.expressions import fold
from studyservice.database.statements import Param
from vocab.models import Card


class DeckCard(TypedDict):
    """A card in the list."""

    id: UUID
    term: str
    definition: str
    state: str
    due_at: datetime
    suspended: bool


_CARDS = MemberSelect(
    Card.rows.declared.filter(deck_id=Param("deck_id")).order_by("position", "id"),
    DeckCard,
)


def cards_of(access: Access, deck_id: UUID, q: str = "") -> list[DeckCard]:
    """Return the cards whose term or definition contains `q`, case-insensitively. One query.

    A deck has few enough cards to search here. So `%` and `_` have no special meaning, and both databases fold case
    alike.
    """
    cards = _CARDS.all(access, deck_id=deck_id)
    wanted = fold(q)
    return [card for card in cards if any(wanted in fold(text) for text in (card["term"], card["definition"]))]
