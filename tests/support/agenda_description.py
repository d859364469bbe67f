"""A plain description of an account: everything that the `now` of get_agenda depends on.

It imports nothing of the project. The order of a list has no meaning.
"""

from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID
from zoneinfo import ZoneInfo


@dataclass(frozen=True)
class Score:
    """A score of the item `item_id`."""

    id: UUID
    item_id: UUID | None


@dataclass(frozen=True)
class Category:
    id: UUID
    weight: Decimal
    scores: list[Score] = field(default_factory=list)


@dataclass(frozen=True)
class Milestone:
    id: UUID
    title: str
    due_on: date | None
    done: bool
    position: int
    created_at: datetime


@dataclass(frozen=True)
class Item:
    """An item. It counts as missed if it was due on `missable_from` or later."""

    id: UUID
    title: str
    kind: str
    due_on: date | None
    done: bool
    missable_from: date
    created_at: datetime
    category_id: UUID | None = None
    milestones: list[Milestone] = field(default_factory=list)


@dataclass(frozen=True)
class Course:
    id: UUID
    name: str
    categories: list[Category] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    archived: bool = False


@dataclass(frozen=True)
class Card:
    id: UUID
    state: str
    due_at: datetime
    stability: float | None = None
    last_reviewed_at: datetime | None = None
    suspended: bool = False


@dataclass(frozen=True)
class Deck:
    id: UUID
    name: str
    course_id: UUID | None
    created_at: datetime
    cards: list[Card] = field(default_factory=list)


@dataclass(frozen=True)
class Attempt:
    """An attempt on `day`, the member's date. `deck_id` is null once the deck is deleted."""

    topic: str
    deck_id: UUID | None
    course_id: UUID | None
    correct: bool
    day: date


@dataclass(frozen=True)
class Account:
    """A member's data at the instant `now`.

    Attributes:
        new_cards_a_day: None for no limit.
        first_reviews: number of first reviews on the member's today, over all decks.
        seconds: mean seconds of a review, measured over `seconds_reviews` reviews.
    """

    now: datetime
    zone: str
    new_cards_a_day: int | None = None
    first_reviews: int = 0
    seconds: float | None = None
    seconds_reviews: int = 0
    courses: list[Course] = field(default_factory=list)
    decks: list[Deck] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def today(self) -> date:
        return self.now.astimezone(ZoneInfo(self.zone)).date()
