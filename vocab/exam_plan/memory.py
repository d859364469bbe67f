"""FSRS with plain numbers, equal to the `fsrs` package, for plans that calculate about ten thousand cards.

The parameters are the package's. Only the answers that plans assume are implemented, `again` and `good`. Tests compare
both with the package, card by card. Instants are integers: microseconds since 1970.
"""

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import fsrs

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
DAY = timedelta(days=1) // MICROSECOND

_PACKAGE = fsrs.Scheduler(enable_fuzzing=False)
_P = _PACKAGE.parameters

FORGETTING_DECAY = -_P[20]
"""The exponent of the forgetting curve. After so many `days`, a card is recalled with the probability
`(1 + FORGETTING_FACTOR * days / stability) ** FORGETTING_DECAY`.
"""

FORGETTING_FACTOR = 0.9 ** (1 / FORGETTING_DECAY) - 1
"""Chosen so that the probability is 0.9 after `stability` days."""

LEAST_STABILITY, MOST_STABILITY = 0.001, 1_000_000
"""In days. The package's minimum (its `STABILITY_MIN`), and a maximum with which it can still calculate."""

_LEARNING = tuple(step // MICROSECOND for step in _PACKAGE.learning_steps)
_RELEARNING = tuple(step // MICROSECOND for step in _PACKAGE.relearning_steps)
_MEAN_DIFFICULTY = _P[4] - math.e ** (_P[5] * 3) + 1
_FIRST_DIFFICULTY = min(max(_P[4] - math.e ** (_P[5] * 2) + 1, 1.0), 10.0)
_GROWTH = math.e ** _P[8]
_SAME_DAY_GOOD = math.e ** (_P[17] * _P[18])
_SAME_DAY_AGAIN = math.e ** (_P[17] * (-2 + _P[18]))

LEARNING, REVIEW, RELEARNING = "learning", "review", "relearning"


@dataclass(frozen=True, slots=True)
class Memory:
    """FSRS's state of a card.

    Attributes:
        state: a new card is in `learning`, without a stability.
        step: index of the (re)learning step; 0 in the state `review`.
        last: time of the last review.
        due: time of the next review.
    """

    state: str
    step: int
    stability: float | None
    difficulty: float
    last: int | None
    due: int


def instant(moment: datetime) -> int:
    """Microseconds since 1970."""
    return (moment - _EPOCH) // MICROSECOND


def recalled(card: Memory, at: int) -> float:
    """The probability (0 to 1) of recalling the card `at` this instant, by whole days. 0 for a new card."""
    if card.stability is None or card.last is None:
        return 0.0
    return float((1 + FORGETTING_FACTOR * max(0, (at - card.last) // DAY) / card.stability) ** FORGETTING_DECAY)


def settled(card: Memory, at: int, retention: float, *, good: bool) -> Memory:
    """The card after an answer `at` this instant, `good` or `again`, and a good answer to each following step.

    The steps are at the same instant: ten minutes later, the package might count one day less at the next noon.
    """
    card = answered(card, at, retention, good=good)
    while card.state != REVIEW:
        card = answered(card, at, retention, good=True)
    return card


def answered(card: Memory, at: int, retention: float, *, good: bool) -> Memory:
    """The card after one answer `at` this instant, `good` or `again`."""
    stability, difficulty = _learned(card, at, good=good)
    steps = _RELEARNING if card.state == RELEARNING else _LEARNING
    if card.state == REVIEW:
        if good:
            return _scheduled(stability, difficulty, at, retention)
        return Memory(RELEARNING, 0, stability, difficulty, at, at + _RELEARNING[0])
    if not good:
        return Memory(card.state, 0, stability, difficulty, at, at + steps[0])
    if card.step + 1 >= len(steps):
        return _scheduled(stability, difficulty, at, retention)
    return Memory(card.state, card.step + 1, stability, difficulty, at, at + steps[card.step + 1])


def _scheduled(stability: float, difficulty: float, at: int, retention: float) -> Memory:
    days = round((stability / FORGETTING_FACTOR) * ((retention ** (1 / FORGETTING_DECAY)) - 1))
    days = min(max(days, 1), _PACKAGE.maximum_interval)
    return Memory(REVIEW, 0, stability, difficulty, at, at + days * DAY)


def _learned(card: Memory, at: int, *, good: bool) -> tuple[float, float]:
    """Stability and difficulty after the answer. A new card is never answered `again` here."""
    if card.stability is None or card.last is None:
        return _P[2], _FIRST_DIFFICULTY
    stability, difficulty = card.stability, card.difficulty
    if (at - card.last) // DAY < 1:
        growth = (_SAME_DAY_GOOD if good else _SAME_DAY_AGAIN) * (stability ** -_P[19])
        learned = stability * (max(growth, 1.0) if good else growth)
    elif good:
        forgotten = 1 - recalled(card, at)
        growth = _GROWTH * (11 - difficulty) * (stability ** -_P[9]) * ((math.e ** (forgotten * _P[10])) - 1)
        learned = stability * (1 + growth)
    else:
        forgotten = 1 - recalled(card, at)
        long_term = (
            _P[11] * (difficulty ** -_P[12]) * (((stability + 1) ** _P[13]) - 1) * (math.e ** (forgotten * _P[14]))
        )
        learned = min(long_term, stability / _SAME_DAY_GOOD)
    drifted = difficulty if good else difficulty + (10.0 - difficulty) * (2 * _P[6]) / 9.0
    drifted = _P[7] * _MEAN_DIFFICULTY + (1 - _P[7]) * drifted
    return min(max(learned, LEAST_STABILITY), MOST_STABILITY), min(max(drifted, 1.0), 10.0)
