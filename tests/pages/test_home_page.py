"""The home page: an introduction for visitors, and this week for a member."""

import re
from datetime import date, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Member
from tests.support.entry_points import RestEntryPoint

pytestmark = [pytest.mark.rest, pytest.mark.same_statements]


@pytest.fixture
def signed_in(owner_member: Member) -> Client:
    client = Client()
    client.force_login(owner_member)
    return client


def text_of(client: Client) -> str:
    response = client.get("/")
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def week_of(client: Client) -> str:
    """The part of the page above the suggested steps, which test_what_now_page tests."""
    return text_of(client).partition('id="now"')[0]


@pytest.mark.django_db
def test_a_visitor_sees_an_introduction(client: Client) -> None:
    page = text_of(client)
    assert "Every deadline, grade and flashcard in one place" in page
    assert "This week" not in page


@pytest.mark.database("both")
def test_a_member_sees_this_week(signed_in: Client, owner: RestEntryPoint, time_machine: Any) -> None:
    time_machine.move_to("2026-11-21T22:30:00Z")
    course = owner.made("create_course", name="Biology")
    for title, day in (("Quiz", "2026-11-21"), ("Midterm", "2026-11-27"), ("Final", "2026-11-28")):
        item = owner.made("create_item", course_id=course["id"], title=title, due_on=day, kind="exam")
        if title == "Midterm":
            owner.made("create_milestone", item_id=item["id"], title="Outline", due_on="2026-11-20")
            owner.made("create_milestone", item_id=item["id"], title="Read", due_on="2026-11-22")
            owner.made("create_milestone", item_id=item["id"], title="Ask")
    page = week_of(signed_in)
    order = ["Overdue", ">Outline", "Today <span>Sat 21 Nov", ">Quiz", "Tomorrow <span>Sun 22 Nov", ">Read<"]
    order += ["Friday <span>27 Nov", ">Midterm", "Steps without a date", ">Ask"]
    places = [page.index(text) for text in order]
    assert places == sorted(places)
    assert "Final" not in page
    link = f'<a class="course-name" href="/courses/{course["id"]}">Biology</a>'
    assert page.count(link) == 5, "each entry links to its course"
    assert "since Fri 20 Nov" in page


def test_a_new_time_zone_takes_effect_at_once(signed_in: Client, owner: RestEntryPoint, time_machine: Any) -> None:
    """At 23:30 in Paris it is already tomorrow in Tokyo, and items due today are no longer shown."""
    time_machine.move_to("2026-11-21T22:30:00Z")
    course = owner.made("create_course", name="Biology")
    item = owner.made("create_item", course_id=course["id"], title="Quiz", kind="quiz", due_on="2026-11-21")
    owner.made("create_milestone", item_id=item["id"], title="Outline", due_on="2026-11-21")
    page = text_of(signed_in)
    assert "Today <span>Sat 21 Nov" in page
    assert "Overdue" not in page
    signed_in.post("/account/time-zone", {"time_zone": "Asia/Tokyo", "next": "/"})
    page = text_of(signed_in)
    assert "Sun 22 – Sat 28 Nov" in page
    assert "Overdue" in page
    assert "Quiz" not in page.replace("for Quiz", "")


def test_an_exam_shows_the_expected_recall_of_its_flashcards(
    signed_in: Client, owner: RestEntryPoint, time_machine: Any
) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")
    course = owner.made("create_course", name="Biology")
    owner.made("create_item", course_id=course["id"], title="Midterm", due_on="2026-11-21", kind="exam")
    owner.made("create_item", course_id=course["id"], title="Essay", due_on="2026-11-21", kind="paper")
    cards = [{"term": term, "definition": "a part of a cell"} for term in ("nucleus", "ribosome")]
    deck = owner.made("create_vocab_deck", name="Cells", course_id=course["id"], cards=cards)
    owner.made("review_vocab_card", card_id=deck["cards"][0]["id"], rating="good")
    page = text_of(signed_in)
    assert "Biology</a> · you would remember 50% of its cards" in page
    assert "Biology</a></span>" in page


def exam_of(owner: RestEntryPoint, day: date) -> Any:
    """An exam of a course with a flashcard."""
    course = owner.made("create_course", name="Biology")
    exam = owner.made("create_item", course_id=course["id"], title="Midterm", due_on=str(day), kind="exam")
    cards = [{"term": "nucleus", "definition": "a part of a cell"}]
    owner.made("create_vocab_deck", name="Cells", course_id=course["id"], cards=cards)
    return exam


def test_an_exam_leads_to_studying_for_it_before_its_day(
    signed_in: Client, owner: RestEntryPoint, owner_member: Member, time_machine: Any
) -> None:
    exam = exam_of(owner, owner_member.today() + timedelta(days=1))
    path = f"/items/{exam['id']}/study"
    assert f'<a href="{path}">Study for this exam</a>' in text_of(signed_in)
    assert signed_in.get(path).status_code == 200
    time_machine.move_to(timezone.now() + timedelta(days=1))
    page = text_of(signed_in)
    assert ("you would remember" in page, "Study for this" in page) == (True, False)


@pytest.mark.parametrize("do", ["done", "graded"])
def test_an_exam_that_is_over_shows_no_recall(
    signed_in: Client, owner: RestEntryPoint, owner_member: Member, do: str
) -> None:
    exam = exam_of(owner, owner_member.today() + timedelta(days=1))
    course = {"course_id": exam["course_id"]}
    if do == "done":
        owner.made("update_item", item_id=exam["id"], done=True)
    else:
        grades = owner.made("set_grade_categories", **course, categories=[{"name": "Exams", "weight": 100}])
        score = {"category_id": grades["categories"][0]["id"], "label": "Midterm", "score": 90}
        owner.made("add_grade_score", **course, **score, item_id=exam["id"])
    page = text_of(signed_in)
    assert "Midterm" in page
    assert "you would remember" not in page
    assert "Study for this" not in page


def test_an_empty_week_shows_a_message(signed_in: Client, owner: RestEntryPoint) -> None:
    owner.made("create_course", name="Biology")
    assert "Nothing due in the next seven days." in text_of(signed_in)


def test_a_lapsed_member_sees_where_to_renew_and_no_data(
    signed_in: Client, owner: RestEntryPoint, owner_member: Member, settings: Any
) -> None:
    settings.MEMBERSHIP_URL = "https://billing.example.org/renew"
    course = owner.made("create_course", name="Biology")
    owner.made("create_item", course_id=course["id"], title="Quiz", due_on=str(owner_member.today()))
    Member.objects.update(membership_active=False)
    page = text_of(signed_in)
    assert "https://billing.example.org/renew" in page
    assert "Quiz" not in page
    assert 'href="/account"' in page


def test_it_links_the_other_pages(signed_in: Client) -> None:
    page = text_of(signed_in)
    assert 'href="/keys"' in page
    assert 'href="/account"' in page


def test_it_is_not_cached(signed_in: Client) -> None:
    assert "no-store" in signed_in.get("/").headers["Cache-Control"]


def test_items_can_be_marked_done_and_undone(signed_in: Client, owner: RestEntryPoint, time_machine: Any) -> None:
    """A form sets a state and does not toggle: sending it twice has no further effect."""
    time_machine.move_to("2026-11-21T12:00:00Z")
    course = owner.made("create_course", name="Biology")
    item = owner.made("create_item", course_id=course["id"], title="Essay 1", due_on="2026-11-22")
    step = owner.made("create_milestone", item_id=item["id"], title="Outline", due_on="2026-11-22")
    page = text_of(signed_in)
    assert '<span class="unseen">Tick Essay 1</span>' in page
    assert '<span class="unseen">Tick Outline</span>' in page
    for path in (f"/items/{item['id']}/done", f"/milestones/{step['id']}/done", f"/items/{item['id']}/done"):
        response = signed_in.post(path, {"done": "true"})
        ticked = UUID(path.split("/")[2]).hex
        assert (response.status_code, response.headers["Location"]) == (302, f"/#t{ticked}")
    page = text_of(signed_in)
    assert '<span class="unseen">Untick Essay 1</span>' in page
    assert f'<button id="t{ticked}"' in page, "the browser continues from there"
    assert '<span class="unseen">Untick Outline</span>' in page
    assert owner.made("get_item", item_id=item["id"])["done"] is True
    assert owner.made("list_milestones", item_id=item["id"])["data"][0]["done"] is True
    changes = owner.made("list_changes")["data"]
    assert [one["operation"] for one in changes[:3]] == ["update_milestone", "update_item", "create_milestone"]
    signed_in.post(f"/items/{item['id']}/done", {"done": "false"})
    assert owner.made("get_item", item_id=item["id"])["done"] is False


def test_a_ticked_milestone_stays_in_its_place(signed_in: Client, owner: RestEntryPoint, time_machine: Any) -> None:
    """Among the steps of its day, or of those without a date. An overdue one goes."""
    time_machine.move_to("2026-11-21T12:00:00Z")
    course = owner.made("create_course", name="Biology")
    item = owner.made("create_item", course_id=course["id"], title="Essay 1", due_on="2026-11-26")
    days = {"Late": "2026-11-20", "Read": "2026-11-22", "Outline": "2026-11-22", "Draft": "2026-11-22", "Ask": None}
    steps = {
        title: owner.made("create_milestone", item_id=item["id"], title=title, due_on=day)
        for title, day in days.items()
    }

    def order() -> list[str]:
        return re.findall(r"<strong>(Late|Read|Outline|Draft|Ask|Essay 1)</strong>", week_of(signed_in))

    before = order()
    assert before == ["Late", "Read", "Outline", "Draft", "Essay 1", "Ask"]
    for title in ("Outline", "Ask", "Late"):
        signed_in.post(f"/milestones/{steps[title]['id']}/done", {"done": "true"})
    assert order() == before[1:]
    page = week_of(signed_in)
    course_link = f'<a class="course-name" href="/courses/{course["id"]}">Biology</a>'
    assert re.search(rf"Outline</strong></a> <span class=\"hint\">for Essay 1 · {course_link} · done", page)
    owner.made("update_item", item_id=item["id"], done=True)
    assert order() == before[1:], "done steps of a done item, too"
    assert "Outline" not in [one["title"] for one in owner.made("get_agenda")["milestones"]]


def test_overdue_items_come_first(signed_in: Client, owner: RestEntryPoint, time_machine: Any) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")
    course = owner.made("create_course", name="Biology")
    for title, day in (("Essay", "2026-11-22"), ("Lab", "2026-11-25")):
        owner.made("create_item", course_id=course["id"], title=title, due_on=day)
    assert ">Overdue</h2>" not in week_of(signed_in)
    time_machine.move_to("2026-11-24T12:00:00Z")
    page = week_of(signed_in)
    order = [">Overdue</h2>", ">Essay<", "since Sun 22 Nov", "Tomorrow <span>Wed 25 Nov", ">Lab<"]
    places = [page.index(text) for text in order]
    assert places == sorted(places)
    [missed] = owner.made("get_agenda")["missed"]
    signed_in.post(f"/items/{missed['id']}/done", {"done": "true"})
    assert ">Overdue</h2>" not in week_of(signed_in)


def test_only_the_members_own_items_can_be_marked(
    signed_in: Client, stranger: RestEntryPoint, owner: RestEntryPoint
) -> None:
    course = stranger.made("create_course", name="Biology")
    item = stranger.made("create_item", course_id=course["id"], title="Essay")
    step = stranger.made("create_milestone", item_id=item["id"], title="Outline")
    for path in (f"/items/{item['id']}/done", f"/milestones/{step['id']}/done"):
        assert signed_in.post(path, {"done": "true"}).status_code == 404
        assert signed_in.get(path).status_code == 405
    own = owner.made("create_course", name="Biology")
    mine = owner.made("create_item", course_id=own["id"], title="Essay")
    assert signed_in.post(f"/items/{mine['id']}/done", {"done": "maybe"}).status_code == 404
    assert stranger.made("get_item", item_id=item["id"])["done"] is False


@pytest.mark.django_db
def test_cards_due_today_link_to_studying(signed_in: Client, owner: RestEntryPoint) -> None:
    """Due cards plus the new ones allowed today, over all decks."""
    assert 'id="cards-today"' not in text_of(signed_in)
    course = owner.made("create_course", name="Biology")
    for name, number in (("Cells", 3), ("Organs", 4)):
        cards = [{"term": f"Word {n}", "definition": "Meaning"} for n in range(number)]
        deck = owner.made("create_vocab_deck", name=name, course_id=course["id"], cards=cards)
    page = text_of(signed_in)
    assert "<strong>7</strong> cards due today, 7 of them new." in page
    assert '<a class="button" href="/study">Study</a>' in page
    owner.made("update_me", new_cards_a_day=2)
    assert "<strong>2</strong> cards due today, 2 of them new." in text_of(signed_in)
    owner.made("review_vocab_card", card_id=deck["cards"][0]["id"], rating="easy")
    assert "<strong>1</strong> card due today, 1 of them new." in text_of(signed_in)
    owner.made("update_me", new_cards_a_day=0)
    assert "No cards due today." in text_of(signed_in)


def test_titles_link_to_items(signed_in: Client, owner: RestEntryPoint, time_machine: Any) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")
    course = owner.made("create_course", name="Biology")
    item = owner.made("create_item", course_id=course["id"], title="Essay 1", due_on="2026-11-22")
    owner.made("create_milestone", item_id=item["id"], title="Outline", due_on="2026-11-22")
    page = text_of(signed_in)
    for title in ("Essay 1", "Outline"):
        assert f'<a class="title" href="/items/{item["id"]}"><strong>{title}</strong></a>' in page
    signed_in.get("/?minutes=60")
    assert '<input type="hidden" name="next" value="/?minutes=60">' in text_of_path(signed_in, "/?minutes=60")


def text_of_path(client: Client, path: str) -> str:
    return " ".join(client.get(path).content.decode().split())


@pytest.mark.django_db
def test_cards_that_come_again_today_are_not_forgotten(
    signed_in: Client, owner: RestEntryPoint, time_machine: Any
) -> None:
    """The week, the decks and the study page agree, until none is left."""
    time_machine.move_to("2026-11-21T12:00:00Z", tick=False)
    cards = [{"term": f"Word {n}", "definition": "Meaning"} for n in range(3)]
    deck = owner.made("create_vocab_deck", name="Cells", cards=cards)
    for card in deck["cards"]:
        owner.made("review_vocab_card", card_id=card["id"], rating="good")
    assert "<strong>3</strong> more cards today, the first at 13:10." in text_of(signed_in)
    assert "3 more cards today, the first at 13:10" in text_of_path(signed_in, "/decks")
    assert "Today: 3 more cards, the first at 13:10" in text_of_path(signed_in, "/study")
    time_machine.move_to("2026-11-21T12:10:00Z", tick=False)
    assert "<strong>3</strong> cards due today." in text_of(signed_in)
    assert "<p>3 left</p>" in text_of_path(signed_in, "/study")
    for card in deck["cards"]:
        owner.made("review_vocab_card", card_id=card["id"], rating="good")
    assert "No cards due today." in text_of(signed_in)
    assert "Nothing left to study today" in text_of_path(signed_in, "/decks")
