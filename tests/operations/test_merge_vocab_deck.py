"""create_vocab_deck with `if_exists`: cards are merged into the deck with the same name."""

from typing import Any

import pytest

from tests.support.entry_points import RestEntryPoint
from tests.support.factories import DeckFactory, stored
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed

pytestmark = pytest.mark.same_statements


def card(term: str, definition: str) -> dict[str, str]:
    return {"term": term, "definition": definition}


def merged(entry_point: RestEntryPoint, *cards: Any, name: str = "Organelles", **fields: Any) -> Any:
    return entry_point.made("create_vocab_deck", name=name, cards=list(cards), if_exists="merge", **fields)


def texts(deck: Any) -> list[tuple[str, str]]:
    return [(one["term"], one["definition"]) for one in deck["cards"]]


def names(entry_point: RestEntryPoint) -> list[str]:
    return [deck["name"] for deck in entry_point.made("list_vocab_decks")["data"]]


@pytest.fixture
def deck(owner: RestEntryPoint) -> Any:
    """A deck of two cards."""
    cards = [card("Nucleus", "Holds the DNA."), card("Ribosome", "Makes proteins.")]
    return owner.made("create_vocab_deck", name="Organelles", cards=cards)


def test_it_adds_new_terms_and_replaces_definitions(owner: RestEntryPoint, deck: Any) -> None:
    answer = merged(owner, card(" Ribosome ", "Reads RNA."), card("Vacuole", "Stores."), name="  ORGANELLES ")
    assert (answer["id"], answer["name"], answer["card_count"]) == (deck["id"], "Organelles", 3)
    assert texts(answer) == [("Nucleus", "Holds the DNA."), ("Ribosome", "Reads RNA."), ("Vacuole", "Stores.")]
    assert answer["updated_at"] > deck["updated_at"]
    assert names(owner) == ["Organelles"]


def test_known_terms_keep_their_schedule(owner: RestEntryPoint, deck: Any) -> None:
    known = reviewed(owner, deck["cards"][0], "easy")
    answer = merged(owner, card("Nucleus", "Core."))
    assert known | {"definition": "Core."} in answer["cards"]


def test_terms_are_compared_exactly(owner: RestEntryPoint, deck: Any) -> None:
    answer = merged(owner, card("nucleus", "Another."), card("Nucle us", "A third."))
    assert [one["term"] for one in answer["cards"]] == ["Nucleus", "Ribosome", "nucleus", "Nucle us"]


def test_the_last_of_two_equal_entries_counts(owner: RestEntryPoint, deck: Any) -> None:
    answer = merged(
        owner, card("Vacuole", "First."), card("Nucleus", "x"), card("Vacuole", "Last."), card("Nucleus", "y")
    )
    assert texts(answer) == [("Nucleus", "y"), ("Ribosome", "Makes proteins."), ("Vacuole", "Last.")]


def test_a_term_with_several_cards_is_kept_if_one_matches(owner: RestEntryPoint) -> None:
    both = [card("Bank", "Of a river."), card("Bank", "For money.")]
    owner.made("create_vocab_deck", name="Words", cards=both)
    assert texts(merged(owner, both[1], name="Words")) == [(one["term"], one["definition"]) for one in both]
    assert texts(merged(owner, card("Bank", "A bench."), name="Words"))[0] == ("Bank", "A bench.")


def test_cards_are_merged_into_the_oldest_deck_of_that_name(owner: RestEntryPoint, deck: Any) -> None:
    younger = made_deck(owner, "Golgi", name="organelles")
    merged(owner, card("Vacuole", "Stores."))
    assert (len(deck_with_cards(owner, deck)["cards"]), deck_with_cards(owner, younger)) == (3, younger)


def test_it_keeps_its_course(owner: RestEntryPoint, course: Any, deck: Any) -> None:
    assert merged(owner, card("Vacuole", "Stores."), course_id=course["id"])["course_id"] is None


def test_a_missing_deck_is_created(owner: RestEntryPoint, stranger: RestEntryPoint, course: Any, deck: Any) -> None:
    theirs = made_deck(stranger, "Alga", name="Plants")
    answer = merged(
        owner, card("Alga", "First."), card("Alga", "Last."), name=" Plants ", course_id=course["id"]
    )  # fmt: skip
    assert (answer["name"], answer["course_id"], texts(answer)) == ("Plants", course["id"], [("Alga", "Last.")])
    assert deck_with_cards(stranger, theirs) == theirs


def test_create_adds_another_deck_with_the_same_name(owner: RestEntryPoint, deck: Any) -> None:
    cards = [card("Nucleus", "x"), card("Nucleus", "y")]
    another = owner.made("create_vocab_deck", name="Organelles", cards=cards, if_exists="create")
    assert (another["id"] != deck["id"], another["card_count"]) == (True, 2)


@pytest.mark.rest
def test_it_is_200_if_no_deck_was_created(owner: RestEntryPoint) -> None:
    sent = {"name": "Organelles", "cards": [card("Nucleus", "Core.")], "if_exists": "merge"}
    assert [owner.call("create_vocab_deck", **sent).status for _ in range(2)] == [201, 200]


def test_a_merge_without_news_changes_nothing(owner: RestEntryPoint, deck: Any) -> None:
    rows = len(owner.made("list_changes")["data"]) if type(owner) is RestEntryPoint else 0
    counts = {"merged": {"added": 0, "updated": 0, "unchanged": 1}, "similar": []}
    assert merged(owner, card("Nucleus", "Holds the DNA.")) == deck | counts
    if rows:
        assert len(owner.made("list_changes")["data"]) == rows


@pytest.mark.rest
def test_the_change_names_the_deck_and_counts_cards(owner: RestEntryPoint, deck: Any) -> None:
    merged(owner, card("Nucleus", "Core."), card("Vacuole", "Stores."), card("Golgi", "Ships."))
    [row, *_] = owner.made("list_changes")["data"]
    assert (row["operation"], row["undoable"]) == ("create_vocab_deck", True)
    assert row["object"] == {"type": "deck", "id": deck["id"], "name": "Organelles"}
    assert (row["before"], row["after"]) == ({"cards": 1}, {"cards": 3})


@pytest.mark.rest
def test_exceeding_500_cards_is_a_conflict_and_changes_nothing(owner: RestEntryPoint, deck: Any) -> None:
    many = [card(f"Term {n}", "x") for n in range(499)]
    answer = owner.call("create_vocab_deck", name="Organelles", cards=[card("Nucleus", "y"), *many], if_exists="merge")
    assert answer.error == "conflict"
    assert deck_with_cards(owner, deck) == deck


def test_merging_works_at_100_decks(owner: RestEntryPoint, owner_member: Any, deck: Any) -> None:
    stored(DeckFactory, 99, member=owner_member)
    assert merged(owner, card("Vacuole", "Stores."))["card_count"] == 3
    sent = {"name": "Plants", "cards": [card("Alga", "x")], "if_exists": "merge"}
    assert owner.call("create_vocab_deck", **sent).error == "conflict"


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_parallel_merges_create_one_deck(owner: RestEntryPoint, in_threads: Any) -> None:
    answers = in_threads(lambda n: merged(owner, card(f"Term {n}", "x"), card("Same", f"{n}")), list(range(8)))
    assert len({answer["id"] for answer in answers}) == 1
    found = deck_with_cards(owner, answers[0])
    assert sorted(one["term"] for one in found["cards"]) == ["Same", *(f"Term {n}" for n in range(8))]


@pytest.mark.rest
def test_a_repeated_call_keeps_its_status(owner: RestEntryPoint, deck: Any) -> None:
    sent = {"name": "Organelles", "cards": [card("Vacuole", "Stores.")], "if_exists": "merge"}
    first, again = (
        owner.request("POST", "/v1/vocab-decks", json=sent, headers={"Idempotency-Key": "once"}) for _ in range(2)
    )
    assert (first.status_code, again.status_code, again.headers["Idempotency-Replayed"]) == (200, 200, "true")
    assert first.content == again.content
