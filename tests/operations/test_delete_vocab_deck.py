"""delete_vocab_deck: DELETE /v1/vocab-decks/{deck_id}, and decks of a deleted course."""

from typing import Any

import pytest

from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import made_deck, reviewed

pytestmark = pytest.mark.same_statements


@pytest.mark.database("both")
def test_it_deletes_cards_and_reviews(owner: RestEntryPoint) -> None:
    from vocab.models import Card, Review

    deck, kept = made_deck(owner, "a", "b"), made_deck(owner, name="Kept")
    reviewed(owner, deck["cards"][0], "good")
    reviewed(owner, kept["cards"][0], "good")
    assert owner.made("delete_vocab_deck", deck_id=deck["id"]) == {"id": deck["id"], "deleted": True}
    assert [found["name"] for found in owner.made("list_vocab_decks")["data"]] == ["Kept"]
    assert (Card.objects.count(), Review.objects.count()) == (1, 1)
    assert owner.call("review_vocab_card", card_id=deck["cards"][0]["id"], rating="good").error == "not_found"


def test_practice_keeps_the_attempts(owner: RestEntryPoint, course: Any) -> None:
    deck = made_deck(owner, course_id=course["id"])
    for _ in range(5):
        reviewed(owner, deck["cards"][0], "again")
    before = owner.made("get_practice_stats")
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    [topic] = before["weak_topics"]
    assert topic["deck_id"] == deck["id"]
    assert owner.made("get_practice_stats") == before | {"weak_topics": [topic | {"deck_id": None}]}


def test_deleting_a_course_keeps_its_decks(owner: RestEntryPoint, course: Any) -> None:
    deck = made_deck(owner, course_id=course["id"])
    for _ in range(5):
        reviewed(owner, deck["cards"][0], "again")
    owner.made("delete_course", course_id=course["id"])
    [found] = owner.made("list_vocab_decks")["data"]
    assert (found["id"], found["course_id"], found["course_name"]) == (deck["id"], None, None)
    [topic] = owner.made("get_practice_stats")["weak_topics"]
    assert (topic["deck_id"], topic["course_id"]) == (deck["id"], None)


@pytest.mark.database("both")
def test_deleting_a_member_deletes_everything(owner: RestEntryPoint, owner_member: Any, course: Any) -> None:
    from practice.models import Attempt
    from vocab.models import Deck, Review

    deck = made_deck(owner, course_id=course["id"])
    reviewed(owner, deck["cards"][0], "good")
    owner_member.delete()
    assert (Deck.objects.count(), Review.objects.count(), Attempt.objects.count()) == (0, 0, 0)
