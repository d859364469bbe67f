"""Studying more than the day asks: further new cards, and cards of the next days."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.pages.test_study_page import Page
from tests.support.entry_points import RestEntryPoint
from tests.support.statements import named
from tests.support.vocabulary import made_deck, reviewed
from vocab.models import Card

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.database("sqlite", "pages call tested operations")]

WORDS = tuple(f"word {number:02}" for number in range(1, 16))


def follow(page: Page, label: str) -> None:
    """Follow the button with this label; its address names the sitting from then on."""
    found = re.search(rf'<a class="button[^"]*" href="([^"]*)">{label}</a>', page.text)
    assert found, page.text
    page.path = found.group(1).replace("&amp;", "&")
    page.load(page.path)


def asked(page: Page, rating: str = "easy") -> list[str]:
    """Answer every card that the page asks, and return their terms."""
    terms = []
    while page.term:
        terms.append(page.term)
        page.send(rating)
    return terms


def due_in(card: Any, days: float) -> None:
    Card.objects.filter(id=card["id"]).update(due_at=timezone.now() + timedelta(days=days))


@pytest.mark.database("both")
@pytest.mark.parametrize("path", ["/study", "deck"])
def test_ten_more_new_cards_are_asked_in_this_sitting_only(browser: Client, owner: RestEntryPoint, path: str) -> None:
    owner.made("update_me", new_cards_a_day=2)
    deck = made_deck(owner, *WORDS)
    page = Page(browser, path if path == "/study" else f"/decks/{deck['id']}/study")
    assert asked(page) == [*WORDS[:2]]
    assert "Today's 2 new cards are used up. Study 10 more?" in page.text
    follow(page, "10 more new cards")
    assert page.left == "10"
    assert Page(browser).term is None
    assert asked(page) == [*WORDS[2:12]]
    assert "You answered 12 cards." in page.text
    follow(page, "3 more new cards")
    assert asked(page) == [*WORDS[12:]]
    assert "more new card" not in page.text
    assert owner.made("get_me")["new_cards_a_day"] == 2


def test_an_undone_new_card_is_asked_again(browser: Client, owner: RestEntryPoint) -> None:
    owner.made("update_me", new_cards_a_day=0)
    made_deck(owner, *WORDS)
    page = Page(browser)
    assert "Your profile allows no new cards a day. Study 10 more?" in page.text
    follow(page, "10 more new cards")
    page.send("easy")
    undo = page.path.replace("/study?", "/study/undo?")
    answer = re.findall(r'name="answer" value="([^"]+)"', page.text)[0]
    sitting = re.findall(r'name="sitting" value="(\w+)"', page.text)[0]
    response = browser.post(undo, {"sitting": sitting, "answer": answer})
    page.load(response.headers["Location"])
    assert (page.term, page.left) == (WORDS[0], "10")


def test_more_new_cards_end_with_the_day(browser: Client, owner: RestEntryPoint, time_machine: Any) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")
    owner.made("update_me", new_cards_a_day=2)
    made_deck(owner, *WORDS)
    page = Page(browser)
    asked(page)
    follow(page, "10 more new cards")
    time_machine.move_to("2026-11-22T12:00:00Z")
    page.load(page.path)
    assert page.left == "2"


def test_without_a_limit_or_further_cards_there_is_no_button(browser: Client, owner: RestEntryPoint) -> None:
    made_deck(owner, "one", "two")
    page = Page(browser)
    asked(page)
    assert "more new card" not in page.text
    assert "Study ahead" not in page.text, "both are due in more than seven days"


@pytest.mark.database("both")
def test_cards_of_seven_days_are_studied_ahead_soonest_first(
    browser: Client, owner: RestEntryPoint, time_machine: Any
) -> None:
    """By the member's date: the eighth day begins at midnight in the member's zone."""
    time_machine.move_to("2026-11-21T12:00:00Z")
    owner.made("update_me", time_zone="Pacific/Auckland")
    cards = made_deck(owner, "eighth", "seventh", "tomorrow", "suspended", "today")["cards"]
    for card in cards:
        reviewed(owner, card, "easy")
    for card, due_at in zip(cards, ("29T11:00", "29T10:59", "22T12:00", "23T12:00", "21T12:30"), strict=True):
        Card.objects.filter(id=card["id"]).update(due_at=f"2026-11-{due_at}:00Z")
    owner.made("update_vocab_card", card_id=cards[3]["id"], suspended=True)
    time_machine.shift(60)
    page = Page(browser)
    assert "Ahead: 3 cards fall due within 7 days." in page.text
    follow(page, "Study ahead")
    assert page.left == "3"
    assert asked(page, "hard") == ["today", "tomorrow", "seventh"], "each once, although due again within seven days"
    assert "Study ahead" not in page.text
    assert Card.objects.get(term="tomorrow").reps == 2
    assert owner.made("list_changes", limit=1)["data"][0]["operation"] == "review_vocab_card"


def test_a_card_forgotten_while_studying_ahead_comes_again(
    browser: Client, owner: RestEntryPoint, time_machine: Any
) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z", tick=False)
    cards = made_deck(owner, "one", "two")["cards"]
    for card in cards:
        reviewed(owner, card, "easy")
        due_in(card, 2)
    time_machine.shift(60)
    page = Page(browser)
    follow(page, "Study ahead")
    page.send("again")
    assert page.term == "two"
    time_machine.shift(3600)
    page.load(page.path)
    assert (page.term, page.left) == ("one", "2")


def test_the_card_changed_in_between_is_studied_on(browser: Client, owner: RestEntryPoint) -> None:
    owner.made("update_me", new_cards_a_day=0)
    made_deck(owner, *WORDS)
    page = Page(browser)
    follow(page, "10 more new cards")
    changing = re.findall(r'<a href="([^"]*)">Change this card', page.text)[0].replace("&amp;", "&")
    saved = browser.post(changing, {"term": "one", "definition": "1"})
    page.load(saved.headers["Location"])
    assert (page.term, page.left) == ("one", "10")


@pytest.mark.parametrize("query", ["new=x", "new=-1", "new=10", "ahead=x", "ahead=99999999999999", "new=10&on=today"])
def test_other_values_count_as_not_sent(browser: Client, owner: RestEntryPoint, query: str) -> None:
    owner.made("update_me", new_cards_a_day=0)
    [card, _] = made_deck(owner, "one", "two")["cards"]
    reviewed(owner, card, "good")
    page = Page(browser, f"/study?{query}")
    assert page.term is None
    assert "Study ahead" in page.text


@pytest.mark.database("both")
def test_the_number_on_the_week_is_the_number_that_study_asks(
    browser: Client, owner: RestEntryPoint, time_machine: Any
) -> None:
    """With limits of new cards, learning steps, reviews and ended courses, and after each answer."""
    time_machine.move_to("2026-11-21T12:00:00Z")
    course = owner.made("create_course", name="Biology")
    ended = owner.made("create_course", name="History")
    made_deck(owner, "one", "two", "three", "four", name="Cells", course_id=course["id"])
    made_deck(owner, "past", name="Kings", course_id=ended["id"])
    owner.made("update_course", course_id=ended["id"], archived=True)
    made_deck(owner, "five", "six", name="Plain")
    numbers = []
    for new_cards, minutes in ((3, 0), (4, 11), (5, 0), (0, 0), (0, 24 * 60), (None, 0)):
        owner.made("update_me", new_cards_a_day=new_cards)
        time_machine.shift(60 * minutes)
        numbers.append(number_on_week(browser))
        page = Page(browser)
        while page.term:
            assert page.left == str(number_on_week(browser))
            page.send("again" if page.term == "two" and minutes == 0 else "good")
        assert number_on_week(browser) == 0
    assert numbers == [3, 4, 1, 0, 3, 1], "new; learning and new; new; none; learning on the next day; new"


def number_on_week(browser: Client) -> int:
    page = " ".join(browser.get("/").content.decode().split())
    found = re.search(r"<strong>(\d+)</strong> cards? due today", page)
    assert found or "more card" in page or "No cards due today." in page
    return int(found.group(1)) if found else 0


def test_its_statements_are_few(browser: Client, owner: RestEntryPoint) -> None:
    owner.made("update_me", new_cards_a_day=0)
    for name in ("One", "Two"):
        for card in made_deck(owner, "one", "two", "three", name=name)["cards"][:2]:
            reviewed(owner, card, "good")
    page = Page(browser)
    follow(page, "2 more new cards")
    asked(page)
    follow(page, "Study ahead")
    counts = []
    for _ in range(7):
        with named() as queries:
            page.load(page.path)
        counts.append(len(queries))
        if page.term:
            page.send("easy")
    assert page.term is None
    assert max(counts) <= 8, counts
