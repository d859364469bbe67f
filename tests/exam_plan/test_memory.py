"""FSRS calculated with numbers equals the `fsrs` package, card by card."""

import random
from datetime import UTC, datetime, timedelta

import fsrs
import pytest

from tests.support.cases import each
from tests.support.plan_cards import as_memory, settled_by_the_package, studied_cards
from vocab.exam_plan.memory import Memory, answered, instant, recalled, settled

pytestmark = pytest.mark.database("sqlite", "pure arithmetic")

NOW = datetime(2030, 5, 6, 9, 30, tzinfo=UTC)
SAME = 1e-12


def assert_same(ours: Memory, theirs: fsrs.Card) -> None:
    wanted = as_memory(theirs)
    assert (ours.state, ours.step, ours.last, ours.due) == (wanted.state, wanted.step, wanted.last, wanted.due)
    assert ours.stability == pytest.approx(wanted.stability, rel=SAME)
    assert ours.difficulty == pytest.approx(wanted.difficulty, rel=SAME)


@each("retention", [0.7, 0.9, 0.99])
def test_every_answer_leads_to_the_state_of_the_package(retention: float) -> None:
    chance = random.Random(3)  # noqa: S311  # the same cards every time
    scheduler = fsrs.Scheduler(desired_retention=retention, enable_fuzzing=False)
    cards, states = studied_cards(chance, NOW, retention), set()
    for _ in range(700):
        card = next(cards)
        at = NOW + timedelta(days=chance.choice([0, 0.4, 1, 3.5, 20, 200]))
        ratings = [(fsrs.Rating.Good, True), (fsrs.Rating.Again, False)]
        for rating, good in ratings if card.last_review is not None else ratings[:1]:
            theirs, _ = scheduler.review_card(card, rating, at)
            assert_same(answered(as_memory(card), instant(at), retention, good=good), theirs)
            settled_theirs = settled_by_the_package(scheduler, card, rating, at)
            assert_same(settled(as_memory(card), instant(at), retention, good=good), settled_theirs)
            states.add((card.state, good))
    assert len(states) == 6, "every state was answered both ways"


def test_recall_equals_that_of_the_package() -> None:
    scheduler = fsrs.Scheduler(enable_fuzzing=False)
    cards = studied_cards(random.Random(4), NOW)  # noqa: S311  # the same cards every time
    for days in range(300):
        card, at = next(cards), NOW + timedelta(days=days / 3)
        theirs = scheduler.get_card_retrievability(card, at)
        assert recalled(as_memory(card), instant(at)) == pytest.approx(theirs, rel=SAME)


def test_a_long_history_leads_to_equal_states() -> None:
    scheduler, theirs, ours = fsrs.Scheduler(enable_fuzzing=False), fsrs.Card(card_id=1, due=NOW), None
    for number in range(60):
        at = theirs.due + timedelta(hours=number % 40)
        ours = answered(as_memory(theirs) if ours is None else ours, instant(at), 0.9, good=number % 7 != 6)
        theirs, _ = scheduler.review_card(theirs, fsrs.Rating.Good if number % 7 != 6 else fsrs.Rating.Again, at)
        if theirs.stability is not None and theirs.stability > 1_000_000:
            break
        assert_same(ours, theirs)
