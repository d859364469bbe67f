"""Computes the `now` of get_agenda rule by rule from a plain description of an account.

It imports none of the code under test. It walks lists and calculates with fractions, so that each rule is readable.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from fractions import Fraction
from math import ceil, floor
from typing import Any
from unittest.mock import ANY
from uuid import UUID

from tests.support.agenda_description import Account, Attempt, Deck
from tests.support.agenda_facts import (
    Work,
    days_to_exam,
    due,
    expected_recall,
    percent,
    seconds_a_card,
    without_ended,
    work,
)

MOST_STEPS = 7
SLICE, LEAST_SLICE = 25, 10
"""Usual minutes of work on an item, and the minimum in the last step."""

LEAST_CARDS, MOST_CARDS = 5, 20
"""Minimum and maximum minutes of a step of cards."""

WEAK_MINUTES = 5


@dataclass(frozen=True)
class Candidate:
    """A step without its minutes. `seconds` is the duration of a card, or None for a step without cards."""

    kind: str
    title: str
    course_name: str | None
    because: list[tuple[str, float]]
    item_id: UUID | None = None
    milestone_id: UUID | None = None
    deck_id: UUID | None = None
    cards: int = 0
    seconds: Fraction | None = None

    def cut(self, left: int) -> tuple[int, int | None] | None:
        """The minutes and cards of the step with `left` minutes left; None if it does not fit."""
        if self.kind != "cards":
            return (min(SLICE, left), None) if left >= LEAST_SLICE else None
        if self.seconds is None:
            return (WEAK_MINUTES, None) if left >= WEAK_MINUTES else None
        needed = max(LEAST_CARDS, ceil(self.cards * self.seconds / 60))
        minutes = min(needed, MOST_CARDS, left)
        cards = min(self.cards, floor(minutes * 60 / self.seconds))
        return (minutes, cards) if minutes >= LEAST_CARDS and cards else None


def now(account: Account, minutes: int) -> dict[str, Any]:
    """The expected `now`, without the texts of `because`."""
    account = without_ended(account)
    steps: list[dict[str, Any]] = []
    left = minutes
    third = max(5, minutes // 3)
    for candidate in repeat_now(account):
        fits = candidate.cut(third)
        if fits and len(steps) < MOST_STEPS:
            steps.append(_step(len(steps) + 1, candidate, *fits))
            third -= fits[0]
            left -= fits[0]
    for candidate in after_repeating(account):
        fits = candidate.cut(left)
        if not fits or len(steps) == MOST_STEPS:
            break
        if candidate.because[0][0] == "weak" and str(candidate.deck_id) in [step["deck_id"] for step in steps]:
            break
        steps.append(_step(len(steps) + 1, candidate, *fits))
        left -= fits[0]
    return {"minutes": minutes, "left_over": left, "steps": steps}


def _step(position: int, step: Candidate, minutes: int, cards: int | None) -> dict[str, Any]:
    return {
        "position": position,
        "kind": step.kind,
        "title": step.title,
        "course_name": step.course_name,
        "minutes": minutes,
        "item_id": step.item_id and str(step.item_id),
        "milestone_id": step.milestone_id and str(step.milestone_id),
        "deck_id": step.deck_id and str(step.deck_id),
        "cards": cards,
        "because": [{"code": code, "value": value, "text": ANY} for code, value in step.because],
    }


def after_repeating(account: Account) -> Iterator[Candidate]:
    """Ranks 2 to 7, each in its own order."""
    yield from pressing_work(account)
    yield from cards_before_exams(account)
    yield from other_work(account)
    yield from other_due_cards(account)
    yield from new_cards(account)
    yield from weak_topic(account)


def repeat_now(account: Account) -> list[Candidate]:
    """Rank 1: due learning and relearning cards. Decks with the most due cards are first."""
    decks = [(len(due(account, deck, "learning", "relearning")), deck) for deck in account.decks]
    decks.sort(key=lambda one: (-one[0], one[1].created_at, one[1].id))
    return [_cards(account, deck, number, [("repeat_now", number)]) for number, deck in decks if number]


def pressing_work(account: Account) -> list[Candidate]:
    """Rank 2: overdue, or due today or tomorrow. By worth, high first; then by date."""
    found = [one for one in work(account) if one.days <= 1]
    found.sort(key=lambda one: (-one.assumed_worth, one.days, one.age))
    return [_work(one) for one in found]


def cards_before_exams(account: Account) -> list[Candidate]:
    """Rank 3: due cards of a course with an exam within 7 days. By days to the exam, then by expected recall, low
    first.
    """
    found = []
    for deck in account.decks:
        number, days = len(due(account, deck, "review")), days_to_exam(account, deck)
        if number and days is not None and days <= 7:
            found.append((days, expected_recall(account, deck, days), deck.created_at, deck.id, deck, number))
    found.sort(key=lambda one: one[:4])
    return [
        _cards(account, deck, number, [("exam_in", days), ("expected_recall", percent(100 * recall))])
        for days, recall, _, _, deck, number in found
    ]


def other_work(account: Account) -> list[Candidate]:
    """Rank 4: due within 14 days. By worth per day left, high first."""
    found = [one for one in work(account) if 2 <= one.days <= 14]
    found.sort(key=lambda one: (-one.assumed_worth / one.days, one.days, one.age))
    return [_work(one) for one in found]


def other_due_cards(account: Account) -> list[Candidate]:
    """Rank 5: due cards of all other decks. Decks with the most due cards are first."""
    found = []
    for deck in account.decks:
        number, days = len(due(account, deck, "review")), days_to_exam(account, deck)
        if number and (days is None or days > 7):
            found.append((number, deck))
    found.sort(key=lambda one: (-one[0], one[1].created_at, one[1].id))
    return [_cards(account, deck, number, [("due", number)]) for number, deck in found]


def new_cards(account: Account) -> list[Candidate]:
    """Rank 6: new cards within today's limit. Decks with the nearest exam are first, those without an exam last."""

    def order(deck: Deck) -> Any:
        days = days_to_exam(account, deck)
        return days is None, days or 0, deck.created_at, deck.id

    limit = account.new_cards_a_day
    allowed = None if limit is None else max(0, limit - account.first_reviews)
    found = []
    for deck in sorted(account.decks, key=order):
        number = len([card for card in deck.cards if card.state == "new" and not card.suspended])
        if allowed is not None:
            number = min(number, allowed)
            allowed -= number
        if number:
            found.append(_cards(account, deck, number, [("new", number)], times=3))
    return found


def weak_topic(account: Account) -> list[Candidate]:
    """Rank 7: the weakest topic of the last 30 days with at least five attempts and less than 80 percent."""
    since = account.today - timedelta(days=29)
    topics: dict[Any, list[Attempt]] = {}
    for attempt in account.attempts:
        if attempt.day >= since:
            course_id = None if attempt.deck_id else attempt.course_id
            topics.setdefault((attempt.topic, attempt.deck_id, course_id), []).append(attempt)
    weak = []
    for (topic, deck_id, course_id), attempts in topics.items():
        correct = Fraction(len([attempt for attempt in attempts if attempt.correct]), len(attempts))
        if len(attempts) >= 5 and correct < Fraction(80, 100):
            weak.append((correct, -len(attempts), topic, str(deck_id), deck_id, course_id))
    if not weak:
        return []
    correct, _, topic, _, deck_id, course_id = min(weak, key=lambda one: one[:4])
    for deck in account.decks:
        if deck.id == deck_id:
            course_id = deck.course_id
    because = [("weak", percent(100 * correct))]
    return [Candidate("cards", topic, _course_name(account, course_id), because, deck_id=deck_id)]


def _course_name(account: Account, course_id: UUID | None) -> str | None:
    return next((course.name for course in account.courses if course.id == course_id), None)


def _cards(account: Account, deck: Deck, cards: int, because: list[tuple[str, float]], *, times: int = 1) -> Candidate:
    """A step of one deck. Each card takes `times` the seconds of a card."""
    course_name, seconds = _course_name(account, deck.course_id), times * seconds_a_card(account)
    return Candidate("cards", deck.name, course_name, because, deck_id=deck.id, cards=cards, seconds=seconds)


def _work(work: Work) -> Candidate:
    because: list[tuple[str, float]] = [("overdue", -work.days) if work.days < 0 else ("due_in", work.days)]
    if work.worth is not None:
        because.append(("worth", percent(work.worth)))
    step = work.milestone or work.item
    return Candidate(
        "milestone" if work.milestone else "item",
        step.title,
        work.course.name,
        because,
        item_id=work.item.id,
        milestone_id=None if work.milestone is None else work.milestone.id,
    )
