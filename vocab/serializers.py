"""Requests and answers of the vocabulary operations."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, NotRequired, TypedDict, cast
from uuid import UUID

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from studyservice.database.rows import FILLED_IN, At
from studyservice.operations.answers import answer, example_of
from studyservice.operations.columns import max_length
from studyservice.operations.fields import BooleanField, ChoiceField, IdField, ListField
from studyservice.operations.serializers import Body
from vocab.exam_records import ReadinessRow
from vocab.models import Card, Deck, Review

MAX_CARDS = 500
"""Cards per deck."""

MAX_DECK_NAME = max_length(Deck, "name")
"""Characters of a deck's name."""


class CardOrder(StrEnum):
    """An order of a deck's cards.

    Attributes:
        DUE: by due time.
        POSITION: as they were added.
        WEAKEST: the lowest recall now first, new ones last.
    """

    DUE = "due"
    POSITION = "position"
    WEAKEST = "weakest"


class CardFields(TypedDict):
    """The fields of a `CardBody`."""

    term: str
    definition: str


class NewCard(CardFields, total=False):
    """A new card for a deck. Without further fields it is new and due at once."""

    state: str
    step: int | None
    stability: float | None
    difficulty: float | None
    due_at: datetime
    last_reviewed_at: datetime | None
    reps: int
    lapses: int
    suspended: bool
    note: UUID


class CardChanges(TypedDict, total=False):
    """Changes of a card: the fields of a `CardChangesBody`."""

    term: str
    definition: str
    suspended: bool


class CardBody(Body):
    """A card of a deck."""

    example: ClassVar[dict[str, Any]] = {"term": "Golgi apparatus", "definition": "Sorts and ships proteins."}

    class Meta:
        model = Card
        fields = ("term", "definition")


@extend_schema_serializer(component_name="CardBody")
class CardChangesBody(CardBody):
    """A card of a deck."""

    example: ClassVar[dict[str, Any]] = {**CardBody.example, "suspended": False}

    class Meta:
        model = Card
        fields = (*CardBody.Meta.fields, "suspended")


class CardEntryFields(CardChanges, total=False):
    """The fields of a `CardEntryBody`."""

    card_id: UUID | None


class CardEntryBody(CardBody):
    """A card to create, or with `card_id` the changes of one."""

    example: ClassVar[dict[str, Any]] = {**CardBody.example}

    card_id = IdField(
        required=False,
        allow_null=True,
        help_text="With merge: the card to change, by the fields sent.",
    )

    class Meta(CardChangesBody.Meta):
        extra_kwargs: ClassVar[dict[str, Any]] = {
            **dict.fromkeys(CardBody.Meta.fields, {"default": serializers.empty, "required": False}),
            "suspended": {"default": serializers.empty, "required": False, "help_text": "Only with card_id."},
        }

    def to_internal_value(self, data: Any) -> Any:
        """Parse the sent fields. An entry without `card_id` must be a valid new card."""
        if not isinstance(data, Mapping) or data.get("card_id") is not None:
            return super().to_internal_value(data)
        data = {name: value for name, value in data.items() if name in CardBody.Meta.fields}
        needed = [name for name, field in CardBody.shared(partial=False).fields.items() if field.required]
        wrong: dict[str, Any] = {name: ["Needed where no card_id is sent."] for name in needed if name not in data}
        try:
            found = super().to_internal_value(data)
        except serializers.ValidationError as error:
            wrong |= cast("Mapping[str, Any]", error.detail)
        if wrong:
            raise serializers.ValidationError({name: wrong[name] for name, _ in self.fields.items() if name in wrong})
        return found


class DeckFields(TypedDict, total=False):
    """Changes of a deck: the fields of a `DeckDetailsBody`."""

    name: str
    course_id: UUID | None


class DeckDetailsBody(Body):
    """The fields of a deck, without its cards."""

    example: ClassVar[dict[str, Any]] = {"name": "Organelles", "course_id": "3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01"}

    class Meta:
        model = Deck
        fields = ("name", "course_id")


class DeckBody(DeckDetailsBody):
    """What a new deck is made of."""

    example: ClassVar[dict[str, Any]] = DeckDetailsBody.example | {"cards": [CardBody.example]}

    cards = ListField(child=CardEntryBody(), min_length=1, max_length=MAX_CARDS, help_text="Its cards, 1 to 500.")
    include_cards = BooleanField(
        default=True,
        help_text="Whether to answer the cards too; they are stored either way. Send false for a long deck.",
    )
    if_exists = ChoiceField(
        choices=["create", "merge"],
        default="create",
        help_text="merge puts the cards into the oldest deck of this name: new terms are added, known ones get the new "
        "definition and keep their schedule. Terms match exactly; the answer's similar names near ones.",
    )


class CardsBody(Body):
    """More cards for a deck."""

    example: ClassVar[dict[str, Any]] = {"cards": [CardBody.example]}

    cards = ListField(
        child=CardBody(), min_length=1, max_length=MAX_CARDS, help_text="The new cards, 1 to 500; a deck can have 500."
    )


class ReviewBody(Body):
    """How a card was answered."""

    example: ClassVar[dict[str, Any]] = {"rating": "good", "duration_ms": 4200}

    class Meta:
        model = Review
        fields = ("rating", "duration_ms")


@answer(
    Card,
    **CardBody.example,
    id="d9f4a2c6-8e3b-4d0f-b5a7-3c7e9f1d5b07",
    deck_id="b7d2f0a4-6c1e-4b8d-9e3f-1a5c7d9b3e06",
    state="review",
    due_at="2030-11-25T18:02:11.000000Z",
    reps=3,
    lapses=0,
    stability=4.1,
    difficulty=5.3,
    last_reviewed_at="2030-11-21T18:02:11.000000Z",
    suspended=False,
)
class CardRow(TypedDict):
    """A flashcard."""

    id: UUID
    deck_id: UUID
    term: str
    definition: str
    state: str
    due_at: datetime
    reps: int
    lapses: int
    stability: float | None
    difficulty: float | None
    last_reviewed_at: datetime | None
    suspended: bool


def card_row(card: Mapping[str, Any]) -> CardRow:
    """The `CardRow` of a stored card."""
    return cast("CardRow", {name: card[name] for name in CardRow.__annotations__})


@answer(Card, **example_of(CardRow))
class ListedCardRow(CardRow):
    """A flashcard of a deck."""

    recall: NotRequired[
        Annotated[
            float | None,
            "Only with on: percent, how likely it will be recalled on that day if it is not studied until then; "
            "null of a new card.",
        ]
    ]


@answer(
    Deck,
    id="b7d2f0a4-6c1e-4b8d-9e3f-1a5c7d9b3e06",
    name="Organelles",
    course_id="3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01",
    course_name="Cell Biology",
    card_count=24,
    due_count=6,
    new_count=4,
    today_count=6,
    next_due_at="2030-11-20T18:02:11.000000Z",
    created_at="2030-09-01T08:30:00.000000Z",
    updated_at="2030-09-01T08:30:00.000000Z",
)
class DeckRow(TypedDict):
    """A flashcard deck."""

    id: UUID
    name: str
    course_id: UUID | None
    course_name: Annotated[str | None, At("its_course__name"), "The course's name."]
    card_count: int
    due_count: Annotated[
        int, FILLED_IN, "How many of them are due now, every new one included; none that is suspended."
    ]
    next_due_at: Annotated[
        datetime | None,
        FILLED_IN,
        "The earliest due time of its cards, past or future, without suspended ones; null without cards.",
    ]
    created_at: datetime
    updated_at: datetime
    new_count: Annotated[int, FILLED_IN, "How many of those were never reviewed."]
    today_count: Annotated[
        int,
        FILLED_IN,
        "How many due_only answers without limit: the new ones only as far as today still allows. Of several "
        "decks these numbers do not add up, as new cards count over all decks.",
    ]
    cards: NotRequired[
        Annotated[
            list[ListedCardRow],
            "Its cards, due first unless order says otherwise; only with include_cards, which is true by default on "
            "creation.",
        ]
    ]
    more_cards: NotRequired[Annotated[bool, "Only with limit or cards_after: whether more cards follow these."]]
    readiness: NotRequired[
        Annotated[ReadinessRow, "Only with on: what will be recalled on that day if nothing is studied until then."]
    ]
