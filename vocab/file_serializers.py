"""Parameters and records of the operations that import and export decks as files."""

from typing import Annotated, TypedDict

from studyservice.operations.answers import answer, example_of
from studyservice.operations.fields import ChoiceField, IdField, StringField
from studyservice.operations.serializers import Query
from vocab.serializers import MAX_DECK_NAME, DeckRow


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
