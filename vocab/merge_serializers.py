"""The answer for a new deck, or for one that cards were merged into."""

from typing import Any, ClassVar, NotRequired, TypedDict
from uuid import UUID

from rest_framework import serializers

from studyservice.operations.serializers import Record
from vocab.serializers import DeckRecord, DeckRow


class MergedRow(TypedDict):
    """A `MergedRecord`."""

    added: int
    updated: int
    unchanged: int


class MergedRecord(Record):
    """The effect of merging cards into a deck."""

    example: ClassVar[dict[str, Any]] = {"added": 2, "updated": 1, "unchanged": 0}

    added = serializers.IntegerField(help_text="Entries that made a new card; two of one term count once.")
    updated = serializers.IntegerField(help_text="Entries that changed a card.")
    unchanged = serializers.IntegerField(help_text="Entries that a card matched already.")


class SimilarRow(TypedDict):
    """A `SimilarRecord`."""

    term: str
    card_id: UUID
    existing: str
    existing_card_id: UUID


class SimilarRecord(Record):
    """An added term that differs from another one of the deck only in case, accents, white space or a full stop."""

    example: ClassVar[dict[str, Any]] = {
        "term": "golgi apparatus",
        "card_id": "e1a5b3d7-9f4c-4e1a-86b8-4d8f0a2e6c18",
        "existing": "Golgi apparatus",
        "existing_card_id": "d9f4a2c6-8e3b-4d0f-b5a7-3c7e9f1d5b07",
    }

    term = serializers.CharField(help_text="The term that was added.")
    card_id = serializers.UUIDField(help_text="Its card.")
    existing = serializers.CharField(help_text="The term that it resembles.")
    existing_card_id = serializers.UUIDField(help_text="The card of that; the first in the deck if there are several.")


class CreatedDeckRow(DeckRow):
    """A `CreatedDeckRecord`."""

    merged: NotRequired[MergedRow]
    similar: NotRequired[list[SimilarRow]]


class CreatedDeckRecord(DeckRecord):
    """A new deck, or one that cards were merged into."""

    example: ClassVar[dict[str, Any]] = DeckRecord.example | {
        "merged": MergedRecord.example,
        "similar": [SimilarRecord.example],
    }

    computed: ClassVar[tuple[str, ...]] = (*DeckRecord.computed, "merged", "similar")

    merged = MergedRecord(required=False, help_text="Only with if_exists merge: how many entries did what.")
    similar = SimilarRecord(
        many=True,
        required=False,
        help_text="Only with if_exists merge: added terms that may be a slip for another term of the deck, at most 20. "
        "Ask the member, and correct or delete one of the two.",
    )
