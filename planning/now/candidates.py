"""A step without its minutes: of work, of cards, or of a weak topic."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from uuid import UUID

from planning.agenda_serializers import ReasonRow
from planning.now.situation import WeakTopic, Work
from vocab.studied import StudiedDeck

SLICE = 25
"""Minutes of a step of work."""

LAST_SLICE = 10
"""Minimum minutes of work if a full slice no longer fits."""

LEAST_CARDS = 5
MOST_CARDS = 20
"""The minimum and maximum minutes of a step of cards."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A step of `wanted` minutes, or of the remaining ones if at least `least`.

    Attributes:
        cards: number of cards; None for steps without cards.
        seconds: per card.
    """

    kind: str
    title: str
    course_name: str | None
    because: Sequence[ReasonRow]
    wanted: int
    least: int
    item_id: UUID | None = None
    milestone_id: UUID | None = None
    deck_id: UUID | None = None
    cards: int | None = None
    seconds: Fraction = Fraction(0)

    def minutes(self, left: int) -> int:
        """The minutes that it uses of the remaining ones; 0 if it does not fit."""
        return min(self.wanted, left) if left >= self.least else 0

    def cards_in(self, minutes: int) -> int | None:
        """The number of cards that fit."""
        return None if self.cards is None else min(self.cards, floor(60 * minutes / self.seconds))


def of_work(work: Work, because: Sequence[ReasonRow]) -> Candidate:
    """A slice of work."""
    return Candidate(
        kind="item" if work.milestone is None else "milestone",
        title=work.of.title,
        course_name=work.item.course_name,
        because=because,
        wanted=SLICE,
        least=LAST_SLICE,
        item_id=work.item.id,
        milestone_id=None if work.milestone is None else work.milestone.id,
    )


def of_cards(deck: StudiedDeck, cards: int, seconds: Fraction, because: Sequence[ReasonRow]) -> Candidate:
    """Cards of a deck with seconds per card. A step has at least one card."""
    return Candidate(
        kind="cards",
        title=deck.name,
        course_name=deck.course_name,
        because=because,
        wanted=min(MOST_CARDS, _whole_minutes(cards * seconds)),
        least=_whole_minutes(seconds),
        deck_id=deck.id,
        cards=cards,
        seconds=seconds,
    )


def of_topic(weak: WeakTopic, because: Sequence[ReasonRow]) -> Candidate:
    """A weak topic, with any of its cards."""
    return Candidate(
        kind="cards",
        title=weak.topic,
        course_name=weak.course_name,
        because=because,
        wanted=LEAST_CARDS,
        least=LEAST_CARDS,
        deck_id=weak.deck_id,
    )


def _whole_minutes(seconds: Fraction) -> int:
    return max(LEAST_CARDS, ceil(seconds / 60))
