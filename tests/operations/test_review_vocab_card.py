"""review_vocab_card: POST /v1/vocab-cards/{card_id}/reviews."""

from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import ANY
from uuid import uuid4

import fsrs
import pytest
import time_machine
from django.db import connection
from django.test import Client

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed
from tests.support.world import bearer

pytestmark = pytest.mark.same_statements

START = datetime(2030, 5, 1, 9, tzinfo=UTC)


@pytest.fixture
def card(owner: RestEntryPoint) -> Any:
    """A new card of the owner."""
    return made_deck(owner)["cards"][0]


def test_it_schedules_a_new_card(owner: RestEntryPoint, card: Any) -> None:
    after = reviewed(owner, card, "good", duration_ms=4200)
    at = datetime.fromisoformat(after["last_reviewed_at"])
    assert after == card | {
        "state": "learning",
        "reps": 1,
        "stability": fsrs.Scheduler().parameters[2],
        "difficulty": ANY,
        "last_reviewed_at": ANY,
        "due_at": (at + timedelta(minutes=10)).isoformat(timespec="microseconds").replace("+00:00", "Z"),
    }
    assert deck_with_cards(owner, {"id": card["deck_id"]})["cards"] == [after]


def test_a_card_passes_through_every_state(owner: RestEntryPoint, card: Any) -> None:
    states = [(card["state"], card["lapses"])]
    for days, rating in enumerate(["again", "good", "good", "again", "again", "good"]):
        with time_machine.travel(START + timedelta(days=days)):
            card = reviewed(owner, card, rating)
        states.append((card["state"], card["lapses"]))
    assert states == [
        ("new", 0),
        ("learning", 0),
        ("learning", 0),
        ("review", 0),
        ("relearning", 1),
        ("relearning", 1),
        ("review", 1),
    ]


@pytest.mark.rest
def test_a_retry_with_its_key_counts_once(client: Client, owner: RestEntryPoint, card: Any) -> None:
    headers = bearer(owner.secret) | {"Idempotency-Key": str(uuid4())}
    for _ in range(2):
        path = f"/v1/vocab-cards/{card['id']}/reviews"
        answer = client.post(path, {"rating": "good"}, content_type="application/json", headers=headers)
        assert (answer.status_code, answer.json()["reps"]) == (201, 1)
    assert deck_with_cards(owner, {"id": card["deck_id"]})["cards"][0]["reps"] == 1


@pytest.mark.database("both")
def test_the_log_stores_the_state_before(owner: RestEntryPoint, card: Any) -> None:
    """Each row contains the card's earlier state, so that a review can be traced and undone."""
    from vocab.models import Card, Review

    fields = ("state", "step", "stability", "difficulty", "due_at", "last_reviewed_at")
    before = []
    for days, rating in enumerate(["good", "good", "again"]):
        before.append(Card.objects.values(*fields).get())
        with time_machine.travel(START + timedelta(days=3 * days), tick=False):
            reviewed(owner, card, rating, duration_ms=days)
    log = Review.objects.order_by("reviewed_at")
    assert list(log.values(*fields)) == before
    assert [row["step"] for row in before] == [0, 1, None]
    told = list(log.values_list("rating", "duration_ms", "desired_retention"))
    assert told == [("good", 0, 0.9), ("good", 1, 0.9), ("again", 2, 0.9)]
    assert [row.reviewed_at for row in log] == [START + timedelta(days=3 * n) for n in range(3)]


@pytest.mark.database("both")
def test_a_log_row_is_never_changed(owner: RestEntryPoint, card: Any) -> None:
    from vocab.models import Review

    reviewed(owner, card, "good")
    row = Review.objects.get()
    row.rating = "easy"
    with pytest.raises(TypeError, match="append-only"):
        row.save()


def test_a_members_desired_retention_is_used(owner: RestEntryPoint, owner_member: Any, card: Any) -> None:

    owner_member.desired_retention = 0.97
    owner_member.save()
    after = reviewed(owner, card, "easy")
    at = datetime.fromisoformat(after["last_reviewed_at"])
    expected, _ = fsrs.Scheduler(desired_retention=0.97, enable_fuzzing=False).review_card(
        fsrs.Card(card_id=1), fsrs.Rating.Easy, at
    )
    usual, _ = fsrs.Scheduler(enable_fuzzing=False).review_card(fsrs.Card(card_id=1), fsrs.Rating.Easy, at)
    assert datetime.fromisoformat(after["due_at"]) == expected.due
    assert expected.due < usual.due


def test_the_same_answer_yields_the_same_interval(owner: RestEntryPoint) -> None:
    """No fuzzing: it would spread eight days over seven to ten."""
    cards = made_deck(owner, *(f"Term {number}" for number in range(20)))["cards"]
    answers = [reviewed(owner, card, "easy") for card in cards]
    intervals = [
        datetime.fromisoformat(card["due_at"]) - datetime.fromisoformat(card["last_reviewed_at"]) for card in answers
    ]
    assert set(intervals) == {timedelta(days=8)}


@each(("rating", "correct"), [("again", 0), ("hard", 1), ("good", 1), ("easy", 1)])
def test_it_adds_an_attempt(owner: RestEntryPoint, card: Any, rating: str, correct: int) -> None:
    reviewed(owner, card, rating)
    stats = owner.made("get_practice_stats", days=1)
    assert (stats["attempts"], stats["correct"]) == (1, correct)


def test_attempt_and_log_row_share_an_id(owner: RestEntryPoint, card: Any) -> None:
    from practice.models import Attempt
    from vocab.models import Review

    reviewed(owner, card, "good")
    attempt, review = Attempt.objects.get(), Review.objects.get()
    assert (attempt.id, attempt.attempted_at, attempt.source) == (review.id, review.reviewed_at, "vocab")


@each("duration", [0, 3_600_000, 5.0, None])
def test_it_accepts_durations(owner: RestEntryPoint, card: Any, duration: Any) -> None:
    from vocab.models import Review

    reviewed(owner, card, "good", duration_ms=duration)
    assert Review.objects.get().duration_ms == duration


@pytest.mark.database("both")
def test_a_failure_halfway_leaves_nothing(owner: RestEntryPoint, card: Any) -> None:
    """The last of the review's four writes fails. The client got no answer and may review again."""
    from practice.models import Attempt, PracticeSum
    from vocab.models import Review

    with connection.cursor() as cursor:
        for sql in _REFUSE_SUMS[connection.vendor]:
            cursor.execute(sql)
    failed = owner.call("review_vocab_card", card_id=card["id"], rating="good")
    assert failed.error == "internal_error"
    assert deck_with_cards(owner, {"id": card["deck_id"]})["cards"] == [card]
    assert (Review.objects.count(), Attempt.objects.count(), PracticeSum.objects.count()) == (0, 0, 0)


_REFUSE_SUMS = {
    "sqlite": [
        "CREATE TRIGGER refuse BEFORE INSERT ON practice_practicesum BEGIN SELECT RAISE(ABORT, 'refused'); END",
    ],
    "postgresql": ["ALTER TABLE practice_practicesum ADD CONSTRAINT refuse CHECK (false) NOT VALID"],
}


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_ten_parallel_reviews_are_applied_one_by_one(owner: RestEntryPoint, card: Any, in_threads: Any) -> None:
    """Ten log rows, and the state that results from ten reviews in the log's order."""
    from vocab.models import Card, Review

    ratings = ["good", "again", "easy", "hard", "good", "again", "good", "easy", "hard", "again"]
    answers = in_threads(lambda rating: reviewed(owner, card, rating), ratings)
    log = list(Review.objects.order_by("reviewed_at"))
    assert sorted(row.rating for row in log) == sorted(ratings)
    assert len({row.reviewed_at for row in log}) == 10
    scheduler, alone = fsrs.Scheduler(enable_fuzzing=False), fsrs.Card(card_id=1)
    for row in log:
        rating = fsrs.Rating[row.rating.capitalize()]
        alone, _ = scheduler.review_card(alone, rating, row.reviewed_at.astimezone(UTC))
    now = Card.objects.get()
    assert (now.state, now.step, now.due_at) == (alone.state.name.lower(), alone.step, alone.due)
    assert (now.stability, now.difficulty, now.reps) == (alone.stability, alone.difficulty, 10)
    assert sorted(answer["reps"] for answer in answers) == list(range(1, 11))
    assert owner.made("get_practice_stats")["attempts"] == 10
