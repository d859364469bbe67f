"""The result of a reader of decks as JSON values, and the error for an unreadable file."""

from collections.abc import Hashable
from typing import Any, NotRequired, TypedDict

from studyservice.reading.decoding import REPLACED

MAX_TERM = 200
"""Maximum characters (`vocab.serializers.CardBody`)."""

MAX_DEFINITION = 2000
"""Maximum characters."""

MAX_CARDS = 50_000
"""Maximum cards in a file: as many as a member can have, in 100 decks of 500."""

MAX_REVIEWS = 1_000_000
"""Maximum number of a card's reviews and lapses before the import."""

MAX_TOLD = 100
"""Maximum number of invalid rows in the answer."""

MAXIMA = {"term": MAX_TERM, "definition": MAX_DEFINITION}
"""Maximum characters by side."""


class FoundSchedule(TypedDict):
    """A card's FSRS state. Times are in seconds since 1970.

    Attributes:
        state: `learning`, `review` or `relearning`.
    """

    state: str
    stability: float
    difficulty: float
    due: float
    last_reviewed: float
    reps: int
    lapses: int


class FoundCard(TypedDict):
    """A card. Without `schedule` it is new, and without `suspended` it is not suspended.

    Attributes:
        note: the UUID of the note, which the cards of its gaps share.
    """

    term: str
    definition: str
    schedule: NotRequired[FoundSchedule]
    suspended: NotRequired[bool]
    note: NotRequired[str]


class FoundDeck(TypedDict):
    """Cards that belong together. Without a name, the deck is named after its file."""

    name: str | None
    cards: list[FoundCard]


class BrokenFileError(Exception):
    """The file is not of the expected type, or compressed in an unknown way."""


class WrongRowsError(Exception):
    """The file has rows that must be corrected first.

    Attributes:
        rows: the error of each row.
    """

    def __init__(self, rows: list[str]) -> None:
        self.rows = rows
        super().__init__()


class TooManyError(Exception):
    """There are more cards than a member can have."""


class TooLargeFileError(Exception):
    """The file unpacks to more than the limit."""


class NoteCards:
    """The cards of Anki notes by deck. Those with an empty or too long text are skipped and counted."""

    def __init__(self) -> None:
        self._decks: dict[Hashable, FoundDeck] = {}
        self._number = self._skipped = 0
        self._longest = dict.fromkeys(MAXIMA, 0)

    def add(self, deck: Hashable, name: str | None, card: FoundCard) -> None:
        """Add a card with trimmed texts to the deck with this key.

        Raises:
            TooManyError: there are more than `MAX_CARDS`, including skipped ones.
        """
        self._number += 1
        if self._number > MAX_CARDS:
            raise TooManyError
        texts = {"term": card["term"], "definition": card["definition"]}
        if all(0 < len(texts[side]) <= most and "\x00" not in texts[side] for side, most in MAXIMA.items()):
            self._decks.setdefault(deck, {"name": name, "cards": []})["cards"].append(card)
            return
        self._skipped += 1
        for side, text in texts.items():
            self._longest[side] = max(self._longest[side], len(text))

    def output(self, media: int = 0) -> dict[str, Any]:
        """The child's output, with decks in the order of their first card."""
        too_long = {side: length for side, length in self._longest.items() if length > MAXIMA[side]}
        return as_output(list(self._decks.values()), skipped=self._skipped, media=media) | {"too_long": too_long}


def as_output(decks: list[FoundDeck], *, skipped: int = 0, media: int = 0) -> dict[str, Any]:
    """The child's output. Decks without cards are left out."""
    unreadable = sum(
        text.count(REPLACED) for deck in decks for card in deck["cards"] for text in (card["term"], card["definition"])
    )
    return {
        "decks": [deck for deck in decks if deck["cards"]],
        "skipped": skipped,
        "media": media,
        "unreadable": unreadable,
    }
