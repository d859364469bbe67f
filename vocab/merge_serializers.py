"""The answer for a new deck, or for one that cards were merged into."""

from typing import Annotated, NotRequired, TypedDict
from uuid import UUID

from studyservice.operations.answers import answer, example_of
from vocab.models import Deck
from vocab.serializers import DeckRow


@answer(added=2, updated=1, unchanged=0)
class MergedRow(TypedDict):
    """The effect of merging cards into a deck."""

    added: Annotated[int, "Entries that made a new card; two of one term count once."]
    updated: Annotated[int, "Entries that changed a card."]
    unchanged: Annotated[int, "Entries that a card matched already."]


@answer(
    term="golgi apparatus",
    card_id="e1a5b3d7-9f4c-4e1a-86b8-4d8f0a2e6c18",
    existing="Golgi apparatus",
    existing_card_id="d9f4a2c6-8e3b-4d0f-b5a7-3c7e9f1d5b07",
)
class SimilarRow(TypedDict):
    """An added term that differs from another one of the deck only in case, accents, white space or a full stop."""

    term: Annotated[str, "The term that was added."]
    card_id: Annotated[UUID, "Its card."]
    existing: Annotated[str, "The term that it resembles."]
    existing_card_id: Annotated[UUID, "The card of that; the first in the deck if there are several."]


@answer(Deck, **example_of(DeckRow), merged=example_of(MergedRow), similar=[example_of(SimilarRow)])
class CreatedDeckRow(DeckRow):
    """A new deck, or one that cards were merged into."""

    merged: NotRequired[Annotated[MergedRow, "Only with if_exists merge: how many entries did what."]]
    similar: NotRequired[
        Annotated[
            list[SimilarRow],
            "Only with if_exists merge: added terms that may be a slip for another term of the deck, at most 20. "
            "Ask the member, and correct or delete one of the two.",
        ]
    ]
