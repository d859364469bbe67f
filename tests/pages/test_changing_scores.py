"""Changing a score on the pages, and entering one on the page of its item."""

from html import unescape
from typing import Any

import pytest
from django.test import Client

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import Fields, form_with
from tests.support.samples import UNKNOWN_ID

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.database("sqlite", "pages call tested operations")]


@pytest.fixture
def graded(owner: RestEntryPoint) -> Any:
    """A course with two grade categories."""
    course = owner.made("create_course", name="Biology")
    categories = [{"name": "Exams", "weight": 60}, {"name": "Quizzes", "weight": 40}]
    return owner.made("set_grade_categories", course_id=course["id"], categories=categories)


@pytest.fixture
def midterm(owner: RestEntryPoint, graded: Any) -> Any:
    """An item with a category."""
    fields = {"title": "Midterm", "kind": "exam", "category_id": graded["categories"][0]["id"]}
    return owner.made("create_item", course_id=graded["course_id"], **fields)


@pytest.fixture
def score(owner: RestEntryPoint, graded: Any, midterm: Any) -> Any:
    """The score of `midterm`."""
    fields = {"category_id": midterm["category_id"], "item_id": midterm["id"], "label": "Midterm"}
    return owner.made("add_grade_score", course_id=graded["course_id"], **fields, points=17, out_of=20)


def text_of(page: Any, status: int = 200) -> str:
    assert page.status_code == status
    return unescape(" ".join(page.content.decode().split()))


def form_of(browser: Client, score: Any) -> Fields:
    return form_with("score", browser.get(f"/scores/{score['id']}").content.decode())


def scores(owner: RestEntryPoint, graded: Any) -> list[Any]:
    found = owner.made("get_grades", course_id=graded["course_id"])["categories"]
    names = ("label", "score", "points", "out_of")
    return [(part["name"], *(one[name] for name in names)) for part in found for one in part["scores"]]


def changes(owner: RestEntryPoint) -> list[str]:
    return [one["operation"] for one in owner.made("list_changes")["data"]]


def test_a_score_leads_to_its_form(browser: Client, graded: Any, midterm: Any, score: Any) -> None:
    for path in (f"/courses/{graded['course_id']}", f"/items/{midterm['id']}"):
        page = text_of(browser.get(path))
        assert f'<a href="/scores/{score["id"]}">17/20 (85%)<span class="unseen">, change the score' in page
    form = form_of(browser, score)
    shown = [form[name] for name in ("score", "category_id", "label")]
    assert shown == [["17/20"], [midterm["category_id"]], ["Midterm"]]


@each(
    ("typed", "expected"),
    [("18,5/20", (92.5, 18.5, 20)), ("90 %", (90, None, None)), ("17 / 20", (85, 17, 20)), ("85", (85, 17, 20))],
)
def test_a_score_can_be_changed(
    *, browser: Client, owner: RestEntryPoint, graded: Any, score: Any, typed: str, expected: Any
) -> None:
    answer = browser.post(f"/scores/{score['id']}", form_of(browser, score) | {"score": [typed]})
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/courses/{graded['course_id']}#grade")
    assert scores(owner, graded) == [("Exams", "Midterm", *expected)]


def test_name_and_category_can_be_changed_and_undone(
    *, browser: Client, owner: RestEntryPoint, graded: Any, midterm: Any, score: Any
) -> None:
    quizzes = graded["categories"][1]["id"]
    form = form_of(browser, score) | {"label": ["First midterm"], "category_id": [quizzes]}
    browser.post(f"/scores/{score['id']}", form)
    assert scores(owner, graded) == [("Quizzes", "First midterm", 85, 17, 20)]
    assert owner.made("get_item", item_id=midterm["id"])["category_id"] == quizzes
    page = text_of(browser.get(f"/courses/{graded['course_id']}"))
    assert "Saved the score of “First midterm”." in page
    assert "Undo" in page
    owner.made("undo_change", change_id=owner.made("list_changes", limit=1)["data"][0]["id"])
    assert scores(owner, graded) == [("Exams", "Midterm", 85, 17, 20)]


def test_what_others_changed_meanwhile_is_kept(browser: Client, owner: RestEntryPoint, graded: Any, score: Any) -> None:
    form = form_of(browser, score) | {"label": ["First midterm"]}
    owner.made("update_grade_score", score_id=score["id"], score=99)
    browser.post(f"/scores/{score['id']}", form)
    assert scores(owner, graded) == [("Exams", "First midterm", 99, None, None)]
    before = changes(owner)
    browser.post(f"/scores/{score['id']}", form_of(browser, score))
    assert "Nothing was changed." in text_of(browser.get("/"))
    assert changes(owner) == before


@each(
    ("sent", "words"),
    [
        ({"score": ["151"]}, "Enter a number from 0 to 150. You can also enter points, like 17/20."),
        ({"score": [""]}, "Enter a number from 0 to 150. You can also enter points, like 17/20."),
        ({"label": [" "]}, "Enter what was graded."),
        ({"label": ["x" * 121]}, "Use at most 120 characters."),
        ({"category_id": [""]}, "Choose one of the listed categories."),
        ({"category_id": [UNKNOWN_ID]}, "Choose one of the listed categories."),
    ],
)
def test_a_rejected_change_is_shown_with_its_input(
    *, browser: Client, owner: RestEntryPoint, graded: Any, score: Any, sent: Fields, words: str
) -> None:
    before = scores(owner, graded)
    page = text_of(browser.post(f"/scores/{score['id']}", form_of(browser, score) | {"label": ["Exam 1"]} | sent), 422)
    assert "<title>Error: " in page
    assert words in page
    assert scores(owner, graded) == before


def test_a_strangers_score_is_not_found(browser: Client, owner: RestEntryPoint, stranger: RestEntryPoint) -> None:
    course = stranger.made("create_course", name="Latin")["id"]
    [labs] = stranger.made("set_grade_categories", course_id=course, categories=[{"name": "Labs", "weight": 1}])[
        "categories"
    ]
    theirs = stranger.made("add_grade_score", course_id=course, category_id=labs["id"], label="Lab 1", score=50)
    for id_ in (theirs["id"], UNKNOWN_ID):
        assert browser.get(f"/scores/{id_}").status_code == 404
        assert browser.post(f"/scores/{id_}", {"score": "1"}).status_code == 404


def test_a_score_can_be_entered_on_the_page_of_its_item(
    browser: Client, owner: RestEntryPoint, graded: Any, midterm: Any
) -> None:
    page = browser.get(f"/items/{midterm['id']}").content.decode()
    assert f'<label for="id_{midterm["id"]}">Score (%)</label>' in page
    form = form_with(midterm["id"], page) | {midterm["id"]: ["17/20"]}
    for _ in range(2):  # sent twice, it saves once
        assert browser.post(f"/courses/{graded['course_id']}/scores", form).status_code == 302
    assert scores(owner, graded) == [("Exams", "Midterm", 85, 17, 20)]
    assert changes(owner).count("add_grade_score") == 1
    assert f'name="{midterm["id"]}"' not in browser.get(f"/items/{midterm['id']}").content.decode()


def test_an_item_without_a_category_has_no_field_for_a_score(
    browser: Client, owner: RestEntryPoint, graded: Any
) -> None:
    item = owner.made("create_item", course_id=graded["course_id"], title="Field trip")
    assert f'name="{item["id"]}"' not in text_of(browser.get(f"/items/{item['id']}"))
