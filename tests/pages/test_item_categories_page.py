"""Giving a course's items their grade categories, and the sentence about it on the course's page."""

from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import form_with
from tests.support.samples import UNKNOWN_ID

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.same_statements]


@pytest.fixture
def categories(owner: RestEntryPoint, course: Any) -> list[Any]:
    """Homework with one item, and Exams without."""
    entries = [{"name": "Homework", "weight": 40}, {"name": "Exams", "weight": 60}]
    made = owner.made("set_grade_categories", course_id=course["id"], categories=entries)["categories"]
    owner.made("create_item", course_id=course["id"], title="HW 1", category_id=made[0]["id"])
    return list(made)


def text_of(browser: Client, path: str, status: int = 200) -> str:
    page = browser.get(path)
    assert page.status_code == status, path
    return unescape(" ".join(page.content.decode().split()))


def uncategorized(owner: RestEntryPoint, course: Any, *titles: str) -> list[str]:
    return [owner.made("create_item", course_id=course["id"], title=title)["id"] for title in titles]


def test_the_grade_says_how_many_items_it_leaves_out(
    browser: Client, owner: RestEntryPoint, course: Any, categories: Any
) -> None:
    path, link = f"/courses/{course['id']}", f'<a href="/courses/{course["id"]}/items/categories">'
    assert "no category" not in text_of(browser, path)
    uncategorized(owner, course, "HW 9")
    assert f"1 item has no category, so the grade leaves it out. {link}Choose its category</a>" in text_of(
        browser, path
    )
    uncategorized(owner, course, "Final")
    told = f"2 items have no category, so the grade leaves them out. {link}Choose their categories</a>"
    assert told in text_of(browser, path)


def test_categories_are_set_at_once_and_can_be_undone(
    browser: Client, owner: RestEntryPoint, course: Any, categories: Any
) -> None:
    homework, final, _ = uncategorized(owner, course, "HW 9", "Final", "Field trip")
    path = f"/courses/{course['id']}/items/categories"
    form = form_with(homework, browser.get(path).content.decode())
    sent = form | {homework: [categories[0]["id"]], final: [categories[1]["id"]]}
    response = browser.post(path, sent, follow=True)
    assert response.redirect_chain == [(f"/courses/{course['id']}#grade", 302)]
    assert "Saved the category of 2 items." in response.content.decode()
    assert [owner.made("get_item", item_id=one)["category_id"] for one in (homework, final)] == [
        one["id"] for one in categories
    ]
    [change] = owner.made("list_changes", limit=1)["data"]
    assert (change["operation"], change["by"]["kind"]) == ("update_item", "page")
    owner.made("undo_change", change_id=change["id"])
    assert owner.made("get_grades", course_id=course["id"])["outlook"]["uncategorized"] == 3


def test_pollers_see_each_item_that_got_a_category(
    browser: Client, owner: RestEntryPoint, course: Any, categories: Any
) -> None:
    first, second, other = uncategorized(owner, course, "HW 9", "Final", "Field trip")
    since = owner.made("get_item", item_id=other)["updated_at"]
    path = f"/courses/{course['id']}/items/categories"
    form = form_with(first, browser.get(path).content.decode())
    browser.post(path, form | dict.fromkeys((first, second), [categories[0]["id"]]))
    assert {item["id"] for item in owner.made("list_items", updated_after=since)["data"]} == {first, second}


def test_a_form_without_a_choice_changes_nothing(
    browser: Client, owner: RestEntryPoint, course: Any, categories: Any
) -> None:
    [item] = uncategorized(owner, course, "HW 9")
    before = owner.made("list_changes")
    path = f"/courses/{course['id']}/items/categories"
    response = browser.post(path, {item: ""}, follow=True)
    assert "Nothing was changed." in response.content.decode()
    assert owner.made("list_changes") == before


def test_items_that_changed_meanwhile_are_left_alone(
    browser: Client, owner: RestEntryPoint, course: Any, categories: Any
) -> None:
    gone, graded, kept = uncategorized(owner, course, "Gone", "Graded", "Kept")
    exams = {"category_id": categories[1]["id"]}
    owner.made("delete_item", item_id=gone)
    owner.made("add_grade_score", course_id=course["id"], **exams, item_id=graded, label="Graded", score=80)
    path = f"/courses/{course['id']}/items/categories"
    response = browser.post(path, dict.fromkeys((gone, graded, kept), categories[0]["id"]), follow=True)
    assert "Saved the category of 1 item." in response.content.decode()
    assert owner.made("get_item", item_id=graded)["category_id"] == categories[1]["id"]


@pytest.mark.parametrize("wrong", [UNKNOWN_ID, "Homework", "\x00"])
def test_a_category_of_no_use_is_rejected_beside_its_item(
    browser: Client, owner: RestEntryPoint, course: Any, categories: Any, wrong: str
) -> None:
    first, second = uncategorized(owner, course, "HW 9", "Final")
    page = browser.post(f"/courses/{course['id']}/items/categories", {first: wrong, second: categories[1]["id"]})
    assert page.status_code == 422
    assert page.content.decode().count("Choose one of the listed categories.") == 2, "in the summary and at the item"
    assert form_with(first, page.content.decode())[second] == [categories[1]["id"]]
    assert owner.made("get_grades", course_id=course["id"])["outlook"]["uncategorized"] == 2


def test_a_page_has_a_hundred_items(browser: Client, owner: RestEntryPoint, course: Any, categories: Any) -> None:
    for start in (0, 100):
        more = [{"title": f"Item {number}"} for number in range(start + 1, start + 75)]
        owner.made("create_item", course_id=course["id"], title=f"Item {start}", more=more)
    path = f"/courses/{course['id']}/items/categories"
    with CaptureQueriesContext(connection) as statements:
        first = text_of(browser, path)
    assert (first.count("<select"), '<a href="?page=2">Later items</a>' in first) == (100, True)
    assert len([one for one in statements if "SAVEPOINT" not in one["sql"]]) <= 6
    second = text_of(browser, f"{path}?page=2")
    assert (second.count("<select"), "Earlier items" in second) == (50, True)


def test_without_items_or_categories_it_says_so(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    path = f"/courses/{course['id']}/items/categories"
    uncategorized(owner, course, "HW 9")
    assert "This course has no grade categories yet." in text_of(browser, path)
    assert "no category, so" not in text_of(browser, f"/courses/{course['id']}")
    other = owner.made("create_course", name="Physics", grade_categories=[{"name": "Exams", "weight": 100}])
    assert "Every item has a category." in text_of(browser, f"/courses/{other['id']}/items/categories")


def test_others_have_no_such_page(browser: Client, client: Client, stranger: RestEntryPoint, course: Any) -> None:
    theirs = stranger.made("create_course", name="Theirs")["id"]
    for id_ in (theirs, UNKNOWN_ID):
        path = f"/courses/{id_}/items/categories"
        assert (browser.get(path).status_code, browser.post(path, {}).status_code) == (404, 404)
    assert client.get(f"/courses/{course['id']}/items/categories").status_code == 302
    Member.objects.update(membership_active=False)
    assert browser.get(f"/courses/{course['id']}/items/categories").status_code == 403
