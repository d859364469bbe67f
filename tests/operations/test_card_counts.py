"""The stored `card_count` of a deck always equals the number of its cards."""

import pytest
from django.test import Client

from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import made_deck
from vocab.models import Deck


def counts() -> dict[str, int]:
    return dict(Deck.objects.values_list("name", "card_count"))


def test_a_new_deck_counts_its_cards(owner: RestEntryPoint) -> None:
    made_deck(owner, "a", "b", "c")
    assert [deck["card_count"] for deck in owner.made("list_vocab_decks")["data"]] == [3]


@pytest.mark.rest
def test_a_card_deleted_by_an_operator_is_no_longer_counted(owner: RestEntryPoint, admin: Client) -> None:
    first, _ = made_deck(owner, "a", "b")["cards"]
    made_deck(owner, "c", name="Another")
    for _ in range(2):  # a late request finds no card
        admin.post(f"/admin/vocab/card/{first['id']}/delete/", {"post": "yes"})
    assert counts() == {"Organelles": 1, "Another": 1}
