"""The list of courses, the page of a course, and deleting."""

from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.test import Client

from accounts.models import Member
from courses.models import DEFAULT_TERM
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import CourseFactory
from tests.support.forms import form_with
from tests.support.samples import UNKNOWN_ID

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.same_statements]


def text_of(browser: Client, path: str) -> str:
    page = browser.get(path)
    assert page.status_code == 200, path
    return " ".join(page.content.decode().split())


def test_the_list_shows_every_course_with_its_next_items(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    with time_machine.travel(datetime(2026, 11, 22, 12, tzinfo=UTC), tick=False):
        for day in ("2026-11-21", "2026-11-22", "2026-11-25", "2026-11-26", "2026-11-27"):
            owner.made("create_item", course_id=course["id"], title=f"Quiz of {day}", due_on=day)
        page = text_of(browser, "/courses")
    assert f'href="/courses/{course["id"]}">Cell Biology</a>' in page
    shown = [day for day in range(20, 30) if f"Quiz of 2026-11-{day}" in page]
    assert shown == [22, 25, 26]
    assert f'href="/upcoming?course={course["id"]}">and 1 more</a></p>' in page


def test_a_course_can_be_changed(browser: Client, owner: RestEntryPoint, stranger: RestEntryPoint, course: Any) -> None:
    path = f"/courses/{course['id']}/change"
    assert f'href="{path}"' in text_of(browser, f"/courses/{course['id']}")
    form = form_with("name", browser.get(path).content.decode())
    owner.made("update_course", course_id=course["id"], meets="Fri 9:00")  # changed elsewhere, and kept
    answer = browser.post(path, form | {"name": "Zoology", "code": " BIO 7 ", "term": ""})
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/courses/{course['id']}")
    stored = owner.made("get_course", course_id=course["id"])
    assert [stored[name] for name in ("name", "code", "term", "meets")] == [
        "Zoology",
        "BIO 7",
        DEFAULT_TERM,
        "Fri 9:00",
    ]

    before = len(owner.made("list_changes")["data"])
    form = form_with("name", browser.get(path).content.decode())
    assert browser.post(path, form).status_code == 302
    assert len(owner.made("list_changes")["data"]) == before
    refused = browser.post(path, form | {"name": " ", "code": "x" * 500})
    assert refused.status_code == 422
    assert "Enter a name for the course." in refused.content.decode()
    assert "x" * 500 in refused.content.decode()
    other = stranger.made("create_course", name="Latin")["id"]
    assert browser.get(f"/courses/{other}/change").status_code == 404


def test_the_week_links_to_courses(browser: Client, course: Any) -> None:
    assert 'href="/courses"' in text_of(browser, "/")
    assert 'href="/decks/import"' in text_of(browser, "/courses")


def test_a_course_shows_all_its_items(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    with time_machine.travel(datetime(2026, 11, 22, 12, tzinfo=UTC), tick=False):
        for title, day in (("Passed", "2026-11-21"), ("Today", "2026-11-22"), ("Open", None)):
            owner.made("create_item", course_id=course["id"], title=title, due_on=day)
        page = text_of(browser, f"/courses/{course['id']}")
    order = [
        page.index(text) for text in ("<strong>Today", "Without a date", "<strong>Open", "Past (1)", "<strong>Pas")
    ]
    assert order == sorted(order)


@pytest.mark.database("both")
def test_a_course_is_deleted_after_confirmation_and_can_be_restored(
    browser: Client, owner: RestEntryPoint, item: Any
) -> None:
    path = f"/courses/{item['course_id']}/delete"
    assert "This also deletes its 1 item with" in text_of(browser, path)
    assert len(owner.made("list_courses")["data"]) == 1
    page = browser.post(path, follow=True).content.decode()
    assert "“Cell Biology” is deleted." in page
    assert owner.made("list_courses")["data"] == []
    [change] = owner.made("list_changes", limit=1)["data"]
    owner.made("undo_change", change_id=change["id"])
    assert owner.made("get_item", item_id=item["id"])["title"] == "Midterm"


def test_an_item_is_deleted_after_confirmation(browser: Client, owner: RestEntryPoint, item: Any) -> None:
    path = f"/courses/{item['course_id']}/items/{item['id']}/delete"
    assert "Delete “Midterm”?" in text_of(browser, path)
    answer = browser.post(path)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/courses/{item['course_id']}")
    assert owner.made("list_items")["data"] == []
    assert browser.post(path).status_code == 404


def test_a_strangers_objects_are_not_found(browser: Client, item: Any, course: Any, stranger: RestEntryPoint) -> None:
    theirs = stranger.made("create_course", name="Botany")
    its = stranger.made("create_item", course_id=theirs["id"], title="Herbarium")
    for course_id in (theirs["id"], UNKNOWN_ID):
        assert browser.get(f"/courses/{course_id}").status_code == 404
        assert browser.post(f"/courses/{course_id}/delete").status_code == 404
        assert browser.post(f"/courses/{course_id}/items/{item['id']}/delete").status_code == 404
    assert browser.post(f"/courses/{course['id']}/items/{its['id']}/delete").status_code == 404
    assert "Botany" not in text_of(browser, "/courses")
    assert len(stranger.made("list_items")["data"]) == 1


def pages_of(course: Any) -> list[str]:
    its = f"/courses/{course['id']}"
    return [
        "/courses",
        "/courses/new",
        "/courses/new/by-hand",
        its,
        f"{its}/delete",
        f"{its}/calendar",
        "/decks/import",
    ]


def test_a_lapsed_member_sees_where_to_renew_and_no_data(browser: Client, course: Any, settings: Any) -> None:
    settings.MEMBERSHIP_URL = "https://billing.example.org/renew"
    Member.objects.update(membership_active=False)
    for path in pages_of(course):
        page = browser.get(path)
        assert page.status_code == 403, path
        assert "https://billing.example.org/renew" in page.content.decode()
        assert "Cell Biology" not in page.content.decode()
    assert browser.post(f"/courses/{course['id']}/delete").status_code == 403
    Member.objects.update(membership_active=True)
    assert "Cell Biology" in text_of(browser, "/courses")


def test_signed_out_visitors_are_asked_to_sign_in_first(client: Client, course: Any) -> None:
    for path in pages_of(course):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["Location"]) == (302, f"/sign-in?next={path}")


def test_the_pages_are_not_cached(browser: Client, course: Any) -> None:
    for path in pages_of(course):
        assert "no-store" in browser.get(path).headers["Cache-Control"], path


def test_a_course_can_be_added_by_hand(browser: Client, owner: RestEntryPoint) -> None:
    answer = browser.post("/courses/new/by-hand", {"name": " Cell Biology ", "code": "BIO 210"})
    [course] = owner.made("list_courses")["data"]
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/courses/{course['id']}")
    assert [course[name] for name in ("name", "code", "term")] == ["Cell Biology", "BIO 210", "Fall semester"]


def test_a_term_that_nobody_gave_is_not_shown(browser: Client, owner: RestEntryPoint) -> None:
    browser.post("/courses/new/by-hand", {"name": "Botany", "code": "BIO 7"})
    [course] = owner.made("list_courses")["data"]
    path = f"/courses/{course['id']}"
    form = form_with("name", browser.get(f"{path}/change").content.decode())
    assert form["term"] == [""]
    for page in ("/courses", path):
        assert '<p class="hint">BIO 7</p>' in text_of(browser, page)
    assert browser.post(f"{path}/change", form | {"term": ["Fall 2026"], "meets": ["Tu/Th 10:30"]}).status_code == 302
    for page in ("/courses", path):
        assert '<p class="hint">BIO 7 · Fall 2026 · Tu/Th 10:30</p>' in text_of(browser, page)
    owner.made("update_course", course_id=course["id"], archived=True)
    assert '<span class="hint">BIO 7 · Fall 2026</span>' in text_of(browser, "/courses")


def test_an_invalid_field_shows_its_error_and_keeps_the_input(browser: Client, owner: RestEntryPoint) -> None:
    page = browser.post("/courses/new/by-hand", {"name": "", "code": "BIO 210", "term": "x" * 61})
    assert page.status_code == 422
    text = page.content.decode()
    assert "Enter a name for the course." in text
    assert "Use at most 60 characters." in text
    assert 'value="BIO 210"' in text
    assert owner.made("list_courses")["data"] == []


def test_the_31st_course_is_rejected(browser: Client, owner: RestEntryPoint, owner_member: Member) -> None:
    CourseFactory.create_batch(30, member=owner_member)
    page = browser.post("/courses/new/by-hand", {"name": "One more"})
    assert page.status_code == 409
    assert "You have reached the limit of 30 courses." in page.content.decode()
    assert "Add by hand" not in text_of(browser, "/courses")


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_a_double_click_creates_one_course_by_hand(
    browser: Client, owner: RestEntryPoint, owner_member: Member, in_threads: Any
) -> None:
    form = form_with("name", browser.get("/courses/new/by-hand").content.decode()) | {"name": ["Cell Biology"]}
    clients = [Client(), Client(), Client()]
    for client in clients:
        client.force_login(owner_member)
    answers = in_threads(lambda client: client.post("/courses/new/by-hand", form), clients)
    [course] = owner.made("list_courses")["data"]
    assert {(answer.status_code, answer.headers["Location"]) for answer in answers} == {
        (302, f"/courses/{course['id']}")
    }


def test_a_corrected_form_creates_the_course(browser: Client, owner: RestEntryPoint) -> None:
    form = form_with("name", browser.get("/courses/new/by-hand").content.decode())
    page = browser.post("/courses/new/by-hand", form)
    assert page.status_code == 422
    again = form_with("name", page.content.decode())
    assert again["form_key"] == form["form_key"]
    assert browser.post("/courses/new/by-hand", again | {"name": ["Cell Biology"]}).status_code == 302
    assert [course["name"] for course in owner.made("list_courses")["data"]] == ["Cell Biology"]


def test_an_edited_form_after_going_back_creates_no_second_course(browser: Client, owner: RestEntryPoint) -> None:
    form = form_with("name", browser.get("/courses/new/by-hand").content.decode())
    assert browser.post("/courses/new/by-hand", form | {"name": ["Cell Biology"]}).status_code == 302
    page = browser.post("/courses/new/by-hand", form | {"name": ["Genetics"]})
    assert page.status_code == 409
    assert "Open it anew" in page.content.decode()
    assert [course["name"] for course in owner.made("list_courses")["data"]] == ["Cell Biology"]


@pytest.mark.parametrize("key", [[], [""], ["00000000-0000-4000-8000-00000000000"], ["no key"]])
def test_a_form_without_a_key_creates_a_course_or_reports_errors(
    browser: Client, owner: RestEntryPoint, key: list[str]
) -> None:
    answer = browser.post("/courses/new/by-hand", {"name": ["Cell Biology"], "form_key": key})
    assert answer.status_code == (422 if key and key[0] else 302)
    assert len(owner.made("list_courses")["data"]) == (0 if key and key[0] else 1)
