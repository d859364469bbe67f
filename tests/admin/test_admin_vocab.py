"""Decks, cards and desired retention in the admin."""

from collections.abc import Callable
from threading import Event
from time import sleep
from typing import Any
from unittest.mock import patch
from uuid import UUID

import pytest
from django.test import Client

from accounts.models import Member
from studyservice.changes.calls import acting, command
from studyservice.rows.access import Access, change
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed
from vocab.models import Deck, Review
from vocab.reviews import record_review


@pytest.fixture
def deck(owner: RestEntryPoint) -> Any:
    deck = made_deck(owner, "Nucleus", "Ribosome")
    reviewed(owner, deck["cards"][0], "again")
    return deck


@pytest.mark.same_statements
def test_decks_are_found_by_name_and_member(admin: Client, deck: Any) -> None:
    for query in ("organ", "owner@example.org"):
        page = admin.get("/admin/vocab/deck/", {"q": query}).content.decode()
        assert deck["id"] in page
    assert deck["id"] not in admin.get("/admin/vocab/deck/", {"q": "botany"}).content.decode()


def test_a_deck_can_be_renamed_and_moved_to_a_course(
    admin: Client, owner: RestEntryPoint, deck: Any, course: Any
) -> None:
    form = {"name": "Cell parts", "course": course["id"]}
    assert admin.post(f"/admin/vocab/deck/{deck['id']}/change/", form).status_code == 302
    found = deck_with_cards(owner, deck)
    assert (found["name"], found["course_name"]) == ("Cell parts", "Cell Biology")
    assert found["updated_at"] > deck["updated_at"]


@pytest.mark.same_statements
def test_another_members_course_is_rejected(
    admin: Client, owner: RestEntryPoint, stranger: RestEntryPoint, deck: Any
) -> None:
    foreign = stranger.made("create_course", name="Botany")
    form = {"name": "Cell parts", "course": foreign["id"]}
    page = admin.post(f"/admin/vocab/deck/{deck['id']}/change/", form)
    assert "This is a course of another member." in page.content.decode()
    assert deck_with_cards(owner, deck)["course_id"] is None


@each("together", [True, False])
def test_a_deck_is_deleted_but_its_practice_is_kept(
    admin: Client, owner: RestEntryPoint, deck: Any, together: bool
) -> None:
    if together:
        form = {"action": "delete_selected", "_selected_action": deck["id"], "post": "yes"}
        admin.post("/admin/vocab/deck/", form)
    else:
        admin.post(f"/admin/vocab/deck/{deck['id']}/delete/", {"post": "yes"})
    assert owner.made("list_vocab_decks")["data"] == []
    assert owner.made("get_practice_stats")["attempts"] == 1


def test_the_cards_of_a_deck_are_linked(admin: Client, owner: RestEntryPoint, deck: Any) -> None:
    other = made_deck(owner, "Potosí", name="History")
    page = admin.get(f"/admin/vocab/deck/{deck['id']}/change/").content.decode()
    link = f"/admin/vocab/card/?deck__id__exact={deck['id']}"
    assert f'<a href="{link}">2 cards</a>' in page
    cards = admin.get(link).content.decode()
    assert deck["cards"][0]["id"] in cards
    assert other["cards"][0]["id"] not in cards


def test_a_corrected_card_keeps_its_schedule(admin: Client, owner: RestEntryPoint, deck: Any) -> None:
    [_, before] = sorted(deck_with_cards(owner, deck)["cards"], key=lambda card: card["reps"])
    form = {"term": "The nucleus", "definition": "Holds the DNA.", "state": "new", "reps": 0}
    form |= {"reviews-TOTAL_FORMS": 0, "reviews-INITIAL_FORMS": 0}
    assert admin.post(f"/admin/vocab/card/{before['id']}/change/", form).status_code == 302
    [_, after] = sorted(deck_with_cards(owner, deck)["cards"], key=lambda card: card["reps"])
    assert after == before | {"term": "The nucleus", "definition": "Holds the DNA."}


def test_a_card_shows_its_review_log(admin: Client, deck: Any) -> None:
    page = admin.get(f"/admin/vocab/card/{deck['cards'][0]['id']}/change/").content.decode()
    assert "again, 20" in page


@pytest.mark.django_db(transaction=True)
def test_deleting_a_card_waits_for_a_running_review(
    admin: Client, owner: RestEntryPoint, owner_member: Member, deck: Any, in_threads: Callable[..., list[Any]]
) -> None:
    """The review's log row is deleted with the card. Its attempt remains."""
    card = deck["cards"][1]["id"]
    begun = Event()

    def review() -> None:
        access = Access(owner_member)
        with acting(command("test")), change(access, "review_vocab_card"):
            record_review(access, UUID(card), rating="good", at=access.now)
            begun.set()
            sleep(1)  # the deletion begins in the meantime

    def delete() -> int:
        begun.wait(timeout=30)
        return admin.post(f"/admin/vocab/card/{card}/delete/", {"post": "yes"}).status_code

    assert in_threads(lambda one: one(), [review, delete]) == [None, 302]
    assert [left["term"] for left in deck_with_cards(owner, deck)["cards"]] == ["Nucleus"]
    assert (Review.objects.filter(card=card).count(), owner.made("get_practice_stats")["attempts"]) == (0, 2)


@each(("path", "form"), [("card", {"term": "a", "definition": "b"}), ("deck", {"name": "a"})])
def test_a_card_deleted_while_its_form_was_open_is_reported(
    admin: Client, owner: RestEntryPoint, deck: Any, path: str, form: dict[str, Any]
) -> None:
    """The card is deleted between rendering the page and saving it."""
    one = {"card": deck["cards"][1]["id"], "deck": deck["id"]}[path]
    form |= {"reviews-TOTAL_FORMS": 0, "reviews-INITIAL_FORMS": 0}

    def gone(*_: Any, **__: Any) -> None:
        Deck.objects.get().delete()

    with patch("django.forms.ModelForm._post_clean", side_effect=gone):
        response = admin.post(f"/admin/vocab/{path}/{one}/change/", form)
    assert response.status_code == 302
    assert "was deleted meanwhile" in admin.get("/admin/").content.decode()


def test_attempts_are_read_only(admin: Client, owner: RestEntryPoint, deck: Any) -> None:
    from practice.models import Attempt

    listed = admin.get("/admin/practice/attempt/").content.decode()
    assert "Organelles" in listed
    assert "/admin/practice/attempt/add/" not in listed
    page = admin.get(f"/admin/practice/attempt/{Attempt.objects.get().id}/change/").content.decode()
    assert "Organelles" in page
    assert 'name="_save"' not in page
