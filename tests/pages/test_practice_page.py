"""The practice page: days of practice as a chart and a table."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from tests.support.entry_points import RestEntryPoint

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.same_statements]


def text_of(browser: Client) -> str:
    page = browser.get("/practice")
    assert page.status_code == 200
    return " ".join(page.content.decode().split())


def test_days_of_practice_are_a_chart_and_a_table(browser: Client, owner: RestEntryPoint, time_machine: Any) -> None:
    time_machine.move_to("2026-11-22T12:00:00Z")
    cards = [{"term": f"Word {n}", "definition": "Meaning"} for n in range(3)]
    deck = owner.made("create_vocab_deck", name="Cells", cards=cards)
    for day, ratings in (("22", ["good", "again"]), ("23", ["good"])):
        time_machine.move_to(f"2026-11-{day}T12:00:00Z")
        for card, rating in zip(deck["cards"], ratings, strict=False):
            owner.made("review_vocab_card", card_id=card["id"], rating=rating)
    with CaptureQueriesContext(connection) as statements:
        page = text_of(browser)
    assert len([one for one in statements if "SAVEPOINT" not in one["sql"]]) <= 8
    assert ">2 days in a row</h2>" in page
    assert "3 answers, 66.7% correct." in page
    rows = re.findall(r'<td class="whole">(.*?)</td><td class="number">(\d+)</td><td class="number">(\d+)</td>', page)
    assert rows == [("Mon 23 Nov", "1", "1"), ("Sun 22 Nov", "2", "1")]
    chart = page[page.index('<svg role="img" aria-label="Answers') : page.index("</svg>")]
    rects = re.findall(r'<rect class="(bar-\d)" x="(\d+)" y="(\d+)" width="\d+" height="(\d+)"/>', chart)
    assert rects == [("bar-1", "2800", "500", "500"), ("bar-2", "2800", "0", "500"), ("bar-1", "2900", "500", "500")]


def test_percentages_are_rounded_half_up_like_answers(browser: Client, owner: RestEntryPoint) -> None:
    """3 of 17 is 17.65% in answers. As a binary fraction that is a little less."""
    cards = [{"term": f"Word {n}", "definition": "Meaning"} for n in range(17)]
    deck = owner.made("create_vocab_deck", name="Cells", cards=cards)
    for place, card in enumerate(deck["cards"]):
        owner.made("review_vocab_card", card_id=card["id"], rating="good" if place < 3 else "again")
    assert owner.made("get_practice_stats")["accuracy"] == 17.65
    assert "17 answers, 17.7% correct." in text_of(browser)


def test_an_empty_page_shows_the_next_step(browser: Client) -> None:
    page = text_of(browser)
    assert "No practice yet" in page
    assert 'href="/decks/import"' in page


def test_lapsed_members_and_visitors_see_no_practice(browser: Client, client: Client) -> None:
    assert client.get("/practice").headers["Location"] == "/sign-in?next=/practice"
    Member.objects.update(membership_active=False)
    assert browser.get("/practice").status_code == 403
