"""Cards for plans, reviewed with the `fsrs` package."""

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import fsrs

from vocab.exam_plan.days import PlanCard, Settings
from vocab.exam_plan.memory import LEARNING, RELEARNING, REVIEW, Memory, instant

DAY = timedelta(days=1)
STATES = {fsrs.State.Learning: LEARNING, fsrs.State.Review: REVIEW, fsrs.State.Relearning: RELEARNING}


def as_memory(card: fsrs.Card) -> Memory:
    """A card in the form that the plan and the package use."""
    return Memory(
        state=STATES[card.state],
        step=card.step or 0,
        stability=card.stability,
        difficulty=card.difficulty or 0.0,
        last=None if card.last_review is None else instant(card.last_review),
        due=instant(card.due),
    )


def settled_by_the_package(scheduler: fsrs.Scheduler, card: fsrs.Card, rating: fsrs.Rating, at: datetime) -> fsrs.Card:
    """The card after an answer, and after "good" for each following step, at the same instant."""
    card, _ = scheduler.review_card(card, rating, at)
    while card.state != fsrs.State.Review:
        card, _ = scheduler.review_card(card, fsrs.Rating.Good, at)
    return card


def studied_cards(chance: random.Random, until: datetime, retention: float = 0.9) -> Iterator[fsrs.Card]:
    """Endless cards in all states, with random histories up to `until`."""
    scheduler = fsrs.Scheduler(desired_retention=retention, enable_fuzzing=False)
    ratings = [fsrs.Rating.Good] * 6 + [fsrs.Rating.Again, fsrs.Rating.Hard, fsrs.Rating.Easy]
    while True:
        card = fsrs.Card(card_id=1, due=until)
        at = until - timedelta(days=chance.uniform(0, 90))
        for _ in range(chance.randrange(8)):
            card, _ = scheduler.review_card(card, chance.choice(ratings), at)
            at = max(at, card.due) + timedelta(hours=chance.choice([0, 1, 30]))
            if at > until:
                break
        yield card


def plan_cards(chance: random.Random, number: int, until: datetime, *, new: float = 0.3) -> list[PlanCard]:
    """Return `count` cards, of which the share `new` is new."""
    studied = (card for card in studied_cards(chance, until) if card.last_review is not None)
    unseen = Memory(LEARNING, 0, None, 0.0, None, instant(until))
    memories = (unseen if chance.random() < new else as_memory(next(studied)) for _ in range(number))
    return [PlanCard(memory, reps=0 if memory.last is None else 5) for memory in memories]


def settings(today: date, days: int, **changes: Any) -> Settings:
    """Settings of a plan for an exam in `days` days: ten minutes a day, twelve seconds a card."""
    given: dict[str, Any] = {"zone": ZoneInfo("UTC"), "retention": 0.9, "minutes": 10, "seconds": Decimal("12.00")}
    return Settings(today=today, exam_on=today + days * DAY, **given | changes)


def noon(day: date, zone: str = "UTC") -> datetime:
    return datetime.combine(day, time(12), ZoneInfo(zone)).astimezone(UTC)
