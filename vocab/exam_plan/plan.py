"""The plan for an exam: new cards, reviews and a last look at every card, day by day (docs/exam-plan.md).

A pure function of the cards, today's reviews, the member's settings, the day and two parameters. It reads no clock and
no database, and nothing is stored. Tomorrow's plan continues from what was actually done.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from operator import itemgetter

from vocab.exam_plan.days import Day, Days, PlanCard, Settings, evenly, from_the_last, left_of_today
from vocab.exam_plan.memory import REVIEW, Memory, recalled, settled

MOST_EXACT = 500
"""Maximum number of cards that are calculated individually. Otherwise a sample is."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Days from today to the day before the exam.

    Attributes:
        predicted: mean recall at noon of the exam, from 0 to 1.
        at_most: the same if every last look were on the day before.
        sampled: whether only a sample of the cards was calculated; today is always exact.
    """

    days: list[Day]
    predicted: float
    at_most: float
    sampled: bool


class Planner:
    """Calculates a plan for cards and settings, with a window of this many days and last looks per day.

    Attributes:
        first: the first day of the window from today on.
        since: the start of the window, which may be past; a card reviewed since then has had its last look.
    """

    def __init__(self, cards: Sequence[PlanCard], settings: Settings, *, window: int, looks_a_day: int) -> None:
        self._cards, self._retention = cards, settings.retention
        self._days = Days(settings.today, settings.exam_on, settings.zone)
        opens = self._days.number - window
        self.first, self.since = max(0, opens), self._days.begin(opens)
        self._began = opens <= 0
        self._midnight = self._days.begin(0)
        self._looks_a_day = looks_a_day

    def days(self) -> tuple[list[Day], float]:
        """The reviews of each day, and the mean recall at noon of the exam."""
        days = [Day() for _ in range(self._days.number)]
        begins = self._begin_days()
        seen: list[Memory] = []
        looks: list[Memory] = []
        for card, begin in zip(self._cards, begins, strict=True):
            is_open = self.is_open(card)
            memory = self._up_to_the_window(card, begin, days)
            (looks if is_open else seen).append(memory)
        for day, number in enumerate(self._look_days(), start=self.first):
            days[day].last_look = number
        exam = self._days.noons[-1]
        known = [recalled(memory, exam) for memory in seen]
        known += [self._value(memory, day) for memory, day in self._looked(looks)]
        return days, sum(known) / len(self._cards)

    def today(self) -> Day:
        """The rest of today, for any number of cards, without planning later days."""
        return Day(self._new_days()[0], sum(map(self.is_due, self._cards)), self._looks_today())

    def is_open(self, card: PlanCard) -> bool:
        """Return whether the card still needs a last look in the window. Cards begun in the window do not."""
        last = card.memory.last
        return not self._began or (last is not None and last < self.since)

    def is_due(self, card: PlanCard) -> bool:
        """Return whether the card is due today, apart from last looks and steps of cards answered today."""
        return self._comes_up(card.memory) and not self._is_step(card.memory) and self._days.of(card.memory.due) == 0

    def in_learning(self, card: PlanCard) -> bool:
        """Return whether the card is in its (re)learning steps, due at any time, and needs no last look."""
        return card.memory.state != REVIEW and self._comes_up(card.memory)

    def new_today(self) -> list[int]:
        """The indexes of the new cards to begin today."""
        return [place for place, card in enumerate(self._cards) if card.is_new][: self._new_days()[0]]

    def looks_today(self) -> list[int]:
        """The indexes of the cards with their last look today. The card that gains least by waiting is first."""
        number = self._looks_today()
        open_looks = (place for place, card in enumerate(self._cards) if number and self.is_open(card))
        gains = ((self._gain(self._cards[place].memory), place) for place in open_looks)
        return [place for _, place in heapq.nsmallest(number, gains)]

    def _comes_up(self, memory: Memory) -> bool:
        """Return whether FSRS's due date counts: for a seen card before the window, and for steps after a last look."""
        if memory.last is None:
            return False
        return not self._began or (memory.state != REVIEW and memory.last >= self.since)

    def _is_step(self, memory: Memory) -> bool:
        return memory.state != REVIEW and memory.last is not None and memory.last >= self._midnight

    def _new_days(self) -> list[int]:
        """The number of new cards on each day before the window, or on each day if the window has begun."""
        new = sum(card.is_new for card in self._cards)
        begun = sum(card.begun_today for card in self._cards)
        number = self._days.number if self._began else self.first
        return left_of_today(evenly(new + begun, number), begun, lambda left: evenly(left, number - 1))

    def _begin_days(self) -> list[int]:
        """The day on which each card is begun; 0 for begun cards."""
        order = iter([day for day, number in enumerate(self._new_days()) for _ in range(number)])
        return [next(order) if card.is_new else 0 for card in self._cards]

    def _look_days(self) -> list[int]:
        """The number of last looks on each day of the window from today on."""
        looks = sum(map(self.is_open, self._cards))
        taken = sum(map(self._taken_today, self._cards)) if self._began else 0
        number = self._days.number - self.first
        shares = from_the_last(looks + taken, number, self._looks_a_day)
        return left_of_today(shares, taken, lambda left: from_the_last(left, number - 1, self._looks_a_day))

    def _looks_today(self) -> int:
        return self._look_days()[0] if self._began else 0

    def _taken_today(self, card: PlanCard) -> bool:
        return card.today > 0 and card.before is not None and card.before < self.since

    def _up_to_the_window(self, card: PlanCard, begin: int, days: list[Day]) -> Memory:
        """The card after the reviews that are due before the window of last looks, or before the exam."""
        memory = card.memory
        if card.is_new:
            days[begin].new += 1
            memory = settled(memory, self._days.noons[begin], self._retention, good=True)
        until = self._days.number if self._began else self.first
        while self._comes_up(memory) and (day := self._days.of(memory.due)) < until:
            if not (day == 0 and self._is_step(memory)):
                days[day].due += 1
            memory = self._answered(memory, day, good=True)
        return memory

    def _looked(self, looks: list[Memory]) -> list[tuple[Memory, int]]:
        """Each card with the day of its last look. The card that gains most by waiting is last."""
        shares = self._look_days()
        order = [day for day, number in enumerate(shares, start=self.first) for _ in range(number)]
        by_gain = sorted(((self._gain(memory), place) for place, memory in enumerate(looks)), key=itemgetter(0))
        return [(looks[place], day) for (_, place), day in zip(by_gain, order, strict=True)]

    def _gain(self, memory: Memory) -> float:
        """The card's gain at the exam if it is seen on the last day of the window, not on the first remaining one."""
        last = self._days.number - 1
        return 0.0 if last == self.first else self._value(memory, last) - self._value(memory, self.first)

    def _value(self, memory: Memory, day: int) -> float:
        """The expected recall at the exam if the card is seen on this day, averaged over the two possible answers."""
        exam = self._days.noons[-1]
        likely = recalled(memory, max(self._days.noons[day], memory.last or 0))
        good, again = (recalled(self._answered(memory, day, good=good), exam) for good in (True, False))
        return likely * good + (1 - likely) * again

    def _answered(self, memory: Memory, day: int, *, good: bool) -> Memory:
        return settled(memory, max(self._days.noons[day], memory.last or 0), self._retention, good=good)


def exam_plan(cards: Sequence[PlanCard], settings: Settings) -> Plan:
    """The plan for at least one card. `cards` are in the order of deck, position and id."""
    chosen = sample(cards)
    window, looks_a_day = settings.window(len(cards)), settings.looks_a_day()
    scaled = max(1, looks_a_day * len(chosen) // len(cards))
    days, predicted = Planner(chosen, settings, window=window, looks_a_day=scaled).days()
    _, at_most = Planner(chosen, settings, window=1, looks_a_day=scaled).days()
    if len(chosen) < len(cards):
        times = Decimal(len(cards)) / len(chosen)
        days = [Day(*(_scaled(number, times) for number in (day.new, day.due, day.last_look))) for day in days]
        days[0] = planner(cards, settings).today()
    return Plan(days, predicted, at_most, sampled=len(chosen) < len(cards))


def queue(cards: Sequence[PlanCard], settings: Settings, now: int) -> list[int]:
    """The indexes of today's cards of a plan, in study order. Each is exact, for any number of cards.

    First learning and relearning cards that are due; then reviews, including those due later today; then last looks,
    starting with the card that gains least by waiting; then new cards.
    """
    if not cards:
        return []
    planned = planner(cards, settings)
    learning, reviews = [], []
    for place, card in enumerate(cards):
        if planned.in_learning(card):
            if card.memory.due <= now:
                learning.append(place)
        elif planned.is_due(card):
            reviews.append(place)
    for places in (learning, reviews):
        places.sort(key=lambda place: cards[place].memory.due)
    return [*learning, *reviews, *planned.looks_today(), *planned.new_today()]


def planner(cards: Sequence[PlanCard], settings: Settings) -> Planner:
    """A planner for all cards with these settings."""
    return Planner(cards, settings, window=settings.window(len(cards)), looks_a_day=settings.looks_a_day())


def sample(cards: Sequence[PlanCard]) -> Sequence[PlanCard]:
    """All cards, or every k-th by stability, with new ones first, so that there are at most `MOST_EXACT`. Keeps the
    order.
    """
    every = -(-len(cards) // MOST_EXACT)
    if every == 1:
        return cards
    by_stability = sorted(range(len(cards)), key=lambda place: (cards[place].memory.stability or 0.0, place))
    return [cards[place] for place in sorted(by_stability[::every])]


def _scaled(number: int, times: Decimal) -> int:
    return int((number * times).to_integral_value(ROUND_HALF_UP))
