"""Today's cards of a plan, in study order."""

from collections.abc import Sequence

from vocab.exam_plan.plan import PlanCard, Settings, planner


def queue(cards: Sequence[PlanCard], settings: Settings, now: int) -> list[int]:
    """The places of today's cards, each exact, of any number of cards.

    First what is in learning or relearning, from its due time on; then reviews, also those due later today; last looks,
    the one that gains least by waiting first; new cards.
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
