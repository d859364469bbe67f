"""get_practice_stats `memory`: the recall that FSRS predicted, and the actual recall."""

from datetime import UTC, datetime, timedelta
from typing import Any

import fsrs
import pytest
import time_machine

from practice.models import Attempt, PracticeSum
from studyservice.rates import limiter as rates
from tests.support.entry_points import RestEntryPoint
from tests.support.practice import counted_sums, kept_sums
from tests.support.vocabulary import made_deck, reviewed
from vocab import foretold

pytestmark = pytest.mark.django_db

NOON = datetime(2030, 5, 6, 12, tzinfo=UTC)
DAY = timedelta(days=1)
RATINGS = ("good", "good", "again", "good", "good", "hard", "again", "good", "easy")
HOURS = (1, 30, 100, 101, 400, 401, 900, 1300, 2000)


def at(moment: datetime) -> Any:
    rates.clear()
    return time_machine.travel(moment, tick=False)


def studied(owner: RestEntryPoint, card: Any) -> list[tuple[float, bool]]:
    """Review a card repeatedly. Return the package's prediction and the result of each review in the state review."""
    scheduler, theirs, told = fsrs.Scheduler(enable_fuzzing=False), fsrs.Card(), []
    for hours, rating in zip(HOURS, RATINGS, strict=True):
        moment = NOON + timedelta(hours=hours)
        if theirs.state == fsrs.State.Review:
            told.append((scheduler.get_card_retrievability(theirs, moment), rating != "again"))
        theirs, _ = scheduler.review_card(theirs, fsrs.Rating[rating.title()], moment)
        with at(moment):
            reviewed(owner, card, rating)
    return told


def memory(owner: RestEntryPoint, days: int = 365) -> Any:
    with at(NOON + timedelta(hours=HOURS[-1])):
        return owner.made("get_practice_stats", days=days)["memory"]


def test_predictions_equal_those_of_the_package(owner: RestEntryPoint) -> None:
    with at(NOON):
        deck = made_deck(owner)
    assert memory(owner) == {"reviews": 0, "expected": None, "recalled": None}
    told = studied(owner, deck["cards"][0])
    assert len(told) >= 4
    assert 1.0 in [likelihood for likelihood, _ in told], "two reviews of a card on one day"
    assert memory(owner) == {
        "reviews": len(told),
        "expected": round(100 * sum(likelihood for likelihood, _ in told) / len(told) + 1e-9, 2),
        "recalled": round(100 * sum(right for _, right in told) / len(told) + 1e-9, 2),
    }
    last, right = told[-1]
    assert memory(owner, days=1) == {"reviews": 1, "expected": round(100 * last, 2), "recalled": 100.0 * right}


@pytest.mark.rest
def test_a_deletion_removes_nothing_and_its_undo_adds_nothing(owner: RestEntryPoint) -> None:
    with at(NOON):
        deck = made_deck(owner)
    studied(owner, deck["cards"][0])
    before = memory(owner)
    with at(NOON + timedelta(hours=HOURS[-1] + 1)):
        owner.made("delete_vocab_deck", deck_id=deck["id"])
        assert memory(owner) == before
        owner.made("undo_change", change_id=owner.made("list_changes")["data"][0]["id"])
    assert memory(owner) == before


@pytest.mark.rest
def test_an_undone_review_is_no_longer_counted(owner: RestEntryPoint, owner_member: Any) -> None:
    with at(NOON):
        card = made_deck(owner)["cards"][0]
        reviewed(owner, card, "easy")
    with at(NOON + 9 * DAY):
        reviewed(owner, card, "again")
        assert owner.made("get_practice_stats")["memory"]["reviews"] == 1
        owner.made("undo_change", change_id=owner.made("list_changes")["data"][0]["id"])
        assert owner.made("get_practice_stats")["memory"]["reviews"] == 0
        assert kept_sums(owner_member) == counted_sums(owner_member)


@pytest.mark.rest
def test_it_is_filled_from_the_review_log_of_an_import(
    owner: RestEntryPoint, owner_member: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with at(NOON):
        deck = made_deck(owner, "a", "b")
    for card in deck["cards"]:
        studied(owner, card)
    expected, sums = list(Attempt.objects.order_by("id").values()), kept_sums(owner_member)
    Attempt.objects.update(is_first=False, foretold=None)
    PracticeSum.objects.update(firsts=0, foretold_attempts=0, foretold=0, foretold_correct=0)
    monkeypatch.setattr(foretold, "AT_ONCE", 4)
    kept = [row for row in expected if row["is_first"] or row["foretold"] is not None]
    assert foretold.fill_attempts(owner_member.id) == len(kept) > 4
    assert foretold.fill_attempts(owner_member.id) == 0
    assert list(Attempt.objects.order_by("id").values()) == expected
    assert kept_sums(owner_member) == sums


@pytest.mark.rest
def test_filling_keeps_members_separate(owner: RestEntryPoint, stranger: RestEntryPoint, owner_member: Any) -> None:
    with at(NOON):
        decks = [made_deck(one) for one in (owner, stranger)]
    for one, deck in zip((owner, stranger), decks, strict=True):
        studied(one, deck["cards"][0])
    before = list(Attempt.objects.order_by("id").values())
    Attempt.objects.filter(member=owner_member).update(is_first=False, foretold=None)
    foretold.fill_attempts(owner_member.id)
    assert list(Attempt.objects.order_by("id").values()) == before
