"""The cards of a day and their order: list_vocab_decks with due_only, and the counts of decks."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from accounts.models import Member
from studyservice.rates import limiter as rates
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed
from vocab.models import Card

pytestmark = pytest.mark.django_db

NOON = datetime(2030, 5, 6, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def at(moment: datetime) -> Any:
    rates.clear()
    return time_machine.travel(moment, tick=False)


def limited(member: Any, number: int | None) -> None:
    Member.objects.filter(id=member.id).update(new_cards_a_day=number)


def asked(owner: RestEntryPoint, deck: Any, **options: Any) -> list[str]:
    return [card["term"] for card in deck_with_cards(owner, deck, due_only=True, **options)["cards"]]


def counts(owner: RestEntryPoint, deck: Any) -> tuple[int, int, int]:
    [found] = owner.made("list_vocab_decks", deck_id=deck["id"])["data"]
    return found["due_count"], found["new_count"], found["today_count"]


def test_learning_cards_precede_reviews_and_then_new_cards_by_position(owner: RestEntryPoint) -> None:
    with at(NOON):
        deck = made_deck(owner, "new 1", "late", "early", "lapsed", "learning", "new 2")
        cards = {card["term"]: card for card in deck["cards"]}
        reviewed(owner, cards["lapsed"], "easy")
    with at(NOON + timedelta(hours=1)):
        reviewed(owner, cards["early"], "easy")
    with at(NOON + timedelta(hours=2)):
        reviewed(owner, cards["late"], "easy")
    with at(NOON + 30 * DAY):
        reviewed(owner, cards["lapsed"], "again")
        reviewed(owner, cards["learning"], "again")
    with at(NOON + 31 * DAY):
        assert asked(owner, deck) == ["learning", "lapsed", "early", "late", "new 1", "new 2"]
        assert asked(owner, deck, limit=3) == ["learning", "lapsed", "early"]


def test_new_cards_stop_at_the_limit_of_the_day(owner: RestEntryPoint, owner_member: Any) -> None:
    with at(NOON):
        deck = made_deck(owner, "a", "b", "c", "d")
        other = made_deck(owner, "x", "y", name="Other")
        limited(owner_member, 2)
        assert asked(owner, deck) == ["a", "b"]
        assert (counts(owner, deck), counts(owner, other)) == ((4, 4, 2), (2, 2, 2))
        reviewed(owner, other["cards"][0], "easy")
        assert asked(owner, deck) == ["a"]
        assert (counts(owner, deck), counts(owner, other)) == ((4, 4, 1), (1, 1, 1))
        for card in deck["cards"][:2]:  # one more than the limit is still accepted
            reviewed(owner, card, "easy")
        assert asked(owner, deck) == []
        assert counts(owner, deck) == (2, 2, 0)
        reviewed(owner, deck["cards"][0], "good")  # a second review does not count as a new card
        assert counts(owner, other) == (1, 1, 0)
    with at(NOON + DAY):
        assert asked(owner, deck, limit=1) == ["c"]
        assert counts(owner, deck) == (2, 2, 2)


def test_every_new_card_is_due_without_a_limit(owner: RestEntryPoint, owner_member: Any) -> None:
    deck = made_deck(owner, *(f"term {number:02}" for number in range(30)))
    assert len(asked(owner, deck)) == 20
    limited(owner_member, None)
    assert len(asked(owner, deck)) == 30
    limited(owner_member, 0)
    assert (asked(owner, deck), counts(owner, deck)) == ([], (30, 30, 0))


def test_a_new_day_begins_at_the_members_midnight(owner: RestEntryPoint, owner_member: Any) -> None:
    Member.objects.filter(id=owner_member.id).update(time_zone="Asia/Tokyo", new_cards_a_day=1)
    with at(datetime(2030, 5, 6, 14, 59, tzinfo=UTC)):
        deck = made_deck(owner, "a", "b")
        reviewed(owner, deck["cards"][0], "easy")
        assert asked(owner, deck) == []
    with at(datetime(2030, 5, 6, 15, 1, tzinfo=UTC)):
        assert asked(owner, deck) == ["b"]


def test_deleting_a_deck_does_not_reset_the_new_cards_of_the_day(owner: RestEntryPoint, owner_member: Any) -> None:
    limited(owner_member, 1)
    gone, deck = made_deck(owner, "x", name="Gone"), made_deck(owner, "a", "b")
    reviewed(owner, gone["cards"][0], "good")
    owner.made("delete_vocab_deck", deck_id=gone["id"])
    assert (asked(owner, deck), counts(owner, deck)) == ([], (2, 2, 0))


@pytest.mark.rest
def test_undoing_a_first_review_frees_a_new_card(owner: RestEntryPoint, owner_member: Any) -> None:
    limited(owner_member, 1)
    deck = made_deck(owner, "a", "b")
    reviewed(owner, deck["cards"][0], "good")
    assert counts(owner, deck)[2] == 0
    owner.made("undo_change", change_id=owner.made("list_changes")["data"][0]["id"])
    assert (asked(owner, deck), counts(owner, deck)) == (["a"], (2, 2, 1))


@pytest.mark.rest
def test_a_suspended_card_is_neither_due_nor_counted(owner: RestEntryPoint, course: Any) -> None:
    deck = made_deck(owner, "a", "b", "c", course_id=course["id"])
    a, b, c = deck["cards"]
    reviewed(owner, b, "easy")
    before = deck_with_cards(owner, deck)
    for card in (a, b):
        assert owner.made("update_vocab_card", card_id=card["id"], suspended=True)["suspended"] is True
    assert (asked(owner, deck), counts(owner, deck)) == (["c"], (1, 1, 1))
    found = deck_with_cards(owner, deck)
    assert (found["card_count"], {card["term"] for card in found["cards"]}) == (3, {"a", "b", "c"})
    today = owner.made("get_me")["today"]
    [readiness] = [one["readiness"] for one in owner.made("list_vocab_decks", on=today)["data"]]
    assert (readiness["expected_recall"], readiness["unseen"]) == (0.0, 1)
    owner.made("update_vocab_card", card_id=c["id"], suspended=True)
    found = deck_with_cards(owner, deck)
    assert (found["due_count"], found["new_count"], found["today_count"], found["next_due_at"]) == (0, 0, 0, None)
    assert owner.made("list_vocab_decks", on=today)["data"][0]["readiness"]["expected_recall"] is None
    for card in (a, b, c):
        owner.made("update_vocab_card", card_id=card["id"], suspended=False)
    stamps = {"updated_at": deck_with_cards(owner, deck)["updated_at"]}
    assert deck_with_cards(owner, deck) == before | stamps


@pytest.mark.rest
def test_an_exam_with_only_suspended_cards_has_no_readiness(owner: RestEntryPoint, course: Any) -> None:
    today = owner.made("get_me")["today"]
    exam = owner.made("create_item", course_id=course["id"], title="Final", kind="exam", due_on=today)
    [card] = made_deck(owner, "a", course_id=course["id"])["cards"]
    assert [one["item_id"] for one in owner.made("get_agenda")["readiness"]] == [exam["id"]]
    owner.made("update_vocab_card", card_id=card["id"], suspended=True)
    assert owner.made("get_agenda")["readiness"] == []
    assert owner.made("get_item", item_id=exam["id"])["readiness"]["expected_recall"] is None


@pytest.mark.rest
def test_a_suspended_card_can_be_reviewed(owner: RestEntryPoint) -> None:
    [card] = made_deck(owner, "a")["cards"]
    owner.made("update_vocab_card", card_id=card["id"], suspended=True)
    found = reviewed(owner, card, "good")
    assert (found["reps"], found["suspended"]) == (1, True)


@pytest.mark.rest
def test_suspending_is_logged_and_can_be_undone(owner: RestEntryPoint) -> None:
    [card] = made_deck(owner, "a")["cards"]
    assert owner.call("update_vocab_card", card_id=card["id"], suspended=None).fields == ["suspended"]
    owner.made("update_vocab_card", card_id=card["id"], suspended=True)
    [change, *_] = owner.made("list_changes")["data"]
    assert (change["before"], change["after"]) == ({"suspended": False}, {"suspended": True})
    owner.made("undo_change", change_id=change["id"])
    assert Card.objects.get().suspended is False
