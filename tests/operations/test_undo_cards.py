"""undo_change for calls that add cards (a new deck, a merge, a file), and for changes of a card."""

from pathlib import Path
from typing import Any

import pytest

from tests.operations.test_undo_change import newest, undo, undone
from tests.support.anki_packages import Anki
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements]


@pytest.fixture
def deck(owner: RestEntryPoint) -> Any:
    """A deck of two cards, including them."""
    return deck_with_cards(owner, made_deck(owner, "Nucleus", "Pore"))


def now(owner: RestEntryPoint, deck: Any) -> Any:
    """The current deck with its original timestamp, because an undo changes it."""
    return deck_with_cards(owner, deck) | {"updated_at": deck["updated_at"]}


def merged(owner: RestEntryPoint, deck: Any, **texts: str) -> None:
    cards = [{"term": term, "definition": definition} for term, definition in texts.items()]
    owner.made("create_vocab_deck", name=deck["name"], cards=cards, if_exists="merge")


def imported(owner: RestEntryPoint, table: str, **query: str) -> Any:
    return owner.made("import_vocab_decks", file=table.encode(), **query)


@pytest.mark.database("both")
def test_a_merge_is_one_undo(owner: RestEntryPoint, deck: Any) -> None:
    merged(owner, deck, Pore="A hole", ATP="Energy")
    undone(owner)
    assert now(owner, deck) == deck


def test_a_file_with_new_decks_is_one_undo(owner: RestEntryPoint, deck: Any) -> None:
    decks = imported(owner, "".join(f"Term {n},x\n" for n in range(501)), name="Big")["decks"]
    assert [one["name"] for one in decks] == ["Big", "Big (2)"]
    assert newest(owner)["after"] | {"cards": 501, "decks": 1} == newest(owner)["after"]
    undone(owner)
    assert owner.made("list_vocab_decks")["data"] == [{k: v for k, v in deck.items() if k != "cards"}]


def test_a_merged_file_is_one_undo(owner: RestEntryPoint, deck: Any) -> None:
    imported(owner, "Pore,A hole\nATP,Energy\nPore,An opening\n", name=deck["name"], if_exists="merge")
    assert deck_with_cards(owner, deck)["card_count"] == 3
    undone(owner)
    assert now(owner, deck) == deck


@pytest.mark.database("both")
def test_a_card_changed_twice_in_one_call_is_one_undo(owner: RestEntryPoint, tmp_path: Path) -> None:
    """Two decks of a package are merged because their long names are shortened to the same name."""
    name = "x" * 120
    deck = deck_with_cards(owner, made_deck(owner, "Pore", name=name))
    anki = Anki(tmp_path)
    anki.add(f"{name}1", [("Pore", "A hole"), ("ATP", "Energy")])
    anki.add(f"{name}2", [("Pore", "An opening"), ("ATP", "Fuel")])
    owner.made("import_vocab_decks", file=anki.package(), if_exists="merge")
    anki.close()
    texts = [(card["term"], card["definition"]) for card in deck_with_cards(owner, deck)["cards"]]
    assert sorted(texts) == [("ATP", "Fuel"), ("Pore", "An opening")]
    undone(owner)
    assert now(owner, deck) == deck


def test_added_cards_stay_if_one_was_edited(owner: RestEntryPoint, deck: Any) -> None:
    owner.made("add_vocab_cards", deck_id=deck["id"], cards=[{"term": "ATP", "definition": "Energy"}])
    added = newest(owner)
    [card] = [card for card in deck_with_cards(owner, deck)["cards"] if card["term"] == "ATP"]
    owner.made("update_vocab_card", card_id=card["id"], definition="My own words")
    rewritten = newest(owner)
    refused = undo(owner, added)
    assert (refused.error, "definition of “ATP” was changed since" in refused.body["message"]) == ("conflict", True)
    for change in (rewritten, added):
        assert undo(owner, change).error is None
    assert now(owner, deck) == deck


@pytest.mark.database("both")
def test_a_new_deck_stays_if_a_card_was_edited_or_deleted(owner: RestEntryPoint) -> None:
    deck = made_deck(owner, "Nucleus", "Pore")
    made = newest(owner)
    nucleus, pore = deck["cards"]
    owner.made("update_vocab_card", card_id=nucleus["id"], term="Core")
    owner.made("delete_vocab_card", card_id=pore["id"])
    later = owner.made("list_changes", limit=2)["data"]
    for change in later:
        assert undo(owner, made).error == "conflict"
        assert undo(owner, change).error is None
    assert undo(owner, made).error is None
    assert owner.made("list_vocab_decks")["data"] == []


def test_a_deleted_card_is_restored_with_its_reviews(owner: RestEntryPoint, deck: Any) -> None:
    card = deck["cards"][0]
    reviewed(owner, card, "good")
    before = deck_with_cards(owner, deck)
    owner.made("delete_vocab_card", card_id=card["id"])
    undone(owner)
    assert now(owner, deck) == before | {"updated_at": deck["updated_at"]}


def test_a_deleted_card_is_not_restored_to_a_full_deck(owner: RestEntryPoint, deck: Any) -> None:
    owner.made("delete_vocab_card", card_id=deck["cards"][0]["id"])
    deleted = newest(owner)
    many = [{"term": f"Term {n}", "definition": "x"} for n in range(499)]
    owner.made("add_vocab_cards", deck_id=deck["id"], cards=many)
    full = deck_with_cards(owner, deck)
    refused = undo(owner, deleted)
    assert (refused.error, "at most 500 cards" in refused.body["message"]) == ("conflict", True)
    assert deck_with_cards(owner, deck) == full


def test_a_new_deck_with_practice_stays(owner: RestEntryPoint) -> None:
    """The attempt remains after its card, and belongs to the deck."""
    deck = made_deck(owner, "Nucleus", "Pore")
    made = newest(owner)
    reviewed(owner, deck["cards"][0], "good")
    review = newest(owner)
    refused = undo(owner, made)
    assert refused.body["message"] == "“Nucleus” has 1 review by now. Undo or delete that first, then undo this."
    owner.made("delete_vocab_card", card_id=deck["cards"][0]["id"])
    assert undo(owner, made).error == "conflict"
    for change in (newest(owner), review, made):
        assert undo(owner, change).error is None
    assert owner.made("get_practice_stats", days=1)["attempts"] == 0
