"""update_vocab_card and delete_vocab_card: PATCH and DELETE /v1/vocab-cards/{card_id}."""

from typing import Any

import pytest

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed
from vocab.models import Review

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements]


@pytest.fixture
def deck(owner: RestEntryPoint) -> Any:
    """A deck of two cards."""
    return made_deck(owner, "Nucleus", "Ribosome")


@pytest.fixture
def card(owner: RestEntryPoint, deck: Any) -> Any:
    """The first of them, reviewed once."""
    return reviewed(owner, deck["cards"][0], "good")


def test_it_changes_texts_and_keeps_the_schedule(owner: RestEntryPoint, deck: Any, card: Any) -> None:
    changed = owner.made("update_vocab_card", card_id=card["id"], term=" Core ", definition="Holds the DNA.")
    assert changed == card | {"term": "Core", "definition": "Holds the DNA."}
    found = deck_with_cards(owner, deck)
    assert changed in found["cards"]
    assert found["updated_at"] > deck["updated_at"]


@each("field", ["term", "definition"])
def test_it_changes_only_sent_fields(owner: RestEntryPoint, card: Any, field: str) -> None:
    assert owner.made("update_vocab_card", card_id=card["id"], **{field: "New"}) == card | {field: "New"}


def test_an_update_without_effect_keeps_card_and_deck(owner: RestEntryPoint, deck: Any, card: Any) -> None:
    before = deck_with_cards(owner, deck)
    assert owner.made("update_vocab_card", card_id=card["id"]) == card
    assert owner.made("update_vocab_card", card_id=card["id"], term=card["term"]) == card
    assert deck_with_cards(owner, deck) == before


def test_the_change_contains_the_old_values(owner: RestEntryPoint, card: Any) -> None:
    owner.made("update_vocab_card", card_id=card["id"], term="Core", definition=card["definition"])
    [row, *_] = owner.made("list_changes")["data"]
    assert row["object"] == {"type": "card", "id": card["id"], "name": "Nucleus"}
    assert (row["before"], row["after"]) == ({"term": "Nucleus"}, {"term": "Core"})


@pytest.mark.database("both")
def test_it_deletes_the_card_with_its_reviews(owner: RestEntryPoint, deck: Any, card: Any) -> None:
    stats = owner.made("get_practice_stats")
    assert owner.made("delete_vocab_card", card_id=card["id"]) == {"id": card["id"], "deleted": True}
    found = deck_with_cards(owner, deck)
    assert (found["card_count"], found["cards"]) == (1, deck["cards"][1:])
    assert found["updated_at"] > deck["updated_at"]
    assert not Review.objects.exists()
    assert owner.made("get_practice_stats") == stats
    assert owner.call("delete_vocab_card", card_id=card["id"]).error == "not_found"


def test_deleting_the_last_card_leaves_an_empty_deck(owner: RestEntryPoint, deck: Any) -> None:
    for one in deck["cards"]:
        owner.made("delete_vocab_card", card_id=one["id"])
    found = deck_with_cards(owner, deck)
    assert (found["card_count"], found["next_due_at"], found["cards"]) == (0, None, [])


def test_the_change_of_a_deletion_contains_the_deleted_rows(owner: RestEntryPoint, card: Any) -> None:
    owner.made("delete_vocab_card", card_id=card["id"])
    [row, *_] = owner.made("list_changes")["data"]
    assert row["object"] == {"type": "card", "id": card["id"], "name": "Nucleus"}
    assert (row["before"]["definition"], row["before"]["reviews"], row["after"]) == (card["definition"], 1, None)
    assert row["undoable"]
