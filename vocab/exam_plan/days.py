"""The input of a plan, and its days: their reviews, their instants, and shares of cards."""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from vocab.exam_plan.memory import Memory, instant

REVIEWS_OF_A_NEW_CARD = 3
"""Number of reviews of a new card on its first day: its learning steps, and one repetition."""


@dataclass(frozen=True, slots=True)
class PlanCard:
    """A card, in the order of deck, position and id.

    Attributes:
        reps: number of reviews.
        today: number of reviews in today's log.
        before: time of the last review before today.
    """

    memory: Memory
    reps: int = 0
    today: int = 0
    before: int | None = None

    @property
    def is_new(self) -> bool:
        return self.memory.last is None

    @property
    def begun_today(self) -> bool:
        return 0 < self.today == self.reps


@dataclass(frozen=True, slots=True)
class Settings:
    """The input of a plan.

    Attributes:
        retention: the member's desired retention.
        minutes: per day.
        seconds: per card.
    """

    today: date
    exam_on: date
    zone: ZoneInfo
    retention: float
    minutes: int
    seconds: Decimal

    def looks_a_day(self) -> int:
        """The number of cards that fit into the minutes of a day."""
        return int(60 * self.minutes / self.seconds)

    def window(self, cards: int) -> int:
        """The number of days before the exam in which every card is seen once more."""
        return max(1, -(-cards // self.looks_a_day()))


@dataclass(slots=True)
class Day:
    """The reviews of a day."""

    new: int = 0
    due: int = 0
    last_look: int = 0

    def cards(self) -> int:
        """Its number of reviews."""
        return REVIEWS_OF_A_NEW_CARD * self.new + self.due + self.last_look


class Days:
    """The days from `today` to the exam, counted from 0. The exam is on day `number`.

    Attributes:
        noons: 12:00 of each day, including that of the exam.
    """

    def __init__(self, today: date, exam_on: date, zone: ZoneInfo) -> None:
        self.number = (exam_on - today).days
        self._today, self._zone = today, zone
        days = [today + timedelta(days=day) for day in range(self.number + 1)]
        self.noons = [self._at(day, time(12)) for day in days]
        self._begins = [self._at(day, time(0)) for day in days]

    def begin(self, day: int) -> int:
        """The start of a day, which may be long past."""
        return self._at(self._today + timedelta(days=day), time(0))

    def of(self, at: int) -> int:
        """The day of an instant: 0 if it is past, and `number` from the exam on."""
        return max(0, bisect_right(self._begins, at) - 1)

    def _at(self, day: date, hour: time) -> int:
        return instant(datetime.combine(day, hour, self._zone))


def evenly(cards: int, days: int) -> list[int]:
    """Equal shares, with the remainder on the earliest days: 7 on 3 days are 3, 2, 2."""
    share, more = divmod(cards, days) if days else (0, 0)
    return [share + (day < more) for day in range(days)]


def from_the_last(cards: int, days: int, most: int) -> list[int]:
    """`most` per day from the last day back, or more on each day if they do not fit."""
    if days and most * days < cards:
        most = -(-cards // days)
    shares = [0] * days
    for day in reversed(range(days)):
        shares[day] = min(most, cards)
        cards -= shares[day]
    return shares


def left_of_today(shares: list[int], done: int, share_out: Callable[[int], list[int]]) -> list[int]:
    """The shares of the remaining days, after `done` of the total was done today.

    Args:
        share_out: computes the shares of later days.
    """
    today = max(0, shares[0] - done)
    return [today, *share_out(sum(shares) - done - today)]
