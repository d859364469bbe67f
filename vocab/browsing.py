"""The cards of a deck as its page lists them: in the order in which they were added, and searched."""

from datetime import datetime
from typing import TypedDict
from uuid import UUID

from accounts.models import Member
from studyservice.database.folding import fold
from studyservice.database.statements import Param, Select
from vocab.models import Card


class DeckCard(TypedDict):
    """A card of the list."""

    id: UUID
    term: str
    definition: str
    state: str
    due_at: datetime
    suspended: bool


_CARDS = Select[DeckCard](
    Card.objects.filter(member_id=Param("member_id"), deck_id=Param("deck_id")).order_by("position", "id"),
    {name: name for name in DeckCard.__annotations__},
)


def cards_of(member: Member, deck_id: UUID, q: str = "") -> list[DeckCard]:
    """Return the cards whose term or definition contains `q`, without regard to case; one query.

    A deck holds few enough cards to look through them here, so that `%` and `_` are letters and both databases fold
    alike.
    """
    cards = _CARDS.all(member_id=member.id, deck_id=deck_id)
    wanted = fold(q)
    return [card for card in cards if any(wanted in fold(text) for text in (card["term"], card["definition"]))]
