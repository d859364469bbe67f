"""create_vocab_deck with `if_exists: merge`: entries with a `card_id`, and `merged` and `similar` of the answer."""

from typing import Any
from uuid import uuid4

import pytest

from tests.operations.test_merge_vocab_deck import card, merged, texts
from tests.support.cases import each
from tests.support.entry_points import Answer, RestEntryPoint
from tests.support.tools import mcp_of
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed

pytestmark = pytest.mark.django_db


@pytest.fixture
def deck(owner: RestEntryPoint) -> Any:
    """A deck with cards a, b and c."""
    cards = [card(term, f"{term}!") for term in "abc"]
    return owner.made("create_vocab_deck", name="Organelles", cards=cards)


@pytest.fixture
def ids(deck: Any) -> dict[str, str]:
    return {one["term"]: one["id"] for one in deck["cards"]}


def refused(owner: RestEntryPoint, *cards: Any, **fields: Any) -> Answer:
    given = {"name": "Organelles", "if_exists": "merge"} | fields
    answer = owner.call("create_vocab_deck", cards=list(cards), **given)
    assert answer.error == "validation_failed", answer.body
    return answer


def counts(deck: Any) -> tuple[int, int, int]:
    return deck["merged"]["added"], deck["merged"]["updated"], deck["merged"]["unchanged"]


def test_sent_fields_change_and_the_schedule_stays(owner: RestEntryPoint, deck: Any, ids: Any) -> None:
    known = reviewed(owner, deck["cards"][1], "easy")
    answer = merged(owner, {"card_id": ids["b"], "term": " B "}, {"card_id": ids["c"], "definition": "See."})
    assert known | {"term": "B"} in answer["cards"]
    assert sorted(texts(answer)) == [("B", "b!"), ("a", "a!"), ("c", "See.")]
    assert counts(answer) == (0, 2, 0)
    assert answer["updated_at"] > deck["updated_at"]


def test_an_entry_without_effect_adds_no_change(owner: RestEntryPoint, deck: Any, ids: Any) -> None:
    answer = merged(owner, {"card_id": ids["a"]}, {"card_id": ids["b"], "term": "b", "definition": "b!"})
    assert (counts(answer), answer["updated_at"]) == ((0, 0, 2), deck["updated_at"])
    assert deck_with_cards(owner, deck) == deck


def test_two_cards_can_swap_their_terms(owner: RestEntryPoint, deck: Any, ids: Any) -> None:
    answer = merged(owner, {"card_id": ids["a"], "term": "b"}, {"card_id": ids["b"], "term": "a"})
    assert texts(answer) == [("b", "a!"), ("a", "b!"), ("c", "c!")]


def test_entries_without_an_id_are_compared_with_the_changed_deck(owner: RestEntryPoint, deck: Any, ids: Any) -> None:
    answer = merged(owner, card("a", "New."), card("z", "Zed."), {"card_id": ids["a"], "term": "z"})
    assert texts(answer) == [("z", "Zed."), ("b", "b!"), ("c", "c!"), ("a", "New.")]
    assert counts(answer) == (1, 2, 0)


@each("term", ["b", " b "])
def test_the_term_of_another_card_is_rejected(owner: RestEntryPoint, deck: Any, ids: Any, term: str) -> None:
    answer = refused(owner, card("d", "d!"), {"card_id": ids["a"], "term": term})
    assert answer.fields == ["cards[1].term"]
    both = refused(owner, {"card_id": ids["a"], "term": "x"}, {"card_id": ids["b"], "term": "x"})
    assert both.fields == ["cards[0].term", "cards[1].term"]
    assert deck_with_cards(owner, deck) == deck


def test_an_unchanged_term_is_not_compared(owner: RestEntryPoint) -> None:
    """Two cards may have had the same term since their creation."""
    both = owner.made("create_vocab_deck", name="Words", cards=[card("bank", "x"), card("bank", "y")])["cards"]
    answer = merged(owner, {"card_id": both[1]["id"], "term": "bank", "definition": "z"}, name="Words")
    assert texts(answer) == [("bank", "x"), ("bank", "z")]


def test_an_unknown_card_id_is_rejected(owner: RestEntryPoint, stranger: RestEntryPoint, deck: Any, ids: Any) -> None:
    other = made_deck(owner, "Moss", name="Plants")["cards"][0]["id"]
    theirs = made_deck(stranger, "Moss", name="Organelles")["cards"][0]["id"]
    entries = [{"card_id": one, "definition": "x"} for one in (ids["a"], other, theirs, str(uuid4()), ids["a"])]
    assert refused(owner, *entries).fields == [f"cards[{index}].card_id" for index in (1, 2, 3, 4)]
    assert refused(owner, {"card_id": "x"}).fields == ["cards[0].card_id"]
    assert deck_with_cards(owner, deck) == deck


def test_a_card_id_without_a_deck_to_merge_is_rejected(owner: RestEntryPoint, deck: Any, ids: Any) -> None:
    entry = {"card_id": ids["a"], "definition": "x"}
    assert refused(owner, card("d", "x"), entry, if_exists="create").fields == ["cards[1].card_id"]
    assert refused(owner, card("d", "x"), entry, name="New").fields == ["cards[1].card_id"]
    assert [one["name"] for one in owner.made("list_vocab_decks")["data"]] == ["Organelles"]


def test_null_text_is_rejected_and_a_null_id_is_ignored(owner: RestEntryPoint, deck: Any, ids: Any) -> None:
    wrong = {"card_id": ids["a"], "term": None, "definition": None}
    assert refused(owner, wrong).fields == ["cards[0].term", "cards[0].definition"]
    assert refused(owner, {"card_id": None, "term": "d"}).fields == ["cards[0].definition"]
    assert counts(merged(owner, {"card_id": None} | card("d", "d!"))) == (1, 0, 0)


def test_it_counts_distinct_entries(owner: RestEntryPoint, deck: Any, ids: Any) -> None:
    again = [card("d", "1"), card("d", "2"), card("a", "a!"), card("a", "a!"), card("b", "x"), {"card_id": ids["c"]}]
    assert counts(merged(owner, *again)) == (1, 1, 2)
    assert counts(merged(owner, card("d", "1"), card("d", "2"), card("e", "3"), name="New")) == (2, 0, 0)


def test_only_a_merge_returns_counts(owner: RestEntryPoint) -> None:
    answer = owner.made("create_vocab_deck", name="Organelles", cards=[card("a", "x"), card("A", "x")])
    assert answer.keys().isdisjoint({"merged", "similar"})


SIMILAR = [
    ("Lysosome", "lysosome"),
    ("élan", "Elan"),
    ("Golgi apparatus", "Golgi  Apparatus"),
    ("Golgi apparatus", "Golgiapparatus"),
    ("Energy", "energy."),
    ("Straße", "STRASSE"),
    ("e\u0301tat", "état"),
]
DIFFERENT = [
    ("essen", "gegessen"),
    ("x²", "x2"),
    ("Energy", "Energy.."),
    ("lysosome", "lysosomes"),
    ("か", "が"),
    ("a-b", "ab"),
]


@each(("known", "new"), SIMILAR)
def test_a_term_similar_to_a_stored_one_is_reported(owner: RestEntryPoint, known: str, new: str) -> None:
    [existing] = owner.made("create_vocab_deck", name="Organelles", cards=[card(known, "x")])["cards"]
    answer = merged(owner, card(new, "y"))
    [added] = [one for one in answer["cards"] if one["id"] != existing["id"]]
    told = {"term": new, "card_id": added["id"], "existing": known, "existing_card_id": existing["id"]}
    assert (counts(answer), answer["similar"]) == ((1, 0, 0), [told])


def test_different_terms_are_not_reported(owner: RestEntryPoint) -> None:
    owner.made("create_vocab_deck", name="Organelles", cards=[card(known, "x") for known, _ in DIFFERENT])
    assert merged(owner, *(card(new, "y") for _, new in DIFFERENT))["similar"] == []


def test_similar_terms_within_a_call_are_reported_by_first_position(owner: RestEntryPoint) -> None:
    owner.made("create_vocab_deck", name="Words", cards=[card("Bank", "x"), card("BANK", "y")])
    answer = merged(owner, card("bank", "z"), card("tree", "x"), card("Tree", "y"), card("tree.", "z"), name="Words")
    assert [(one["term"], one["existing"]) for one in answer["similar"]] == [
        ("bank", "Bank"),
        ("Tree", "tree"),
        ("tree.", "tree"),
    ]
    fresh = merged(owner, card("osmosis", "x"), card("Osmosis", "y"), name="New")
    assert [(one["term"], one["existing"]) for one in fresh["similar"]] == [("Osmosis", "osmosis")]


def test_a_term_changed_in_the_same_call_counts(owner: RestEntryPoint, deck: Any, ids: Any) -> None:
    answer = merged(owner, card("A", "x"), card("Moss", "y"), {"card_id": ids["a"], "term": "moss"})
    assert [(one["term"], one["existing_card_id"]) for one in answer["similar"]] == [("Moss", ids["a"])]


def test_at_most_twenty_are_reported(owner: RestEntryPoint) -> None:
    owner.made("create_vocab_deck", name="Organelles", cards=[card(f"t{number}", "x") for number in range(25)])
    answer = merged(owner, *(card(f"T{number}", "x") for number in range(25)), include_cards=False)
    assert [one["term"] for one in answer["similar"]] == [f"T{number}" for number in range(20)]


def test_an_undo_restores_everything(owner: RestEntryPoint, deck: Any, ids: Any) -> None:
    rest = RestEntryPoint(owner.secret)
    swap = [{"card_id": ids["a"], "term": "b"}, {"card_id": ids["b"], "term": "a", "definition": "x"}]
    merged(owner, *swap, card("d", "new"), card("c", "y"))
    [change, *_] = rest.made("list_changes")["data"]
    assert (change["before"], change["after"]) == ({"cards": 3}, {"cards": 4})
    assert rest.call("undo_change", change_id=change["id"]).error is None
    assert texts(deck_with_cards(owner, deck)) == [("a", "a!"), ("b", "b!"), ("c", "c!")]


@each("if_exists", ["merge", "create"])
@pytest.mark.rest
def test_a_tool_calls_the_parameter_card_id(owner: RestEntryPoint, deck: Any, ids: Any, if_exists: str) -> None:
    cards = [card("d", "x"), {"id": ids["a"], "term": "a", "definition": "x"}]
    answer = mcp_of(owner).call("create_vocab_deck", name="Organelles", cards=cards, if_exists=if_exists)
    assert [(one["field"], one["message"]) for one in answer.body["details"]] == [
        ("cards[1].id", "Unknown argument id; did you mean card_id?")
    ]
    assert owner.call("create_vocab_deck", name="Organelles", cards=cards, if_exists=if_exists).error is None


@pytest.mark.rest
def test_a_tool_accepts_a_card_as_it_was_read(owner: RestEntryPoint, deck: Any, ids: Any) -> None:
    read = deck["cards"][0] | {"card_id": ids["a"], "definition": "New."}
    answer = mcp_of(owner).made("create_vocab_deck", name="Organelles", cards=[read], if_exists="merge")
    assert texts(answer)[0] == ("a", "New.")


def test_only_a_card_with_an_id_can_be_suspended(owner: RestEntryPoint, deck: Any, ids: Any) -> None:
    """Without a `card_id`, `suspended` is ignored like unknown fields, so that fetched cards can be sent back."""
    answer = merged(owner, {"card_id": ids["a"], "suspended": True}, {**card("b", "b!"), "suspended": True})
    assert [one["term"] for one in answer["cards"] if one["suspended"]] == ["a"]
    assert (counts(answer), answer["due_count"]) == ((0, 1, 1), 2)
    again = merged(owner, {"card_id": ids["a"], "suspended": True}, {**card("d", "d!"), "suspended": "yes"})
    assert counts(again) == (1, 0, 1)
    assert [one["term"] for one in again["cards"] if one["suspended"]] == ["a"]
    lifted = merged(owner, {"card_id": ids["a"], "suspended": False, "term": "A"})
    assert not any(one["suspended"] for one in lifted["cards"])
    rest = RestEntryPoint(owner.secret)
    [change, *_] = rest.made("list_changes")["data"]
    assert rest.call("undo_change", change_id=change["id"]).error is None
    assert [one["term"] for one in deck_with_cards(owner, deck)["cards"] if one["suspended"]] == ["a"]
    assert refused(owner, {"card_id": ids["b"], "suspended": None}).fields == ["cards[0].suspended"]
