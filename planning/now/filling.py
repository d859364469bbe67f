"""Fill the available minutes with steps."""

from collections.abc import Callable, Iterable, Sequence

from planning.agenda_serializers import NowRow
from planning.now.candidates import LEAST_CARDS, Candidate
from planning.now.ranks import (
    cards_before_exam,
    coming_work,
    due_cards,
    new_cards,
    pressing_work,
    repeat_now,
    weak_topic,
)
from planning.now.situation import Situation

MOST_STEPS = 7

_UNTIL_ONE_DOES_NOT_FIT: Sequence[Callable[[Situation], Iterable[Candidate]]] = (
    pressing_work,
    cards_before_exam,
    coming_work,
    due_cards,
    new_cards,
)


def what_now(now: Situation, minutes: int) -> NowRow:
    """The steps for these minutes.

    Rank 1 has a third of them and skips steps that no longer fit. After that, filling stops at the first step that does
    not fit, so that more minutes never change the order.
    """
    row: NowRow = {"minutes": minutes, "left_over": minutes, "steps": []}
    third = max(LEAST_CARDS, minutes // 3)
    for candidate in repeat_now(now):
        third -= _add(row, candidate, third)
    if all(_add(row, candidate, row["left_over"]) for rank in _UNTIL_ONE_DOES_NOT_FIT for candidate in rank(now)):
        decks = {step["deck_id"] for step in row["steps"] if step["deck_id"]}
        for candidate in weak_topic(now):
            if candidate.deck_id not in decks:
                _add(row, candidate, row["left_over"])
    return row


def _add(row: NowRow, candidate: Candidate, left: int) -> int:
    """Add the step. Return its minutes, or 0 if it does not fit or the maximum number of steps is reached."""
    minutes = candidate.minutes(left) if len(row["steps"]) < MOST_STEPS else 0
    if minutes:
        row["left_over"] -= minutes
        row["steps"].append(
            {
                "position": len(row["steps"]) + 1,
                "kind": candidate.kind,
                "title": candidate.title,
                "course_name": candidate.course_name,
                "minutes": minutes,
                "item_id": candidate.item_id,
                "milestone_id": candidate.milestone_id,
                "deck_id": candidate.deck_id,
                "cards": candidate.cards_in(minutes),
                "because": list(candidate.because),
            }
        )
    return minutes
