"""The input of the rules: the member's items, milestones and decks at one time."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple
from uuid import UUID

from courses.item_rows import EXAMINED, MISSED_FOR
from vocab.studied import StudiedDeck

USUAL_WORTH = Fraction(5)
"""The worth assumed in a course of which no item has one, in percent."""


@dataclass(frozen=True, slots=True)
class Item:
    """An item.

    Attributes:
        worth: exact percent of the course's grade; None without one.
    """

    id: UUID
    course_id: UUID
    course_name: str
    title: str
    kind: str
    status: str
    due_on: date | None
    worth: Fraction | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Milestone:
    """An open milestone."""

    id: UUID
    item_id: UUID
    title: str
    due_on: date | None
    position: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class WeakTopic:
    """The first weak topic of get_practice_stats.

    Attributes:
        deck_id: None if the deck was deleted.
        accuracy: in percent, as in get_practice_stats.
    """

    topic: str
    deck_id: UUID | None
    course_name: str | None
    accuracy: float


class Exam(NamedTuple):
    """An exam or quiz on its day."""

    id: UUID
    day: date


@dataclass(frozen=True, slots=True)
class Work:
    """An item to work on: its first open milestone, or the item itself without one.

    Attributes:
        due_on: the earlier of the milestone's date and the item's.
    """

    item: Item
    milestone: Milestone | None
    due_on: date

    @property
    def of(self) -> Item | Milestone:
        """The first open milestone, or the item without one. The title, age and id of the step are taken from it."""
        return self.milestone or self.item


@dataclass(frozen=True)
class Situation:
    """A member's data at one time.

    Attributes:
        today: in the member's time zone.
        seconds_a_card: duration of one review, as returned.
        new_cards: number of new cards still allowed today.
        milestones: open ones, at least the first of each item.
        decks: with their recall on the day of the next exam or quiz of their course, if it is within 7 days.
        mean_worths: by course, the exact mean of the items that have a worth; without courses where none has.
    """

    today: date
    seconds_a_card: Fraction
    new_cards: int
    items: Sequence[Item] = ()
    milestones: Sequence[Milestone] = ()
    decks: Sequence[StudiedDeck] = ()
    weak_topic: WeakTopic | None = None
    mean_worths: Mapping[UUID, Fraction] = field(default_factory=dict)

    def assumed_worth(self, item: Item) -> Fraction:
        """The worth of an item; without one the mean of its course, so that unknown worth is neither first nor last."""
        return self.mean_worths.get(item.course_id, USUAL_WORTH) if item.worth is None else item.worth

    def days_to(self, day: date) -> int:
        """Days from today to `day`; negative if it is past."""
        return (day - self.today).days

    @cached_property
    def work(self) -> list[Work]:
        """Open or missed items with a date, or whose first open milestone has one."""
        first: dict[UUID, Milestone] = {}
        for milestone in sorted(self.milestones, key=lambda one: (one.position, one.created_at, one.id)):
            first.setdefault(milestone.item_id, milestone)
        found = []
        for item in self.items:
            if item.status == "open" or (item.status == "missed" and self._missed_lately(item)):
                step = first.get(item.id)
                days = [day for day in (item.due_on, step.due_on if step else None) if day is not None]
                if days:
                    found.append(Work(item, step, min(days)))
        return found

    def _missed_lately(self, item: Item) -> bool:
        return item.due_on is not None and item.due_on >= self.today - MISSED_FOR

    @cached_property
    def exams(self) -> dict[UUID, Exam]:
        """The next open exam or quiz of each course that has one."""
        return next_exams(self.items, self.today)

    def exam_of(self, deck: StudiedDeck) -> Exam | None:
        """The next exam or quiz of the deck's course."""
        return None if deck.course_id is None else self.exams.get(deck.course_id)


def next_exams(items: Iterable[Item], today: date) -> dict[UUID, Exam]:
    """The next open exam or quiz of each course that has one."""
    found: dict[UUID, Exam] = {}
    for item in items:
        day = item.due_on
        if item.kind in EXAMINED and item.status == "open" and day is not None and day >= today:
            exam = Exam(item.id, day)
            if day < found.setdefault(item.course_id, exam).day:
                found[item.course_id] = exam
    return found
