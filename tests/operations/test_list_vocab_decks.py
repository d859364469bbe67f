"""list_vocab_decks: GET /v1/vocab-decks."""

from datetime import timedelta
from typing import Any
from unittest.mock import ANY
from uuid import uuid4

import pytest
import time_machine
from django.utils import timezone

from tests.support import bulk
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import DeckFactory, stored
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed

pytestmark = pytest.mark.same_statements


def test_it_lists_oldest_first_without_cards(owner: RestEntryPoint, course: Any) -> None:
    made = [made_deck(owner, name="B"), made_deck(owner, "x", "y", name="A", course_id=course["id"])]
    for deck in made:
        del deck["cards"]
    assert owner.made("list_vocab_decks") == {"data": made, "has_more": False, "next_cursor": None}


def test_one_deck_can_be_requested(owner: RestEntryPoint) -> None:
    made_deck(owner, name="A")
    deck = made_deck(owner, name="B")
    del deck["cards"]
    assert owner.made("list_vocab_decks", deck_id=deck["id"])["data"] == [deck]


def test_cards_are_sorted_by_due_time(owner: RestEntryPoint) -> None:
    deck = made_deck(owner, "easy", "again", "hard", "new")
    for card in deck["cards"][:3]:
        reviewed(owner, card, card["term"])
    cards = deck_with_cards(owner, deck)["cards"]
    assert [card["term"] for card in cards] == ["new", "again", "hard", "easy"]
    assert [card["due_at"] for card in cards] == sorted(card["due_at"] for card in cards)


@pytest.mark.database("both")
def test_due_only_returns_only_due_cards(owner: RestEntryPoint) -> None:
    deck = made_deck(owner, "easy", "again", "new")
    for card in deck["cards"][:2]:
        reviewed(owner, card, card["term"])
    whole = deck_with_cards(owner, deck)
    assert deck_with_cards(owner, deck, due_only=True) == whole | {"cards": whole["cards"][:1]}
    with time_machine.travel(whole["cards"][1]["due_at"], tick=False):
        due = deck_with_cards(owner, deck, due_only=True)
    assert [card["term"] for card in due["cards"]] == ["again", "new"]


@each("due_only", [True, False])
@each(("limit", "cards"), [(1, 1), (2, 2), (500, 3)])
def test_the_first_cards_to_come_up_can_be_requested(
    owner: RestEntryPoint, due_only: bool, limit: int, cards: int
) -> None:
    deck = made_deck(owner, "a", "b", "c")
    found = deck_with_cards(owner, deck, limit=limit, due_only=due_only)
    assert found == deck | {"cards": deck["cards"][:cards], "more_cards": cards < 3}
    assert (found["card_count"], found["due_count"]) == (3, 3)


def test_it_counts_due_cards(owner: RestEntryPoint) -> None:
    deck = made_deck(owner, "a", "b")
    card = reviewed(owner, deck["cards"][0], "good")
    counts = {"card_count": 2, "due_count": 1, "new_count": 1, "today_count": 1, "next_due_at": deck["next_due_at"]}
    [found] = owner.made("list_vocab_decks")["data"]
    assert found == {**{k: v for k, v in deck.items() if k != "cards"}, **counts}
    with time_machine.travel(card["due_at"], tick=False):
        assert owner.made("list_vocab_decks")["data"][0]["due_count"] == 2


def test_the_next_due_time_may_be_in_the_future(owner: RestEntryPoint) -> None:
    deck = made_deck(owner)
    card = reviewed(owner, deck["cards"][0], "easy")
    [found] = owner.made("list_vocab_decks")["data"]
    assert (found["due_count"], found["next_due_at"]) == (0, card["due_at"])


@each("value", [True, False])
def test_an_unknown_deck_is_an_empty_page(owner: RestEntryPoint, stranger: RestEntryPoint, value: bool) -> None:
    foreign = made_deck(stranger)["id"]
    for deck_id in (foreign, uuid4()):
        page = owner.made("list_vocab_decks", deck_id=deck_id, include_cards=value)
        assert page == {"data": [], "has_more": False, "next_cursor": None}


@each(
    ("query", "wrong"),
    [
        ({"include_cards": True}, ["include_cards"]),
        ({"deck_id": "first", "include_cards": True}, ["deck_id"]),
        ({"due_only": True}, ["due_only"]),
        ({"limit": 5}, ["limit"]),
        ({"deck_id": str(uuid4()), "due_only": True, "limit": 5}, ["due_only", "limit"]),
        ({"deck_id": str(uuid4()), "include_cards": False, "limit": 5}, ["limit"]),
        ({"include_cards": True, "limit": 5}, ["include_cards"]),
    ],
)
def test_it_names_invalid_parameters(owner: RestEntryPoint, query: dict[str, Any], wrong: list[str]) -> None:
    answer = owner.call("list_vocab_decks", **query)
    assert (answer.error, answer.fields) == ("validation_failed", wrong)


def test_others_decks_are_not_listed(owner: RestEntryPoint, stranger: RestEntryPoint) -> None:
    made_deck(owner)
    assert stranger.made("list_vocab_decks")["data"] == []


def test_a_deck_without_cards_counts_none(owner: RestEntryPoint, owner_member: Any) -> None:
    """The admin can create such a deck; the API cannot."""

    deck = DeckFactory.create(member=owner_member, name="Empty")
    assert owner.made("list_vocab_decks")["data"] == [
        {
            "id": str(deck.id),
            "name": "Empty",
            "course_id": None,
            "course_name": None,
            "card_count": 0,
            "due_count": 0,
            "new_count": 0,
            "today_count": 0,
            "next_due_at": None,
            "created_at": ANY,
            "updated_at": ANY,
        }
    ]


@pytest.mark.rest
def test_100_decks_of_50_cards_need_as_many_queries_as_one(
    owner: RestEntryPoint, owner_member: Any, django_assert_num_queries: Any
) -> None:
    """Two queries including the credential's; three with cards."""
    from vocab.models import Card

    made_deck(owner)
    with django_assert_num_queries(2):
        owner.made("list_vocab_decks")
    decks = stored(DeckFactory, 99, member=owner_member, card_count=50)
    due_at = timezone.now() + timedelta(minutes=5)
    bulk.insert(
        Card,
        (
            {
                "id": uuid4(),
                "member_id": owner_member.id,
                "deck_id": deck.id,
                "position": position,
                "term": "t",
                "definition": "d",
                "state": "new",
                "step": 0,
                "due_at": due_at,
                "reps": 0,
                "lapses": 0,
            }
            for deck in decks
            for position in range(1, 51)
        ),
    )
    with django_assert_num_queries(2):
        found = owner.made("list_vocab_decks")["data"]
    assert [deck["card_count"] for deck in found] == [1] + [50] * 99
    with django_assert_num_queries(3):
        assert len(deck_with_cards(owner, found[50])["cards"]) == 50
    with django_assert_num_queries(3):
        assert deck_with_cards(owner, found[50], due_only=True, limit=10)["cards"] == []
