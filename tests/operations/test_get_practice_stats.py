"""get_practice_stats: GET /v1/practice/stats."""

from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import ANY
from uuid import UUID, uuid4

import pytest
import time_machine

from studyservice.rates import limiter as rates
from studyservice.rows.limits import Limits
from tests.support import bulk
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import made_deck, reviewed

pytestmark = pytest.mark.same_statements

NOON = datetime(2030, 5, 10, 12, tzinfo=UTC)


def answered(entry_point: RestEntryPoint, deck: Any, correct: int, wrong: int) -> None:
    """Adds this many correct and wrong answers to the deck's first card."""
    for rating in ["good"] * correct + ["again"] * wrong:
        reviewed(entry_point, deck["cards"][0], rating)
        rates.clear()


def test_an_account_without_practice_has_empty_stats(owner: RestEntryPoint) -> None:
    with time_machine.travel(NOON):
        stats = owner.made("get_practice_stats", days=2)
    assert stats == {
        "days": 2,
        "attempts": 0,
        "correct": 0,
        "accuracy": None,
        "streak": {"current": 0, "longest": 0, "practiced_today": False},
        "by_day": [
            {"date": "2030-05-09", "attempts": 0, "correct": 0},
            {"date": "2030-05-10", "attempts": 0, "correct": 0},
        ],
        "weak_topics": [],
        "memory": {"reviews": 0, "expected": None, "recalled": None},
    }


def test_practice_is_summed(owner: RestEntryPoint, course: Any) -> None:
    deck = made_deck(owner, course_id=course["id"])
    with time_machine.travel(NOON - timedelta(days=1)):
        answered(owner, deck, correct=1, wrong=2)
    with time_machine.travel(NOON):
        answered(owner, deck, correct=3, wrong=1)
        stats = owner.made("get_practice_stats", days=3)
    assert stats == {
        "days": 3,
        "attempts": 7,
        "correct": 4,
        "accuracy": 57.14,
        "streak": {"current": 2, "longest": 2, "practiced_today": True},
        "by_day": [
            {"date": "2030-05-08", "attempts": 0, "correct": 0},
            {"date": "2030-05-09", "attempts": 3, "correct": 1},
            {"date": "2030-05-10", "attempts": 4, "correct": 3},
        ],
        "weak_topics": [
            {
                "topic": "Organelles",
                "deck_id": deck["id"],
                "course_id": course["id"],
                "attempts": 7,
                "correct": 4,
                "accuracy": 57.14,
            }
        ],
        "memory": ANY,
    }


def test_the_window_is_30_days_by_default(owner: RestEntryPoint) -> None:
    with time_machine.travel(NOON):
        by_day = owner.made("get_practice_stats")["by_day"]
    assert (len(by_day), by_day[0]["date"], by_day[-1]["date"]) == (30, "2030-04-11", "2030-05-10")


def test_practice_before_the_window_only_extends_the_streak(owner: RestEntryPoint) -> None:
    deck = made_deck(owner)
    for days in (8, 7, 6, 1):
        with time_machine.travel(NOON - timedelta(days=days)):
            answered(owner, deck, correct=0, wrong=5)
    with time_machine.travel(NOON):
        stats = owner.made("get_practice_stats", days=1)
    assert (stats["attempts"], stats["weak_topics"]) == (0, [])
    assert stats["streak"] == {"current": 1, "longest": 3, "practiced_today": False}


@each(
    ("correct", "wrong", "weak"),
    [(0, 4, False), (0, 5, True), (4, 1, False), (3, 1, False), (7, 2, True), (8, 2, False), (79, 20, True)],
)
def test_a_topic_with_low_accuracy_is_weak(owner: RestEntryPoint, correct: int, wrong: int, weak: bool) -> None:
    """At least five attempts, and under 80 percent."""
    answered(owner, made_deck(owner), correct, wrong)
    assert bool(owner.made("get_practice_stats")["weak_topics"]) is weak


def test_weak_topics_are_the_five_weakest(owner: RestEntryPoint) -> None:
    for name, correct, wrong in [
        ("half", 3, 3),
        ("most", 3, 2),
        ("half, longer", 4, 4),
        ("none", 0, 5),
        ("some", 2, 4),
        ("few", 1, 5),
        ("all", 5, 0),
    ]:
        answered(owner, made_deck(owner, name=name), correct, wrong)
    topics = owner.made("get_practice_stats")["weak_topics"]
    assert [topic["topic"] for topic in topics] == ["none", "few", "some", "half, longer", "half"]
    assert [topic["accuracy"] for topic in topics] == [0.0, 16.67, 33.33, 50.0, 50.0]


@pytest.mark.database("both")
def test_a_deck_is_one_topic_in_every_course(owner: RestEntryPoint, course: Any) -> None:
    """Each course alone has too few attempts for a weak topic. The newest attempt determines the course."""
    from vocab.models import Deck

    other = owner.made("create_course", name="Botany")
    deck = made_deck(owner, course_id=course["id"])
    answered(owner, deck, correct=1, wrong=2)
    Deck.objects.filter(id=deck["id"]).update(course=other["id"])
    answered(owner, deck, correct=0, wrong=1)
    Deck.objects.filter(id=deck["id"]).update(course=None)
    answered(owner, deck, correct=0, wrong=1)
    Deck.objects.filter(id=deck["id"]).update(course=other["id"])
    answered(owner, deck, correct=0, wrong=1)
    [topic] = owner.made("get_practice_stats")["weak_topics"]
    assert topic == {
        "topic": "Organelles",
        "deck_id": deck["id"],
        "course_id": other["id"],
        "attempts": 6,
        "correct": 1,
        "accuracy": 16.67,
    }


def test_decks_with_the_same_name_are_two_topics(owner: RestEntryPoint) -> None:
    decks = [made_deck(owner), made_deck(owner)]
    for deck in decks:
        answered(owner, deck, correct=0, wrong=5)
    topics = owner.made("get_practice_stats")["weak_topics"]
    assert {topic["deck_id"] for topic in topics} == {deck["id"] for deck in decks}


def test_deleted_decks_with_the_same_name_are_one_topic(owner: RestEntryPoint) -> None:
    for _ in range(2):
        deck = made_deck(owner)
        answered(owner, deck, correct=0, wrong=3)
        owner.made("delete_vocab_deck", deck_id=deck["id"])
    [topic] = owner.made("get_practice_stats")["weak_topics"]
    assert (topic["topic"], topic["deck_id"], topic["attempts"]) == ("Organelles", None, 6)


def test_the_longest_window_is_accepted(owner: RestEntryPoint) -> None:
    assert len(owner.made("get_practice_stats", days=365)["by_day"]) == 365


def test_other_members_practice_is_not_counted(owner: RestEntryPoint, stranger: RestEntryPoint) -> None:
    answered(owner, made_deck(owner), correct=0, wrong=5)
    stats = stranger.made("get_practice_stats")
    assert (stats["attempts"], stats["weak_topics"], stats["streak"]["longest"]) == (0, [], 0)


@pytest.mark.rest
@pytest.mark.database("both")
def test_a_limited_key_sees_the_practice_of_a_deck_in_its_present_course(
    owner: RestEntryPoint, owner_member: Any, course: Any, make_key: Any
) -> None:
    """The attempts were made while the deck was in a course that the key does not see."""
    hidden = owner.made("create_course", name="Hidden")
    deck, other = (made_deck(owner, name=name, course_id=hidden["id"]) for name in ("Moved", "Stays"))
    for one in (deck, other):
        answered(owner, one, correct=1, wrong=5)
    owner.made("update_vocab_deck", deck_id=deck["id"], course_id=course["id"])
    limited = RestEntryPoint(make_key(owner_member, limits=Limits((course["id"],)).stored())[0])
    stats = limited.made("get_practice_stats", days=2)
    assert (stats["attempts"], stats["streak"]["current"], stats["by_day"][-1]["attempts"]) == (6, 1, 6)
    assert [(topic["topic"], topic["course_id"]) for topic in stats["weak_topics"]] == [("Moved", course["id"])]


@pytest.mark.database("both")
def test_another_kind_of_practice_is_included(owner: RestEntryPoint, owner_member: Any, course: Any) -> None:
    """Attempts have a source and a topic, so a future kind of practice needs no deck."""
    from practice.attempts import record_attempt
    from practice.models import Source
    from studyservice.rows.access import Access, change

    access = Access(owner_member)
    with change(access, "practice"):
        for number in range(5):
            record_attempt(
                access, uuid4(), source=Source.VOCAB, topic="Proofs", correct=number > 2, at=access.now,
                course_id=UUID(course["id"]),
            )  # fmt: skip
    [topic] = owner.made("get_practice_stats")["weak_topics"]
    assert topic == {
        "topic": "Proofs",
        "deck_id": None,
        "course_id": course["id"],
        "attempts": 5,
        "correct": 2,
        "accuracy": 40.0,
    }


@pytest.mark.rest
def test_10_000_attempts_cost_as_much_as_one(
    owner: RestEntryPoint, owner_member: Any, django_assert_num_queries: Any
) -> None:
    """Four queries including the credential's; two for get_me."""
    from practice.models import Attempt
    from practice.rebuilding import rebuild_sums

    answered(owner, made_deck(owner), correct=1, wrong=0)
    with django_assert_num_queries(4):
        owner.made("get_practice_stats", days=365)
    today, decks = owner_member.today(), [uuid4() for _ in range(100)]
    bulk.insert(
        Attempt,
        (
            {
                "id": uuid4(),
                "member_id": owner_member.id,
                "source": "vocab",
                "topic": f"Deck {number % 100}",
                "deck_id": decks[number % 100],
                "correct": number % 7 > 0,
                "attempted_at": NOON,
                "day": today - timedelta(days=number % 500),
            }
            for number in range(10_000)
        ),
    )
    rebuild_sums([owner_member.id])
    with django_assert_num_queries(4):
        stats = owner.made("get_practice_stats", days=365)
    assert (stats["attempts"], stats["streak"]["longest"]) == (7_301, 500)
    with django_assert_num_queries(2):
        assert owner.made("get_me")["practice_streak"] == 500
