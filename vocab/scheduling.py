"""Schedule cards with the `fsrs` package.

Fuzzing is off. It would shift due dates by a random number of days, so that the same answers lead to different due
dates. Clients could not predict them, histories could not be replayed, and a review could not be undone and repeated.
Its purpose, spreading cards that would otherwise stay together for months, matters only in far larger collections.
"""

from collections.abc import Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Any, TypedDict, cast
from zoneinfo import ZoneInfo

import fsrs
from django.db.models import Q

from studyservice.database.statements import Param
from studyservice.rows.access import Access
from vocab.exam_plan.memory import FORGETTING_DECAY, FORGETTING_FACTOR, MOST_STABILITY
from vocab.models import CardState, Rating

DUE_NOW = Q(suspended=False, due_at__lte=Param("now"))
"""Cards that are due: their time has come. (A plan for an exam also asks what falls due later today.)"""


class MemoryState(TypedDict):
    """A card's FSRS state, which the log stores from before each review."""

    state: str
    step: int | None
    stability: float | None
    difficulty: float | None
    due_at: datetime
    last_reviewed_at: datetime | None


def memory_of(row: Mapping[str, Any]) -> MemoryState:
    """Return the FSRS state in a row."""
    return cast("MemoryState", {name: row[name] for name in MemoryState.__annotations__})


def local_time(access: Access, day: date, hour: int) -> datetime:
    """The full hour of the day in the member's time zone, in UTC."""
    return datetime.combine(day, time(hour), ZoneInfo(access.member.time_zone)).astimezone(UTC)


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
    """The probability (0 to 1) of recalling a card `at` this time, by whole days as in the package."""
    return float((1 + FORGETTING_FACTOR * max(0, (at - last_reviewed_at).days) / stability) ** FORGETTING_DECAY)


@lru_cache(maxsize=64)
def _scheduler(desired_retention: float) -> fsrs.Scheduler:
    return fsrs.Scheduler(desired_retention=desired_retention, enable_fuzzing=False)


def is_lapse(rating: str, state: str) -> bool:
    """Return whether the answer counts as a lapse of a card that was in this state."""
    return rating == Rating.AGAIN and state == CardState.REVIEW


def next_state(card: MemoryState, rating: str, at: datetime, desired_retention: float) -> MemoryState:
    """The state of `card` after an answer at the instant `at`. The package has the same names, capitalized."""
    is_new = card["state"] == CardState.NEW  # for the package the state learning, before its first answer
    before = fsrs.Card(
        card_id=0,  # otherwise the package waits a millisecond for a unique id
        state=fsrs.State[(CardState.LEARNING if is_new else card["state"]).capitalize()],
        step=card["step"],
        stability=card["stability"],
        difficulty=card["difficulty"],
        due=card["due_at"],
        last_review=card["last_reviewed_at"],
    )
    after, _ = _scheduler(desired_retention).review_card(before, fsrs.Rating[rating.capitalize()], at.astimezone(UTC))
    return {
        "state": after.state.name.lower(),
        "step": after.step,
        "stability": None if after.stability is None else min(after.stability, MOST_STABILITY),
        "difficulty": after.difficulty,
        "due_at": after.due,
        "last_reviewed_at": after.last_review,
    }
