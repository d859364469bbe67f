"""Today's cards of a plan, in study order."""

from collections.abc import Sequence

from vocab.exam_plan.plan import PlanCard, Settings, planner


def queue(cards: Sequence[PlanCard], settings: Settings, now: int) -> list[int]:
    """The indexes of today's cards. Each is exact, for any number of cards.

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
