"""Studying for an exam: today's cards of its plan, one at a time."""

import re
from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.pages.test_study_page import Page
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import made_deck, reviewed
from vocab.models import Card, Review

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.database("sqlite", "pages call tested operations")]

WORDS = ("one", "two", "three", "four", "five", "six", "seven")


def exam_with_deck(owner: RestEntryPoint, *words: str, days: int = 1, kind: str = "exam") -> tuple[str, Any]:
    """The path of an exam's page, and the deck of its course."""
    course = owner.made("create_course", name="Biology")
    day = date.fromisoformat(owner.made("get_me")["today"]) + timedelta(days=days)
    item = owner.made("create_item", course_id=course["id"], title="Midterm", kind=kind, due_on=str(day))
    return f"/items/{item['id']}", made_deck(owner, *words, course_id=course["id"])


def settle(owner: RestEntryPoint, deck: Any) -> None:
    """Put all cards in review, due in twenty days."""
    for card in deck["cards"]:
        reviewed(owner, card, "easy")
    before = timezone.now() - timedelta(days=20)
    Card.objects.update(due_at=timezone.now() + timedelta(days=20), last_reviewed_at=before)
    Review.objects.update(reviewed_at=before)


def study_link(browser: Client, path: str, query: str = "") -> str | None:
    page = browser.get(f"{path}{query}").content.decode()
    found = re.search(r'<a class="button" href="([^"]*)">Study for this (exam|quiz)</a>', page)
    return found.group(1) if found else None


@pytest.mark.database("both")
def test_the_page_of_an_exam_leads_to_the_last_looks_of_its_plan(browser: Client, owner: RestEntryPoint) -> None:
    path, deck = exam_with_deck(owner, *WORDS)
    settle(owner, deck)
    assert "Nothing is due" in Page(browser, f"/decks/{deck['id']}/study").text
    link = study_link(browser, path)
    assert link == f"{path}/study?minutes=20"
    page = Page(browser, link)
    asked: list[str] = []
    while page.term:
        assert page.left == str(len(WORDS) - len(asked))
        assert f'max="{len(WORDS)}" value="{len(asked)}"' in page.text
        asked.append(page.term)
        page.send("good")
    assert sorted(asked) == sorted(WORDS), "each once"
    assert "Done for today" in page.text
    assert "You answered 7 cards." in page.text
    assert f'<a href="{path}?minutes=20#ready">the plan for Midterm</a>' in page.text


def test_after_its_cards_the_others_can_be_studied(browser: Client, owner: RestEntryPoint) -> None:
    path, _ = exam_with_deck(owner, "one")
    page = Page(browser, str(study_link(browser, path)))
    page.send("easy")
    assert "Study all decks" not in page.text, "there are no others"
    made_deck(owner, "two", "three")
    page.load(page.path)
    assert '<a class="button" href="/study">Study all decks (2)</a>' in page.text


def test_it_asks_the_queue_of_the_shown_minutes(browser: Client, owner: RestEntryPoint) -> None:
    path, _ = exam_with_deck(owner, *(f"word {n}" for n in range(60)), days=3, kind="quiz")
    today = Page(browser, str(study_link(browser, path, "?minutes=5")))
    assert today.path.endswith("?minutes=5")
    queue = owner.made("list_vocab_decks", for_item=path.rpartition("/")[2], minutes_a_day=5)["data"][0]["cards"]
    assert (today.term, today.left) == (queue[0]["term"], str(len(queue)))
    for wrong in ("", "?minutes=x", "?minutes=4", "?minutes=601", "?minutes=9999999"):
        assert browser.get(f"{path}/study{wrong}").status_code == 200, "then the usual minutes"


def test_an_answer_can_be_undone_and_a_card_changed(browser: Client, owner: RestEntryPoint) -> None:
    path, deck = exam_with_deck(owner, "one", "two")
    page = Page(browser, f"{path}/study?minutes=30")
    page.send("easy")
    assert page.term == "two"
    undo = page.path.replace("/study?", "/study/undo?")
    form = {"sitting": re.findall(r'name="sitting" value="(\w+)"', page.text)[0]}
    form["answer"] = re.findall(r'name="answer" value="([^"]+)"', page.text)[0]
    response = browser.post(undo, form)
    page.load(response.headers["Location"])
    assert (page.term, Review.objects.count()) == ("one", 0)
    changing = re.findall(r'<a href="([^"]*)">Change this card', page.text)[0].replace("&amp;", "&")
    saved = browser.post(changing, {"term": "one", "definition": "1"})
    assert saved.headers["Location"].startswith(f"{path}/study?minutes=30&sitting=")
    assert Card.objects.get(id=deck["cards"][0]["id"]).definition == "1"


@pytest.mark.parametrize(("days", "kind", "words"), [(0, "exam", WORDS), (121, "exam", WORDS), (3, "lab", WORDS)])
def test_other_items_have_no_link_and_lead_to_their_page(
    browser: Client, owner: RestEntryPoint, days: int, kind: str, words: tuple[str, ...]
) -> None:
    path, _ = exam_with_deck(owner, *words, days=days, kind=kind)
    assert study_link(browser, path) is None
    assert browser.get(f"{path}/study").headers["Location"] == path
    assert "Plans are made for exams and quizzes" in browser.get(path).content.decode()


def test_an_exam_without_cards_has_no_link(browser: Client, owner: RestEntryPoint) -> None:
    path, deck = exam_with_deck(owner, "one")
    owner.made("update_vocab_card", card_id=deck["cards"][0]["id"], suspended=True)
    assert study_link(browser, path) is None
    assert Page(browser, f"{path}/study").term is None


def test_items_of_others_are_not_found(browser: Client, stranger: RestEntryPoint) -> None:
    path, _ = exam_with_deck(stranger, "one")
    assert browser.get(f"{path}/study").status_code == 404
    assert browser.get("/items/00000000-0000-4000-8000-000000000000/study").status_code == 404
