"""Parameters and answers of the operations on whole decks."""

from typing import Annotated, Any, NotRequired, TypedDict
from uuid import UUID

from rest_framework import serializers

from studyservice.operations.answers import answer, example_of
from studyservice.operations.fields import ChoiceField, DateField, IdField, StringField
from studyservice.operations.query_fields import QueryBooleanField, QueryIntegerField
from studyservice.operations.serializers import Query
from vocab.exam_records import minutes_field
from vocab.models import Deck
from vocab.serializers import MAX_CARDS, MAX_DECK_NAME, CardOrder, DeckRow

_ORDERED = ("order", "cards_after")


class DecksQuery(Query):
    """Parameters of list_vocab_decks."""

    deck_id = IdField(required=False, help_text="Only this deck.")
    include_cards = QueryBooleanField(default=False, help_text="Whether to answer the deck's cards too; needs deck_id.")
    due_only = QueryBooleanField(
        default=False,
        help_text="Only the cards to ask now, in this order: those in learning, reviews that are due, then new cards, "
        "as many as new_cards_a_day of get_me allows today; none that is suspended: create_vocab_deck with merge sets "
        "that, or update_vocab_card over REST. Needs include_cards.",
    )
    limit = QueryIntegerField(
        min_value=1,
        max_value=MAX_CARDS,
        required=False,
        help_text="At most this many cards, the first ones; needs include_cards. more_cards: whether others follow.",
    )
    order = ChoiceField(
        choices=[one.value for one in CardOrder],
        required=False,
        help_text="Of the cards: due (the default), position, or weakest: the lowest recall now first, new ones last. "
        "Needs include_cards, without due_only.",
    )
    cards_after = IdField(
        required=False,
        help_text="A card's id: only those after it in that order. Needs include_cards, without due_only.",
    )
    on = DateField(
        required=False,
        help_text="A day from today to a year ahead: readiness of each deck then. Unseen cards count as 0 in "
        "expected_recall.",
    )

    for_item = IdField(
        required=False,
        help_text="Instead of deck_id, an exam or quiz due in 1 to 120 days: the decks of its course, the first with "
        "today's cards of its plan across all of them, in the order to ask.",
    )
    minutes_a_day = minutes_field("Minutes a day of that plan, 5 to 600; needs for_item.")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Reject requests for the cards of every deck, and parameters about cards or a plan that were not requested."""
        wrong = {}
        if ("for_item" in attrs) is not ("minutes_a_day" in attrs):
            needed = "Needs for_item, the exam to plan for." if "minutes_a_day" in attrs else "Is needed with for_item."
            wrong["minutes_a_day"] = [needed]
        if "for_item" in attrs:
            if "deck_id" in attrs or attrs["due_only"]:
                wrong["for_item"] = ["Answers today's cards of all decks of a course: leave out deck_id and due_only."]
        elif attrs["include_cards"] and "deck_id" not in attrs:
            wrong["include_cards"] = ["Needs deck_id, the deck whose cards to answer."]
        elif not attrs["include_cards"]:
            about_cards = [name for name in ("due_only", "limit", *_ORDERED) if attrs.get(name)]
            wrong |= {name: ["Needs include_cards."] for name in about_cards}
        if attrs["due_only"] or "for_item" in attrs:
            ordered = ["Not with due_only or for_item, whose cards have an order of their own."]
            wrong |= {name: ordered for name in _ORDERED if name in attrs}
        if wrong:
            raise serializers.ValidationError(wrong)
        return attrs


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


class ExportQuery(Query):
    """Parameters of export_vocab_deck."""

    format = ChoiceField(
        choices=["csv", "tsv", "anki"],
        default="csv",
        help_text="csv is for spreadsheets: a text that they would calculate gets an apostrophe before it. tsv and "
        "anki, which is Anki's notes in plain text, are exact.",
    )


class ImportQuery(Query):
    """Parameters of import_vocab_decks."""

    name = StringField(
        max_length=MAX_DECK_NAME,
        required=False,
        help_text="What the deck is called, else as in the file or as the file; ignored with several decks.",
    )
    course_id = IdField(required=False, help_text="The course that the decks belong to, also those merged into.")
    if_exists = ChoiceField(
        choices=["create", "merge"],
        default="create",
        help_text="merge puts the cards into the oldest deck of the same name, as create_vocab_deck does.",
    )
    header = ChoiceField(
        choices=["auto", "yes", "no"],
        default="auto",
        help_text="Whether the first row of a table is a heading; auto knows one by its words, in English.",
    )


@answer(decks=[example_of(DeckRow)], cards=24, skipped=1, media_left_out=3, unreadable_characters=0)
class ImportRow(TypedDict):
    """The result of an import."""

    decks: Annotated[list[DeckRow], "The decks that the cards went into, without their cards."]
    cards: Annotated[int, "How many cards the file has."]
    skipped: Annotated[
        int,
        "Notes of Anki, and gaps of its cloze notes, that make no card: a text is empty, or longer than a "
        "card can have.",
    ]
    media_left_out: Annotated[int, "Files of pictures and sounds, which are not kept."]
    unreadable_characters: Annotated[
        int, "How many characters of the cards are \ufffd, as the file has bytes there that cannot be read."
    ]
