"""create_vocab_deck: POST /v1/vocab-decks."""

from typing import Any
from unittest.mock import ANY
from uuid import uuid4

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import DeckFactory, stored
from tests.support.vocabulary import deck_with_cards, made_deck

pytestmark = pytest.mark.same_statements

CARD = {"term": "Nucleus", "definition": "Holds the DNA."}


def test_it_creates(owner: RestEntryPoint, course: Any) -> None:
    cards = [{"term": "  Nucleus ", "definition": "Holds the DNA."}, {"term": "Ribosome", "definition": "Proteins."}]
    deck = owner.made("create_vocab_deck", name=" Organelles ", course_id=course["id"], cards=cards)
    new = {
        "id": ANY,
        "deck_id": deck["id"],
        "state": "new",
        "due_at": deck["next_due_at"],
        "reps": 0,
        "lapses": 0,
        "stability": None,
        "difficulty": None,
        "last_reviewed_at": None,
        "suspended": False,
    }
    assert deck == {
        "id": ANY,
        "name": "Organelles",
        "course_id": course["id"],
        "course_name": "Cell Biology",
        "card_count": 2,
        "due_count": 2,
        "new_count": 2,
        "today_count": 2,
        "next_due_at": ANY,
        "created_at": ANY,
        "updated_at": deck["created_at"],
        "cards": [new | CARD, new | {"term": "Ribosome", "definition": "Proteins."}],
    }


def test_the_answer_equals_the_listed_deck(owner: RestEntryPoint) -> None:
    made = made_deck(owner, "Nucleus", "Ribosome", "Vacuole")
    assert deck_with_cards(owner, made) == made


def test_it_can_answer_without_the_cards(owner: RestEntryPoint) -> None:
    short = made_deck(owner, "Nucleus", "Ribosome", include_cards=False)
    whole = deck_with_cards(owner, short)
    assert [card["term"] for card in whole.pop("cards")] == ["Nucleus", "Ribosome"]
    assert short == whole


@pytest.mark.rest
def test_it_keeps_the_order_of_500_cards(owner: RestEntryPoint) -> None:
    """A tool's answer would be too long."""
    terms = [f"Term {number}" for number in range(500)]
    deck = made_deck(owner, *terms)
    assert [card["term"] for card in deck["cards"]] == terms


def test_its_course_is_optional(owner: RestEntryPoint) -> None:
    assert made_deck(owner)["course_id"] is None
    deck = made_deck(owner, course_id=None)
    assert (deck["course_id"], deck["course_name"]) == (None, None)


def test_it_accepts_the_longest_texts(owner: RestEntryPoint) -> None:
    card = {"term": "é" * 200, "definition": "本" * 2000}
    deck = owner.made("create_vocab_deck", name="n" * 120, cards=[card])
    assert (deck["name"], deck["cards"][0]["definition"]) == ("n" * 120, "本" * 2000)


@each(
    ("fields", "wrong"),
    [
        ({"name": "Deck", "cards": []}, ["cards"]),
        ({"name": "Deck", "cards": CARD}, ["cards"]),
        ({"name": "Deck", "cards": [CARD] * 501}, ["cards"]),
        ({"name": "Deck", "cards": [CARD, "Ribosome"]}, ["cards[1]"]),
        ({"name": "Deck", "cards": [CARD, {"term": ""}]}, ["cards[1].term", "cards[1].definition"]),
        ({"name": "Deck", "cards": [CARD | {"term": "t" * 201}]}, ["cards[0].term"]),
        ({"name": "Deck", "cards": [CARD | {"definition": "d" * 2001}]}, ["cards[0].definition"]),
        ({"name": "Deck", "cards": [CARD | {"definition": "\x00"}]}, ["cards[0].definition"]),
        ({"name": "Deck", "cards": [CARD], "course_id": str(uuid4())}, ["course_id"]),
    ],
)
def test_it_names_invalid_fields(owner: RestEntryPoint, fields: dict[str, Any], wrong: list[str]) -> None:
    answer = owner.call("create_vocab_deck", **fields)
    assert (answer.error, answer.fields) == ("validation_failed", wrong)
    assert owner.made("list_vocab_decks")["data"] == []


def test_another_members_course_looks_unknown(stranger: RestEntryPoint, course: Any) -> None:
    answer = stranger.call("create_vocab_deck", name="Deck", cards=[CARD], course_id=course["id"])
    assert (answer.error, answer.fields) == ("validation_failed", ["course_id"])


def test_the_101st_is_a_conflict(owner: RestEntryPoint, owner_member: Any, stranger: RestEntryPoint) -> None:
    stored(DeckFactory, 99, member=owner_member)
    made_deck(owner)
    answer = owner.call("create_vocab_deck", name="One more", cards=[CARD])
    assert (answer.error, "100 decks" in answer.body["message"]) == ("conflict", True)
    assert len(owner.made("list_vocab_decks")["data"]) == 100
    made_deck(stranger)


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_parallel_creates_stop_at_the_limit(owner: RestEntryPoint, owner_member: Any, in_threads: Any) -> None:
    stored(DeckFactory, 98, member=owner_member)
    call = lambda n: owner.call("create_vocab_deck", name=f"New {n}", cards=[CARD]).error  # noqa: E731
    answers = in_threads(call, list(range(12)))
    assert sorted(map(str, answers)) == ["None"] * 2 + ["conflict"] * 10
    assert len(owner.made("list_vocab_decks")["data"]) == 100
