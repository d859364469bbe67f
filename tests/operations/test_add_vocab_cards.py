"""add_vocab_cards: POST /v1/vocab-decks/{deck_id}/cards."""

from typing import Any
from unittest.mock import ANY

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import DeckFactory, stored
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements]

CARD = {"term": "Golgi apparatus", "definition": "Sorts and ships proteins."}


def cards(number: int) -> list[dict[str, str]]:
    return [{"term": f"Term {n}", "definition": f"Definition {n}"} for n in range(number)]


@pytest.fixture
def deck(owner: RestEntryPoint) -> Any:
    """A deck of two cards."""
    return made_deck(owner, "Nucleus", "Ribosome")


def test_it_returns_only_the_added_cards(owner: RestEntryPoint, deck: Any) -> None:
    more = [CARD, {"term": " Nucleus ", "definition": "Twice is allowed."}]
    answer = owner.made("add_vocab_cards", deck_id=deck["id"], cards=more)
    first, second = answer["cards"]
    new = {"id": ANY, "deck_id": deck["id"], "state": "new", "reps": 0, "lapses": 0, "due_at": first["due_at"]}
    unseen = {"stability": None, "difficulty": None, "last_reviewed_at": None, "suspended": False}
    assert first == new | unseen | CARD
    assert second == new | unseen | {"term": "Nucleus", "definition": "Twice is allowed."}
    assert answer["updated_at"] > deck["updated_at"]
    counts = {"card_count": 4, "due_count": 4, "new_count": 4, "today_count": 4, "updated_at": answer["updated_at"]}
    assert answer == deck | counts | {"cards": [first, second]}
    assert deck_with_cards(owner, deck) == answer | {"cards": deck["cards"] + [first, second]}


def test_other_cards_keep_their_schedule(owner: RestEntryPoint, deck: Any) -> None:
    known = reviewed(owner, deck["cards"][0], "easy")
    owner.made("add_vocab_cards", deck_id=deck["id"], cards=[CARD])
    assert known in deck_with_cards(owner, deck)["cards"]


def test_new_cards_follow_the_remaining_ones(owner: RestEntryPoint, deck: Any) -> None:
    owner.made("delete_vocab_card", card_id=deck["cards"][0]["id"])
    added = owner.made("add_vocab_cards", deck_id=deck["id"], cards=cards(3))["cards"]
    assert [card["term"] for card in deck_with_cards(owner, deck)["cards"]] == [
        "Ribosome",
        "Term 0",
        "Term 1",
        "Term 2",
    ]
    assert [card["term"] for card in added] == ["Term 0", "Term 1", "Term 2"]


def test_exceeding_500_cards_is_a_conflict_and_adds_none(owner: RestEntryPoint, deck: Any) -> None:
    answer = owner.call("add_vocab_cards", deck_id=deck["id"], cards=cards(499))
    assert (answer.error, "500 cards" in answer.body["message"]) == ("conflict", True)
    assert deck_with_cards(owner, deck) == deck
    owner.made("add_vocab_cards", deck_id=deck["id"], cards=cards(498))
    assert owner.call("add_vocab_cards", deck_id=deck["id"], cards=[CARD]).error == "conflict"
    owner.made("delete_vocab_card", card_id=deck["cards"][0]["id"])
    assert owner.made("add_vocab_cards", deck_id=deck["id"], cards=[CARD])["card_count"] == 500


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_parallel_calls_stop_at_the_limit(owner: RestEntryPoint, in_threads: Any) -> None:
    deck = made_deck(owner)
    call = lambda _: owner.call("add_vocab_cards", deck_id=deck["id"], cards=cards(100)).error  # noqa: E731
    answers = in_threads(call, list(range(8)))
    assert sorted(map(str, answers)) == ["None"] * 4 + ["conflict"] * 4
    found = deck_with_cards(owner, deck)
    assert (found["card_count"], len(found["cards"])) == (401, 401)


def test_the_change_names_the_deck_and_counts_cards(owner: RestEntryPoint, deck: Any) -> None:
    owner.made("add_vocab_cards", deck_id=deck["id"], cards=cards(3))
    [row, *_] = owner.made("list_changes")["data"]
    assert (row["operation"], row["undoable"]) == ("add_vocab_cards", True)
    assert row["object"] == {"type": "deck", "id": deck["id"], "name": "Organelles"}
    assert (row["before"], row["after"]) == ({}, {"cards": 3})


@pytest.mark.database("sqlite", "body lengths")
def test_500_cards_of_maximum_length_are_accepted(owner: RestEntryPoint, owner_member: Any) -> None:
    """Escaped in JSON, they are 6.6 MB."""
    deck = stored(DeckFactory, 1, member=owner_member)[0]
    cards = [{"term": f"{number:03}" + "Ж" * 197, "definition": "Ж" * 2000} for number in range(500)]
    added = owner.made("add_vocab_cards", deck_id=str(deck.id), cards=cards)["cards"]
    assert [{"term": one["term"], "definition": one["definition"]} for one in added] == cards


@each(
    ("sent", "wrong"),
    [
        ({}, ["cards"]),
        ({"cards": None}, ["cards"]),
        ({"cards": []}, ["cards"]),
        ({"cards": [CARD] * 501}, ["cards"]),
        ({"cards": [CARD, {"term": ""}]}, ["cards[1].term", "cards[1].definition"]),
        ({"cards": [CARD | {"term": "t" * 201}]}, ["cards[0].term"]),
    ],
)
def test_it_names_invalid_fields(owner: RestEntryPoint, deck: Any, sent: Any, wrong: list[str]) -> None:
    answer = owner.call("add_vocab_cards", deck_id=deck["id"], **sent)
    assert (answer.error, answer.fields) == ("validation_failed", wrong)
    assert deck_with_cards(owner, deck) == deck
