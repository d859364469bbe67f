"""Ended courses on pages: the list, the course's buttons, decks, the week, studying and calendars."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.support.entry_points import RestEntryPoint
from tests.support.factories import CourseFactory
from tests.support.vocabulary import made_deck

pytestmark = [
    pytest.mark.rest,
    pytest.mark.django_db,
    pytest.mark.database("sqlite", "pages call tested operations"),
]

TODAY = "2026-11-21"


@pytest.fixture(autouse=True)
def _today(time_machine: Any) -> None:
    time_machine.move_to(f"{TODAY}T12:00:00Z")


@pytest.fixture
def ended(owner: RestEntryPoint, course: Any) -> Any:
    """An ended course with an item due today, an open step and a deck with two cards."""
    item = owner.made("create_item", course_id=course["id"], title="Midterm", kind="exam", due_on=TODAY)
    owner.made("create_milestone", item_id=item["id"], title="Outline", due_on=TODAY)
    made_deck(owner, "Mitosis", "Osmosis", name="Cells", course_id=course["id"])
    return owner.made("update_course", course_id=course["id"], archived=True)


def text_of(browser: Client, path: str) -> str:
    response = browser.get(path)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_the_buttons_of_its_page_end_and_reopen_a_course(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    path = f"/courses/{course['id']}"
    assert 'type="submit" class="quiet small">End this course</button>' in text_of(browser, path)
    page = browser.post(f"{path}/end", follow=True)
    assert page.redirect_chain == [(path, 302)]
    text = page.content.decode()
    assert "“Cell Biology” has ended." in text
    assert "End this course" not in text
    assert ">Reopen</button>" in text
    assert owner.made("list_courses")["data"][0]["archived"] is True
    assert "“Cell Biology” is open again." in browser.post(f"{path}/reopen", follow=True).content.decode()
    assert owner.made("list_courses")["data"][0]["archived"] is False


def test_ending_needs_a_post_and_ones_own_course(browser: Client, stranger: RestEntryPoint, course: Any) -> None:
    theirs = stranger.made("create_course", name="Theirs")
    assert browser.get(f"/courses/{course['id']}/end").status_code == 405
    assert browser.post(f"/courses/{theirs['id']}/end").status_code == 404
    assert stranger.made("list_courses")["data"] == [theirs]


def test_an_undo_in_activity_reopens_it(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    browser.post(f"/courses/{course['id']}/end")
    assert "You ended “Cell Biology”" in text_of(browser, "/activity")
    browser.post(f"/courses/{course['id']}/reopen")
    assert "You reopened “Cell Biology”" in text_of(browser, "/activity")


def test_reopening_beside_30_says_why_not(
    browser: Client, owner: RestEntryPoint, owner_member: Any, ended: Any
) -> None:
    CourseFactory.create_batch(30, member=owner_member)
    page = browser.post(f"/courses/{ended['id']}/reopen", follow=True).content.decode()
    assert "Nothing was changed. You have reached the limit of 30 courses. End or delete one first." in page
    assert ">Reopen</button>" in page


def test_the_list_has_ended_courses_below_closed(browser: Client, owner: RestEntryPoint, ended: Any) -> None:
    owner.made("create_course", name="Algebra")
    page = text_of(browser, "/courses")
    head, _, below = page.partition('<details class="ended"> <summary>Ended courses (1)</summary>')
    assert "Algebra" in head
    assert "Cell Biology" not in head
    assert f'href="/courses/{ended["id"]}"' in below
    assert "Midterm" not in page


def test_a_list_of_ended_courses_only_invites_to_add_one(browser: Client, ended: Any) -> None:
    page = text_of(browser, "/courses")
    assert "All your courses have ended" in page
    assert "Add by hand" in page


def test_200_courses_leave_no_button_to_add_one(browser: Client, owner_member: Any, ended: Any) -> None:
    CourseFactory.create_batch(199, member=owner_member, archived=True)
    page = text_of(browser, "/courses")
    assert "You have reached the limit of 200 courses, ended ones included. Delete one first." in page
    assert "Add by hand" not in page


def test_decks_of_ended_courses_stand_below_without_counts(browser: Client, owner: RestEntryPoint, ended: Any) -> None:
    made_deck(owner, "Keramos", name="Clay")
    page = text_of(browser, "/decks")
    head, _, below = page.partition('<details class="ended"> <summary>Decks of ended courses (1)</summary>')
    assert "1 card to study today" in head
    assert ("Clay" in head, "Cells" in head, "Cells" in below) == (True, False, True)
    assert re.findall(r"<dt>|Study", below) == []


def test_decks_of_ended_courses_alone_are_listed(browser: Client, ended: Any) -> None:
    page = text_of(browser, "/decks")
    assert "No decks yet" not in page
    assert "Decks of ended courses (1)" in page
    assert "to study today" not in page


def test_the_week_leaves_ended_courses_out(browser: Client, owner: RestEntryPoint, ended: Any) -> None:
    page = text_of(browser, "/")
    assert [word for word in ("Midterm", "Outline", "Cells", "cards today", "Cell Biology") if word in page] == []
    owner.made("update_course", course_id=ended["id"], archived=False)
    page = text_of(browser, "/")
    assert ("Midterm" in page, "Outline" in page) == (True, True)


def test_a_done_step_of_an_ended_course_is_not_in_the_week(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    item = owner.made("create_item", course_id=course["id"], title="Midterm")
    step = owner.made("create_milestone", item_id=item["id"], title="Outline", due_on=TODAY)
    owner.made("update_milestone", milestone_id=step["id"], done=True)
    assert "Outline" in text_of(browser, "/")
    owner.made("update_course", course_id=course["id"], archived=True)
    assert "Outline" not in text_of(browser, "/")


def test_studying_all_decks_leaves_ended_courses_out(browser: Client, owner: RestEntryPoint, ended: Any) -> None:
    assert "Nothing is due" in text_of(browser, "/study")
    made_deck(owner, "Keramos", name="Clay")
    page = text_of(browser, "/study")
    assert "Keramos" in page
    assert "1 left" in page


def test_a_deck_of_an_ended_course_is_still_studied(browser: Client, owner: RestEntryPoint, ended: Any) -> None:
    [deck] = owner.made("list_vocab_decks")["data"]
    page = text_of(browser, f"/decks/{deck['id']}/study")
    assert "Mitosis" in page
    assert "2 left" in page


def test_a_choice_of_a_course_says_which_have_ended(browser: Client, owner: RestEntryPoint, ended: Any) -> None:
    owner.made("create_course", name="Algebra")
    options = re.findall(r"<option[^>]*>([^<]*)</option>", text_of(browser, "/decks/new"))
    assert options == ["none", "Algebra", "Cell Biology (ended)"]


def test_the_limits_of_a_key_may_name_ended_courses(browser: Client, owner: RestEntryPoint, ended: Any) -> None:
    owner.made("create_course", name="Algebra")
    page = text_of(browser, "/keys")
    assert 0 < page.index("Algebra") < page.index("Cell Biology (ended)")
