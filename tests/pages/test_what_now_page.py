""" "What now" on the home page: three steps for the chosen minutes."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import Member
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint

pytestmark = [pytest.mark.rest, pytest.mark.same_statements, pytest.mark.time_machine("2026-11-21T12:00:00Z")]


@pytest.fixture
def signed_in(owner_member: Member) -> Client:
    client = Client()
    client.force_login(owner_member)
    return client


@pytest.fixture
def course(owner: RestEntryPoint) -> Any:
    """An account with four items, the first due tomorrow."""
    course = owner.made("create_course", name="Biology")
    for day in (22, 23, 24, 25):
        owner.made("create_item", course_id=course["id"], title=f"Sheet {day}", due_on=f"2026-11-{day}")
    return course


def section(client: Client, query: str = "") -> str:
    """The section of the page under the heading; empty without it."""
    response = client.get(f"/{query}")
    assert response.status_code == 200
    page = " ".join(response.content.decode().split())
    found = re.search(r'<section[^>]*aria-labelledby="now".*?</section>', page)
    return found.group() if found else ""


def titles(client: Client, query: str = "") -> list[str]:
    return re.findall("<strong>(.*?)</strong>", section(client, query))


def test_thirty_minutes_have_a_step(signed_in: Client, course: Any) -> None:
    text = section(signed_in)
    assert ">What now</h2>" in text
    assert titles(signed_in) == ["Sheet 22"], "the remaining minutes are not a slice"
    assert f'<a class="course-name" href="/courses/{course["id"]}">Biology</a>' in text
    assert "25 minutes" in text
    assert "Due tomorrow" in text


def test_the_minutes_can_be_chosen(signed_in: Client, course: Any) -> None:
    assert titles(signed_in, "?minutes=15") == ["Sheet 22"]
    assert titles(signed_in, "?minutes=60") == ["Sheet 22", "Sheet 23", "Sheet 24"]
    assert titles(signed_in, "?minutes=120") == ["Sheet 22", "Sheet 23", "Sheet 24"], "at most three"
    text = section(signed_in, "?minutes=60")
    assert re.findall(r'<a href="/\?minutes=(\d+)"( aria-current="true")?', text) == [
        ("15", ""),
        ("30", ""),
        ("60", ' aria-current="true"'),
        ("120", ""),
    ]


@each("query", ["?minutes=31", "?minutes=", "?minutes=many", "?minutes=9999999999999999999999"])
def test_invalid_minutes_become_thirty(signed_in: Client, course: Any, query: str) -> None:
    assert section(signed_in, query) == section(signed_in)


def test_a_milestone_names_its_item(signed_in: Client, owner: RestEntryPoint) -> None:
    course = owner.made("create_course", name="Biology")
    item = owner.made("create_item", course_id=course["id"], title="Essay")
    owner.made("create_milestone", item_id=item["id"], title="Outline", due_on="2026-11-21")
    assert titles(signed_in) == ["Outline"]
    assert f'<a class="course-name" href="/courses/{course["id"]}">Biology</a>' in section(signed_in)


def test_cards_show_their_number(signed_in: Client, owner: RestEntryPoint) -> None:
    cards = [{"term": term, "definition": "Meaning"} for term in ("Nucleus", "Ribosome")]
    owner.made("create_vocab_deck", name="Cells <1>", cards=cards)
    text = section(signed_in)
    assert "<strong>Cells &lt;1&gt;</strong>" in text
    assert "2 cards" in text
    assert "2 new cards for today" in text


def test_cards_of_a_course_link_to_it(signed_in: Client, owner: RestEntryPoint) -> None:
    course = owner.made("create_course", name="Biology")
    card = {"term": "Nucleus", "definition": "Holds the DNA"}
    owner.made("create_vocab_deck", name="Cells", course_id=course["id"], cards=[card])
    text = section(signed_in)
    assert f'<a class="course-name" href="/courses/{course["id"]}">Biology</a>' in text
    assert '<li class="hue-8">' in text, "the color of a first course"


def test_without_steps_there_is_no_section(signed_in: Client) -> None:
    assert section(signed_in) == ""


def test_a_lapsed_member_sees_no_steps(signed_in: Client, course: Any) -> None:
    assert section(signed_in) != ""
    Member.objects.update(membership_active=False)
    assert section(signed_in) == ""
