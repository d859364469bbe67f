"""Schedule cards with FSRS, by the `fsrs` package.

Fuzzing is off. It would move due dates by a random number of days, so that the same answers gave different due dates:
a client could not predict one, nor could a history be replayed or a review be undone and done again. What it is for,
spreading cards that would otherwise stay together for months, matters in collections far larger than a deck here.
"""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TypedDict

import fsrs

from vocab.forgetting import FORGETTING_DECAY, FORGETTING_FACTOR, MOST_STABILITY
from vocab.models import CardState, Rating


class MemoryState(TypedDict):
    """The fields of a card that are its state in FSRS, and the log keeps from before each review."""

    state: str
    step: int | None
    stability: float | None
    difficulty: float | None
    due_at: datetime
    last_reviewed_at: datetime | None


_RATINGS = {
    Rating.AGAIN.value: fsrs.Rating.Again,
    Rating.HARD.value: fsrs.Rating.Hard,
    Rating.GOOD.value: fsrs.Rating.Good,
    Rating.EASY.value: fsrs.Rating.Easy,
}
_TO_FSRS = {
    CardState.NEW.value: fsrs.State.Learning,
    CardState.LEARNING.value: fsrs.State.Learning,
    CardState.REVIEW.value: fsrs.State.Review,
    CardState.RELEARNING.value: fsrs.State.Relearning,
}
_FROM_FSRS = {
    fsrs.State.Learning: CardState.LEARNING.value,
    fsrs.State.Review: CardState.REVIEW.value,
    fsrs.State.Relearning: CardState.RELEARNING.value,
}


_DEFAULTS = fsrs.Scheduler(enable_fuzzing=False)

MOST_STEP = {
    CardState.NEW.value: 0,
    CardState.LEARNING.value: len(_DEFAULTS.learning_steps) - 1,
    CardState.RELEARNING.value: len(_DEFAULTS.relearning_steps) - 1,
}
"""The last step of each state that has steps."""

MAX_INTERVAL = timedelta(days=_DEFAULTS.maximum_interval)
"""The longest time from a review until the card is due again."""


def recall(stability: float, last_reviewed_at: datetime, at: datetime) -> float:
    """The probability (0 to 1) that a card is recalled `at` this moment, by whole days as in the package."""
    return float((1 + FORGETTING_FACTOR * max(0, (at - last_reviewed_at).days) / stability) ** FORGETTING_DECAY)


@lru_cache(maxsize=64)
def _scheduler(desired_retention: float) -> fsrs.Scheduler:
    return fsrs.Scheduler(desired_retention=desired_retention, enable_fuzzing=False)


def next_state(card: MemoryState, rating: str, at: datetime, desired_retention: float) -> MemoryState:
    """The state of `card` after it was answered at the instant `at`."""
    before = fsrs.Card(
        card_id=0,  # the package would wait a millisecond for an id of its own
        state=_TO_FSRS[card["state"]],
        step=card["step"],
        stability=card["stability"],
        difficulty=card["difficulty"],
        due=card["due_at"],
        last_review=card["last_reviewed_at"],
    )
    after, _ = _scheduler(desired_retention).review_card(before, _RATINGS[rating], at.astimezone(UTC))
    return {
        "state": _FROM_FSRS[after.state],
        "step": after.step,
        "stability": None if after.stability is None else min(after.stability, MOST_STABILITY),
        "difficulty": after.difficulty,
        "due_at": after.due,
        "last_reviewed_at": after.last_review,
    }
