"""A syllabus brings the categories of its items, on the pages of a new course and of a new version."""

from datetime import UTC, datetime
from html import unescape
from typing import Any

import pytest
import time_machine
from django.test import Client

from tests.support.entry_points import RestEntryPoint
from tests.support.forms import Fields, form_with, row_of

pytestmark = [
    pytest.mark.rest,
    pytest.mark.django_db,
    pytest.mark.database("sqlite", "other tests send the same statements"),
]

TEXT = """BIO 210 Cell Biology
Fall 2026

Quiz 1: Monday, October 5, 2026
Midterm exam: Thursday, October 8, 2026
Essay 1 due Monday, November 2, 2026

Quizzes: 20% (the two lowest are dropped)
Essays: 30%
Exams: 50%
"""


@pytest.fixture(autouse=True)
def _now() -> Any:
    with time_machine.travel(datetime(2026, 9, 1, 12, tzinfo=UTC), tick=False):
        yield


@pytest.fixture
def form(browser: Client) -> Fields:
    """The table of the text."""
    return form_with("name", browser.post("/courses/new", {"text": TEXT}).content.decode())


def categories(owner: RestEntryPoint) -> dict[str, str | None]:
    """The category of each item, by name."""
    names: dict[Any, str | None] = {None: None}
    for course in owner.made("list_courses")["data"]:
        found = owner.made("get_grades", course_id=course["id"])["categories"]
        names |= {one["id"]: one["name"] for one in found}
    return {item["title"]: names[item["category_id"]] for item in owner.made("list_items")["data"]}


def graded(owner: RestEntryPoint) -> list[tuple[str, float, int]]:
    [course] = owner.made("list_courses")["data"]
    found = owner.made("get_grades", course_id=course["id"])["categories"]
    return [(one["name"], one["weight"], one["drop_lowest"]) for one in found]


def test_each_item_has_its_category_and_each_category_its_drops(
    browser: Client, owner: RestEntryPoint, form: Fields
) -> None:
    chosen = {title: form[f"{row_of(form, title)}-category"] for title in ("Quiz 1", "Midterm exam", "Essay 1")}
    assert chosen == {"Quiz 1": ["c0"], "Midterm exam": ["c2"], "Essay 1": ["c1"]}
    assert browser.post("/courses/new", form).status_code == 302
    assert categories(owner) == {"Quiz 1": "Quizzes", "Midterm exam": "Exams", "Essay 1": "Essays"}
    assert graded(owner) == [("Quizzes", 20, 2), ("Essays", 30, 0), ("Exams", 50, 0)]


def test_category_and_drops_can_be_changed(browser: Client, owner: RestEntryPoint, form: Fields) -> None:
    form |= {f"{row_of(form, 'Quiz 1')}-category": ["c2"], f"{row_of(form, 'Essay 1')}-category": [""]}
    form |= {"c0-drop_lowest": ["3"], "c2-name": ["Big exams"], "c2-drop_lowest": [""]}
    assert browser.post("/courses/new", form).status_code == 302
    assert categories(owner) == {"Quiz 1": "Big exams", "Midterm exam": "Big exams", "Essay 1": None}
    assert graded(owner) == [("Quizzes", 20, 3), ("Essays", 30, 0), ("Big exams", 50, 0)]


def test_menus_and_the_sum_follow_what_was_typed(browser: Client, form: Fields) -> None:
    form |= {"c0-name": ["Short quizzes"], "c0-weight": ["15"], "name": [""]}
    page = unescape(browser.post("/courses/new", form).content.decode())
    assert "The weights add up to 95 %, not to 100 %." in page
    assert '<option value="c0" selected>Short quizzes</option>' in page
    assert ">Quizzes</option>" not in page
    assert form_with("name", page)[f"{row_of(form, 'Quiz 1')}-category"] == ["c0"]
    page = browser.post("/courses/new", form | {"c0-weight": ["20"]}).content.decode()
    assert "add up" not in page


def test_a_wrong_weight_has_no_sum(browser: Client, form: Fields) -> None:
    page = browser.post("/courses/new", form | {"c0-weight": ["many"]}).content.decode()
    assert "add up" not in page


def test_an_unticked_category_leaves_its_items_without(browser: Client, owner: RestEntryPoint, form: Fields) -> None:
    del form["c1-tick"]
    assert browser.post("/courses/new", form).status_code == 302
    assert categories(owner)["Essay 1"] is None


def test_an_added_row_can_have_a_category(browser: Client, owner: RestEntryPoint, form: Fields) -> None:
    form = form_with("name", browser.post("/courses/new", form | {"add": ["yes"]}).content.decode())
    form |= {"a1-title": ["Pop quiz"], "a1-kind": ["quiz"], "a1-category": ["c0"]}
    assert browser.post("/courses/new", form).status_code == 302
    assert categories(owner)["Pop quiz"] == "Quizzes"


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"p0-category": ["c7"]}, "Choose one of the listed categories."),
        ({"c0-drop_lowest": ["21"]}, "Enter a whole number from 0 to 20."),
        ({"c0-drop_lowest": ["one"]}, "Enter a whole number from 0 to 20."),
        ({"c1-name": ["exams "]}, "Two categories of items have this name. Choose another."),
    ],
)
def test_errors_are_beside_the_row_and_the_input_is_kept(
    browser: Client, owner: RestEntryPoint, form: Fields, wrong: Fields, words: str
) -> None:
    page = browser.post("/courses/new", form | wrong)
    assert (page.status_code, unescape(page.content.decode()).count(words)) == (422, 2)
    again = form_with("name", page.content.decode())
    assert {name: again[name] for name in wrong if not name.startswith("p")} == {
        name: values for name, values in wrong.items() if not name.startswith("p")
    }
    assert owner.made("list_courses")["data"] == []


def test_without_weights_there_is_no_choice(browser: Client, owner: RestEntryPoint) -> None:
    text = TEXT.partition("Quizzes:")[0]
    page = browser.post("/courses/new", {"text": text}).content.decode()
    form = form_with("name", page)
    assert (">Category</th>" in page, [name for name in form if name.endswith("-category")]) == (False, [])
    assert browser.post("/courses/new", form).status_code == 302
    assert set(categories(owner).values()) == {None}


def test_a_new_row_of_a_version_takes_the_courses_category_of_that_name(
    browser: Client, owner: RestEntryPoint, form: Fields
) -> None:
    browser.post("/courses/new", form)
    [course] = owner.made("list_courses")["data"]
    [quizzes, _, exams] = owner.made("get_grades", course_id=course["id"])["categories"]
    kept = [quizzes | {"name": "QUIZZES"}, exams]
    owner.made("set_grade_categories", course_id=course["id"], categories=kept)
    text = TEXT.replace("Midterm", "Quiz 2: Monday, October 12, 2026\nEssay 2: Monday, October 19, 2026\nMidterm")
    path = f"/courses/{course['id']}/syllabus"
    version = form_with("row", browser.post(path, {"text": text}).content.decode())
    assert version[f"{row_of(version, 'Quiz 2')}-category"] == [quizzes["id"]]
    assert version[f"{row_of(version, 'Essay 2')}-category"] == [""]
    assert browser.post(path, version | {f"{row_of(version, 'Essay 2')}-category": [exams["id"]]}).status_code == 302
    found = categories(owner)
    assert (found["Quiz 2"], found["Essay 2"]) == ("QUIZZES", "Exams")
    [change] = owner.made("list_changes", limit=1)["data"]
    assert change["operation"] == "apply_syllabus"


def test_a_category_deleted_meanwhile_is_shown_again(browser: Client, owner: RestEntryPoint, form: Fields) -> None:
    browser.post("/courses/new", form)
    [course] = owner.made("list_courses")["data"]
    [_, *others] = owner.made("get_grades", course_id=course["id"])["categories"]
    text = TEXT.replace("Midterm", "Quiz 2: Monday, October 12, 2026\nMidterm")
    path = f"/courses/{course['id']}/syllabus"
    version = form_with("row", browser.post(path, {"text": text}).content.decode())
    owner.made("set_grade_categories", course_id=course["id"], categories=others)
    page = browser.post(path, version)
    assert (page.status_code, "Choose one of the listed categories." in page.content.decode()) == (422, True)
    assert "Quiz 2" not in categories(owner)
