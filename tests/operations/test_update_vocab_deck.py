"""update_vocab_deck: PATCH /v1/vocab-decks/{deck_id}."""

from typing import Any

import pytest

from tests.support.entry_points import RestEntryPoint
from tests.support.samples import UNKNOWN_ID
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements]


@pytest.fixture
def deck(owner: RestEntryPoint) -> Any:
    """A deck of two cards, without a course."""
    return made_deck(owner, "Nucleus", "Ribosome")


def test_it_changes_every_field_and_returns_no_cards(owner: RestEntryPoint, course: Any, deck: Any) -> None:
    changed = owner.made("update_vocab_deck", deck_id=deck["id"], name=" Cells ", course_id=course["id"])
    cards = deck.pop("cards")
    assert changed["updated_at"] > deck["updated_at"]
    new = {"name": "Cells", "course_id": course["id"], "course_name": "Cell Biology"}
    assert changed == deck | new | {"updated_at": changed["updated_at"]}
    assert deck_with_cards(owner, deck) == changed | {"cards": cards}


def test_it_changes_only_sent_fields(owner: RestEntryPoint, course: Any, deck: Any) -> None:
    moved = owner.made("update_vocab_deck", deck_id=deck["id"], course_id=course["id"])
    assert (moved["name"], moved["course_id"]) == ("Organelles", course["id"])
    named = owner.made("update_vocab_deck", deck_id=deck["id"], name="Cells")
    assert (named["name"], named["course_id"]) == ("Cells", course["id"])


def test_null_removes_it_from_its_course(owner: RestEntryPoint, course: Any) -> None:
    deck = made_deck(owner, course_id=course["id"])
    changed = owner.made("update_vocab_deck", deck_id=deck["id"], course_id=None)
    assert (changed["course_id"], changed["course_name"]) == (None, None)


def test_an_update_without_effect_keeps_the_deck(owner: RestEntryPoint, deck: Any) -> None:
    del deck["cards"]
    assert owner.made("update_vocab_deck", deck_id=deck["id"]) == deck
    assert owner.made("update_vocab_deck", deck_id=deck["id"], name=deck["name"], course_id=None) == deck


def test_past_practice_keeps_the_old_name(owner: RestEntryPoint, deck: Any) -> None:
    for _ in range(5):
        reviewed(owner, deck["cards"][0], "again")
    owner.made("update_vocab_deck", deck_id=deck["id"], name="Cells")
    assert [topic["topic"] for topic in owner.made("get_practice_stats")["weak_topics"]] == ["Organelles"]


def test_the_change_contains_the_old_values(owner: RestEntryPoint, course: Any, deck: Any) -> None:
    owner.made("update_vocab_deck", deck_id=deck["id"], name="Cells", course_id=course["id"])
    [row, *_] = owner.made("list_changes")["data"]
    assert (row["operation"], row["undoable"]) == ("update_vocab_deck", True)
    assert row["object"] == {"type": "deck", "id": deck["id"], "name": "Organelles"}
    assert (row["before"], row["after"]) == (
        {"name": "Organelles", "course_id": None},
        {"name": "Cells", "course_id": course["id"]},
    )


def test_another_members_course_looks_unknown(owner: RestEntryPoint, stranger: RestEntryPoint, deck: Any) -> None:
    theirs = stranger.made("create_course", name="Latin")
    for course_id in (theirs["id"], UNKNOWN_ID):
        answer = owner.call("update_vocab_deck", deck_id=deck["id"], course_id=course_id)
        assert (answer.error, answer.fields) == ("validation_failed", ["course_id"]), course_id
    assert deck_with_cards(owner, deck) == deck
