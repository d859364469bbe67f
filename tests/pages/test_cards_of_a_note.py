"""Gaps of one text do not follow each other on the study pages while another card is left."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Member
from tests.pages.test_extra_study import asked, follow
from tests.pages.test_study_page import Page, due
from tests.support.entry_points import RestEntryPoint
from tests.support.statements import named
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed, sent_deck
from vocab.models import Card

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.database("both")]


def note(name: str, gaps: int = 2) -> str:
    """A text with gaps, whose cards are `A1`, `A2` and so on."""
    return " ".join(f"{{{{c{number}::{name}::{name}{number}}}}}" for number in range(1, gaps + 1)) + "\t\n"


def cloze_deck(owner: RestEntryPoint, *notes: str, name: str = "Texts", **query: str) -> Any:
    """The cards of a deck with these notes."""
    file = f"#separator:tab\n#html:false\n#notetype:Cloze\n#deck:{name}\n{''.join(notes)}".encode()
    [deck] = sent_deck(owner, file, "Texts.txt", **query).json()["decks"]
    return deck_with_cards(owner, deck, order="position")["cards"]


def gaps(terms: list[str]) -> list[str]:
    """The names of the asked gaps; `[A1] A` is A1."""
    return [term.partition("[")[2].partition("]")[0] or term for term in terms]


def test_new_gaps_alternate_and_the_last_ones_follow(browser: Client, owner: RestEntryPoint) -> None:
    cloze_deck(owner, note("A", 3), note("B"))
    assert gaps(asked(Page(browser))) == ["A1", "B1", "A2", "B2", "A3"]
    cloze_deck(owner, note("C", 3), name="Other")
    assert gaps(asked(Page(browser))) == ["C1", "C2", "C3"], "nothing else is left"


def test_a_review_waits_for_a_review_and_then_for_a_new_card(browser: Client, owner: RestEntryPoint) -> None:
    cards = cloze_deck(owner, note("A", 3))
    plain = made_deck(owner, "review", "new")["cards"]
    for hours, card in enumerate((plain[0], cards[2], cards[1], cards[0]), 1):
        due(owner, card, "easy", hours=hours)
    assert gaps(asked(Page(browser))) == ["review", "A1", "new", "A2", "A3"]


def test_a_new_gap_waits_for_a_card_of_another_deck(browser: Client, owner: RestEntryPoint) -> None:
    cloze_deck(owner, note("A"))
    made_deck(owner, "plain")
    assert gaps(asked(Page(browser))) == ["A1", "plain", "A2"]


def test_cards_studied_ahead_alternate(browser: Client, owner: RestEntryPoint, time_machine: Any) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")
    for hours, card in enumerate(cloze_deck(owner, note("A"), note("B")), 1):
        reviewed(owner, card, "easy")
        Card.objects.filter(id=card["id"]).update(due_at=timezone.now() + timedelta(hours=hours))
    reviewed(owner, made_deck(owner, "last")["cards"][0], "easy")
    time_machine.shift(60)
    page = Page(browser)
    follow(page, "Study ahead")
    assert gaps(asked(page)) == ["A1", "B1", "A2", "B2"]


def test_gaps_alternate_when_studying_for_an_exam(browser: Client, owner: RestEntryPoint, owner_member: Member) -> None:
    course = owner.made("create_course", name="Biology")
    day = str(owner_member.today() + timedelta(days=1))
    item = owner.made("create_item", course_id=course["id"], title="Midterm", kind="exam", due_on=day)
    cloze_deck(owner, note("A", 3), note("B"), course_id=course["id"])
    page = Page(browser, f"/items/{item['id']}/study?minutes=20")
    assert gaps(asked(page)) == ["A1", "B1", "A2", "B2", "A3"]


def test_an_answer_elsewhere_counts_and_an_undone_card_comes_back(browser: Client, owner: RestEntryPoint) -> None:
    cards = cloze_deck(owner, note("A", 3), note("B"))
    reviewed(owner, cards[0], "easy")
    page = Page(browser)
    assert gaps([page.term or ""]) == ["B1"]
    page.send("easy")
    page.undo()
    assert gaps([page.term or ""]) == ["B1"]


def test_its_statements_are_few(browser: Client, owner: RestEntryPoint) -> None:
    for course_name in ("Biology", "Physics"):
        course = owner.made("create_course", name=course_name)
        cards = cloze_deck(owner, note(course_name), name=course_name, course_id=course["id"])
    due(owner, cards[0], "easy", hours=1)
    reviewed(owner, cards[1], "easy")
    with named() as queries:
        page = Page(browser, f"/study?sitting={'x' * 10}&card={cards[1]['id']}")
    assert gaps([page.term or ""]) == ["Biology1"]
    assert len(queries) <= 8
