"""The demo member's flashcards are useful from the first run."""

from datetime import UTC, datetime

import pytest
import time_machine

from tests.support.entry_points import RestEntryPoint

pytestmark = pytest.mark.same_statements


@pytest.fixture
def demo(db: None) -> RestEntryPoint:
    from studyservice.trial.demo import create_demo_member

    return RestEntryPoint(create_demo_member()[1])


def test_decks_belong_to_courses_and_two_are_well_studied(demo: RestEntryPoint) -> None:
    decks = demo.made("list_vocab_decks")["data"]
    assert [deck["course_name"] for deck in decks] == ["Cell Biology", "World History since 1500", "Linear Algebra"]
    assert all(deck["card_count"] > 10 for deck in decks[:2])
    assert sum(deck["due_count"] for deck in decks[:2]) > 0


def test_weeks_of_practice_produce_a_streak_and_a_weak_topic(demo: RestEntryPoint) -> None:
    stats = demo.made("get_practice_stats")
    assert sum(day["attempts"] > 0 for day in stats["by_day"]) > 14
    assert 70 < stats["accuracy"] < 90
    assert stats["streak"] == {"current": 6, "longest": 7, "practiced_today": False}
    assert [topic["topic"] for topic in stats["weak_topics"]] == ["Silver, sugar, empire: dates"]


@pytest.mark.database("both")
def test_no_review_is_in_the_future(db: None) -> None:
    """Even if the first run is just after midnight."""
    from studyservice.trial.demo import create_demo_member
    from vocab.models import Review

    midnight = datetime(2030, 5, 1, 0, 0, 1, tzinfo=UTC)
    with time_machine.travel(midnight, tick=False):
        create_demo_member()
    assert Review.objects.count() > 100
    assert not Review.objects.filter(reviewed_at__gte=midnight).exists()
