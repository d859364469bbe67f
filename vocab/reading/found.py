"""The result of a reader of decks as JSON values, and the error for an unreadable file."""

from typing import Any, NotRequired, TypedDict

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
    """A card. Without `schedule` it is new, and without `suspended` it is not suspended."""

    term: str
    definition: str
    schedule: NotRequired[FoundSchedule]
    suspended: NotRequired[bool]


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


def fits(term: str, definition: str) -> bool:
    """Return whether a card can have these trimmed texts."""
    return 0 < len(term) <= MAX_TERM and 0 < len(definition) <= MAX_DEFINITION and "\x00" not in term + definition


def as_output(decks: list[FoundDeck], *, skipped: int = 0, media: int = 0) -> dict[str, Any]:
    """The child's output. Decks without cards are left out."""
    return {"decks": [deck for deck in decks if deck["cards"]], "skipped": skipped, "media": media}
