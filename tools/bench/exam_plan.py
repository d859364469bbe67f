"""Simulate members who follow an exam plan, and members who review the cards that FSRS schedules.

`make exam-plan` writes the tables of docs/exam-plan.md. It needs no database, and about a minute of one core.
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from statistics import mean
from zoneinfo import ZoneInfo

from tools.bench.markdown import table
from vocab.exam_plan.days import REVIEWS_OF_A_NEW_CARD, Days, PlanCard, Settings, evenly
from vocab.exam_plan.memory import DAY, LEARNING, Memory, recalled, settled
from vocab.exam_plan.plan import exam_plan, queue

TABLES = Path(__file__).resolve().parents[2] / "docs" / "exam-plan.md"

TODAY = date(2030, 1, 7)
RETENTION = 0.9
SECONDS = Decimal("12.00")
HALF = 0.5
"""Share of the cards that are new at the start of the plan."""

CARDS, DAYS, MINUTES = (34, 200, 1000), (5, 14, 30, 60), (10, 30, 60)
REPEATED = {34: 40, 200: 12, 1000: 3}
"""Number of members of each kind, by their number of cards."""

Recall = Callable[[Memory, int], float]
"""The true probability that a member recalls a card at an instant."""


def _stability_times(factor: float) -> Recall:
    def recall(memory: Memory, at: int) -> float:
        if memory.stability is None:
            return 0.0
        true = Memory(memory.state, 0, memory.stability * factor, memory.difficulty, memory.last, memory.due)
        return recalled(true, at)

    return recall


def _twice_forgotten(memory: Memory, at: int) -> float:
    return max(0.0, 1 - 2 * (1 - recalled(memory, at)))


MEMBERS: dict[str, Recall] = {
    "as FSRS predicts": recalled,
    "half the stability": _stability_times(0.5),
    "0.7 times the stability": _stability_times(0.7),
    "1.4 times the stability": _stability_times(1.4),
    "twice the stability": _stability_times(2),
    "forget twice as often": _twice_forgotten,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome for one member: percent of the cards, and reviews.

    Attributes:
        error: the first day's prediction minus the actual result; None without a plan.
        over: whether a day of the first plan exceeds the available minutes.
    """

    forgotten: float
    reviews: int
    error: float | None = None
    over: bool = False


class Member:
    """A member with cards at the start of a plan, half of them already studied."""

    def __init__(self, cards: int, recall: Recall, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311  # the same members every time
        self._recall = recall
        self.reviews = 0
        start = Days(TODAY, TODAY + timedelta(days=1), ZoneInfo("UTC")).noons[0]
        self.cards = [self._card(start) for _ in range(cards)]

    def answer(self, place: int, at: int) -> None:
        """Answer a card by its true recall, and then its learning steps."""
        self.reviews += REVIEWS_OF_A_NEW_CARD if self.cards[place].is_new else 1
        memory = self._answered(self.cards[place].memory, at)
        self.cards[place] = PlanCard(memory, reps=self.cards[place].reps + 1)

    def forgotten(self, at: int) -> float:
        """Return the forgotten cards in percent."""
        return 100 * (1 - mean(self._recall(card.memory, at) for card in self.cards))

    def _card(self, start: int) -> PlanCard:
        unseen = Memory(LEARNING, 0, None, 0.0, None, start)
        if self._chance.random() < HALF:
            return PlanCard(unseen)
        at = start - self._chance.randrange(1, 60) * DAY
        memory = settled(unseen, at, RETENTION, good=True)
        while memory.due < start:
            memory = self._answered(memory, memory.due)
        return PlanCard(memory, reps=3)

    def _answered(self, memory: Memory, at: int) -> Memory:
        good = memory.last is None or self._chance.random() < self._recall(memory, at)
        return settled(memory, at, RETENTION, good=good)


def with_plan(member: Member, settings: Settings) -> Outcome:
    """Answer the plan's cards each day at noon."""
    number = (settings.exam_on - settings.today).days
    noons = Days(settings.today, settings.exam_on, settings.zone).noons
    plan = exam_plan(member.cards, settings)
    for day in range(number):
        today = settings.today + timedelta(days=day)
        of_today = Settings(
            today, settings.exam_on, settings.zone, settings.retention, settings.minutes, settings.seconds
        )
        for place in queue(member.cards, of_today, noons[day]):
            member.answer(place, noons[day])
    forgotten = member.forgotten(noons[-1])
    over = any(day.cards() * settings.seconds > 60 * settings.minutes for day in plan.days)
    return Outcome(forgotten, member.reviews, 100 * plan.predicted - (100 - forgotten), over)


def without_plan(member: Member, settings: Settings) -> Outcome:
    """Distribute the new cards evenly over the days, and review the due cards each day at noon."""
    number = (settings.exam_on - settings.today).days
    days = Days(settings.today, settings.exam_on, settings.zone)
    new = iter([place for place, card in enumerate(member.cards) if card.is_new])
    for day, begun in enumerate(evenly(sum(card.is_new for card in member.cards), number)):
        due = [place for place, card in enumerate(member.cards) if not card.is_new and _is_due(card, days, day)]
        for place in (*due, *(next(new) for _ in range(begun))):
            member.answer(place, days.noons[day])
    return Outcome(member.forgotten(days.noons[-1]), member.reviews)


def _is_due(card: PlanCard, days: Days, day: int) -> bool:
    return days.of(card.memory.due) <= day


def simulated(
    cards: int, days: int, minutes: int, recall: Recall, repeated: int
) -> tuple[Sequence[Outcome], Sequence[Outcome]]:
    """Simulate members with a plan, and the same members without one."""
    settings = Settings(TODAY, TODAY + timedelta(days=days), ZoneInfo("UTC"), RETENTION, minutes, SECONDS)
    planned = [with_plan(Member(cards, recall, seed), settings) for seed in range(repeated)]
    others = [without_plan(Member(cards, recall, seed), settings) for seed in range(repeated)]
    return planned, others


def _row(head: Sequence[object], planned: Sequence[Outcome], others: Sequence[Outcome]) -> list[object]:
    reviews, before = mean(one.reviews for one in planned), mean(one.reviews for one in others)
    return [
        *head,
        f"{mean(one.forgotten for one in others):.1f}",
        f"{mean(one.forgotten for one in planned):.1f}",
        f"{before:.0f}",
        f"{reviews:.0f} ({100 * (reviews / before - 1):+.0f} %)",
        f"{mean(one.error or 0.0 for one in planned):+.1f}",
        "yes" if any(one.over for one in planned) else "",
    ]


_FIGURES = (
    *("forgotten without plan, %", "with plan, %", "reviews without", "reviews with", "predicted minus known"),
    "over",
)


def by_size() -> str:
    """Return the table for members who answer as FSRS predicts."""
    rows = [
        _row((cards, days, minutes), *simulated(cards, days, minutes, recalled, REPEATED[cards]))
        for cards in CARDS
        for days in DAYS
        for minutes in MINUTES
    ]
    return table(("cards", "days", "minutes", *_FIGURES), rows)


def by_member() -> str:
    """Return the table for members of every kind, with 200 cards."""
    rows = [
        _row((kind, days), *simulated(200, days, 30, recall, REPEATED[200]))
        for kind, recall in MEMBERS.items()
        for days in DAYS
    ]
    return table(("members", "days", *_FIGURES), rows)


def main() -> None:
    """Rewrite the tables, each under its heading."""
    text = TABLES.read_text(encoding="utf-8")
    for written in (by_size(), by_member()):
        heading = written.partition("\n")[0]
        text, found = re.subn(rf"{re.escape(heading)}\n(\|.*\n)*", f"{written}\n", text)
        print(written if found else f"No table to replace:\n{written}")
    TABLES.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
