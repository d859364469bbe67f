"""Scores as pages take and show them, and the form for many at once."""

from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from grades.models import GradeCategory
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import GradeScoreFactory, stored
from tests.support.forms import Fields, form_with
from tests.support.samples import UNKNOWN_ID

pytestmark = [
    pytest.mark.rest,
    pytest.mark.django_db,
    pytest.mark.database("sqlite", "other tests send the same statements"),
]


@pytest.fixture
def categories(owner: RestEntryPoint, course: Any) -> list[Any]:
    """Homework with HW 1 and HW 2, and Exams without items. One item has no category."""
    entries = [{"name": "Homework", "weight": 40}, {"name": "Exams", "weight": 60}]
    made = owner.made("set_grade_categories", course_id=course["id"], categories=entries)["categories"]
    owner.made("create_item", course_id=course["id"], title="Field trip")
    return list(made)


@pytest.fixture
def homework(owner: RestEntryPoint, course: Any, categories: Any) -> list[str]:
    """HW 1 and HW 2."""
    titles = ("HW 1", "HW 2")
    fields = {"course_id": course["id"], "category_id": categories[0]["id"], "due_on": "2031-01-10"}
    return [owner.made("create_item", title=title, **fields)["id"] for title in titles]


@pytest.fixture
def path(course: Any) -> str:
    return f"/courses/{course['id']}/scores"


def text_of(page: Any, status: int = 200) -> str:
    assert page.status_code == status
    return unescape(" ".join(page.content.decode().split()))


def form_of(browser: Client, path: str) -> Fields:
    return form_with("new0-score", browser.get(path).content.decode())


def scores(owner: RestEntryPoint, course: Any) -> list[Any]:
    found = owner.made("get_grades", course_id=course["id"])["categories"]
    names = ("label", "score", "points", "out_of", "item_id")
    return [tuple(score[name] for name in names) for category in found for score in category["scores"]]


@each(
    ("typed", "expected"),
    [
        ("17/20", (85, 17, 20)),
        ("17 / 20", (85, 17, 20)),
        ("17,5 / 20", (87.5, 17.5, 20)),
        ("17 of 20", (85, 17, 20)),
        ("85", (85, None, None)),
        ("85 %", (85, None, None)),
        ("85%", (85, None, None)),
        ("87,5", (87.5, None, None)),
        (" 87.5 ", (87.5, None, None)),
        ("150", (150, None, None)),
        ("30/20", (150, 30, 20)),
        ("0/20", (0, 0, 20)),
    ],
)
def test_a_score_may_be_typed_in_many_ways(
    *, browser: Client, owner: RestEntryPoint, course: Any, categories: Any, path: str, typed: str, expected: Any
) -> None:
    sent = {"label": "Midterm", "category_id": categories[1]["id"], "score": typed}
    assert browser.post(path, sent).status_code == 302
    assert scores(owner, course) == [("Midterm", *expected, None)]


@each(
    "typed", ["17/", "/20", "17/0", "17/20/20", "31/20", "151", "-1", "85 points", "1/2%", "NaN", "9" * 400, "1/100001"]
)
def test_other_words_are_rejected(
    *, browser: Client, owner: RestEntryPoint, course: Any, categories: Any, path: str, typed: str
) -> None:
    sent = {"label": "Midterm", "category_id": categories[1]["id"], "score": typed}
    page = text_of(browser.post(path, sent), 422)
    assert "Enter a number from 0 to 150. You can also enter points, like 17/20." in page
    assert f'value="{typed}"' in page
    assert scores(owner, course) == []


def test_a_score_is_shown_as_it_was_given(
    browser: Client, owner: RestEntryPoint, course: Any, categories: Any, homework: list[str]
) -> None:
    its = {"course_id": course["id"], "category_id": categories[0]["id"]}
    owner.made("add_grade_score", **its, item_id=homework[0], label="HW 1", points=17, out_of=20)
    owner.made("add_grade_score", **its, label="HW 3", points=2, out_of=3)
    owner.made("add_grade_score", **its, label="HW 4", score=87.5)
    page = text_of(browser.get(f"/courses/{course['id']}"))
    for shown in ("17/20 (85%)", "2/3 (66.67%)", "87.5%"):
        assert f'">{shown}<span class="unseen">, change the score of HW' in page
    assert ">17/20 (85%)<" in text_of(browser.get(f"/items/{homework[0]}"))


def test_the_form_has_the_items_that_wait_for_a_score(
    *, browser: Client, owner: RestEntryPoint, course: Any, categories: Any, homework: list[str], path: str
) -> None:
    its = {"course_id": course["id"], "category_id": categories[0]["id"]}
    owner.made("add_grade_score", **its, item_id=homework[0], label="HW 1", score=80)
    page = text_of(browser.get(path))
    assert (">HW 2</label>" in page, ">HW 1</label>" in page, ">Field trip</label>" in page) == (True, False, False)
    assert "Homework, 10 Jan 2031" in page
    assert "1 item has no category." in page
    form = form_of(browser, path)
    assert [name for name in form if name.endswith("-score")] == [f"new{place}-score" for place in range(5)]
    assert f'href="{path}"' in text_of(browser.get(f"/courses/{course['id']}"))


@pytest.mark.usefixtures("categories")
def test_the_form_says_why_it_has_no_items(browser: Client, owner: RestEntryPoint, course: Any, path: str) -> None:
    page = text_of(browser.get(path))
    assert "No item has a category yet." in page
    assert "Every item with a category has a score." not in page
    assert f'<a href="/courses/{course["id"]}/items/categories">Choose its category</a>' in page
    assert "No item has a category yet." in text_of(browser.post(path, {"new0-score": "x"}), 422)
    [trip] = owner.made("list_items", course_id=course["id"])["data"]
    owner.made("delete_item", item_id=trip["id"])
    assert "This course has no items yet." in text_of(browser.get(path))


def test_the_form_says_that_every_item_has_a_score(
    *, browser: Client, owner: RestEntryPoint, course: Any, categories: Any, homework: list[str], path: str
) -> None:
    for item in homework:
        fields = {"course_id": course["id"], "category_id": categories[0]["id"], "item_id": item}
        owner.made("add_grade_score", **fields, label="HW", score=80)
    assert "Every item with a category has a score." in text_of(browser.get(path))


def test_all_typed_scores_are_one_change(
    *, browser: Client, owner: RestEntryPoint, course: Any, categories: Any, homework: list[str], path: str
) -> None:
    before = scores(owner, course)
    form = form_of(browser, path) | {homework[0]: ["17/20"], homework[1]: [" "]}
    form |= {"new0-score": ["90"], "new0-category_id": [categories[1]["id"]], "new0-label": ["Midterm"]}
    form |= {"new3-label": ["no score"], "new3-category_id": ["nonsense"]}
    for _ in range(2):  # sent twice, it saves once
        answer = browser.post(path, form)
        assert (answer.status_code, answer.headers["Location"]) == (302, f"/courses/{course['id']}#grade")
    assert "Saved 2 scores." in text_of(browser.get(f"/courses/{course['id']}"))
    assert scores(owner, course) == [("HW 1", 85, 17, 20, homework[0]), ("Midterm", 90, None, None, None)]
    assert owner.made("get_item", item_id=homework[0])["status"] == "graded"
    [change, other] = owner.made("list_changes", limit=2)["data"]
    assert (change["operation"], other["operation"]) == ("add_grade_score", "create_item")
    owner.made("undo_change", change_id=change["id"])
    assert scores(owner, course) == before


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_a_double_click_saves_them_once(
    *,
    browser: Client,
    owner: RestEntryPoint,
    owner_member: Member,
    course: Any,
    homework: list[str],
    path: str,
    in_threads,
) -> None:
    form = form_of(browser, path) | {homework[0]: ["17/20"], homework[1]: ["18/20"]}
    clients = [Client(), Client(), Client()]
    for client in clients:
        client.force_login(owner_member)
    answers = in_threads(lambda client: client.post(path, form), clients)
    assert [answer.status_code for answer in answers] == [302, 302, 302]
    assert [score[1] for score in scores(owner, course)] == [85, 90]
    assert [one["operation"] for one in owner.made("list_changes")["data"]].count("add_grade_score") == 1


@each(
    ("sent", "field", "words"),
    [
        ({"new1-score": "nine"}, "new1-score", "Enter a number from 0 to 150."),
        ({"new1-category_id": ""}, "new1-category_id", "Choose a category."),
        ({"new1-category_id": UNKNOWN_ID}, "new1-category_id", "Choose one of the listed categories."),
        ({"new1-label": " "}, "new1-label", "Enter what was graded."),
        ({"new1-label": "x" * 121}, "new1-label", "Use at most 120 characters."),
    ],
)
def test_one_wrong_row_saves_none(
    *,
    browser: Client,
    owner: RestEntryPoint,
    course: Any,
    categories: Any,
    homework: list[str],
    path: str,
    sent: dict[str, str],
    field: str,
    words: str,
) -> None:
    right = {"new1-score": "90", "new1-category_id": categories[1]["id"], "new1-label": "Midterm"}
    page = browser.post(path, form_of(browser, path) | {homework[0]: "17/20"} | right | sent)
    text = text_of(page, 422)
    assert text.count(words) == 2, "in the summary and beside the field"
    assert f'href="#id_{field}"' in text
    assert form_with(homework[0], page.content.decode())[homework[0]] == ["17/20"]
    assert scores(owner, course) == []


def test_a_score_of_an_item_that_changed_meanwhile_is_rejected_with_its_input(
    *, browser: Client, owner: RestEntryPoint, course: Any, categories: Any, homework: list[str], path: str
) -> None:
    its = {"course_id": course["id"], "category_id": categories[0]["id"]}
    gone = owner.made("create_item", title="HW 3", **its)["id"]
    moved = owner.made("create_item", title="HW 4", **its)["id"]
    form = form_of(browser, path) | {homework[0]: "17/20", homework[1]: "1", gone: "2/20", moved: "3"}
    owner.made("add_grade_score", **its, item_id=homework[0], label="HW 1", score=80)
    owner.made("delete_item", item_id=gone)
    owner.made("update_item", item_id=moved, category_id=None)
    page = browser.post(path, form)
    text = text_of(page, 422)
    assert text.count("This item has a score already.") == 2
    assert text.count("This item has no category. Choose one first.") == 2
    assert text.count("You entered “2/20” for an item that no longer exists.") == 1
    again = form_with("new0-score", page.content.decode())
    assert [again[one] for one in (homework[0], homework[1], moved)] == [["17/20"], ["1"], ["3"]]
    assert [one[0] for one in scores(owner, course)] == ["HW 1"]
    assert browser.post(path, again | {homework[0]: "", moved: ""}).status_code == 302
    assert [one[0] for one in scores(owner, course)] == ["HW 1", "HW 2"]


def test_a_form_without_a_score_changes_nothing(
    browser: Client, owner: RestEntryPoint, course: Any, homework: list[str], path: str
) -> None:
    before = owner.made("list_changes")
    page = browser.post(path, form_of(browser, path), follow=True)
    assert "Nothing was changed." in text_of(page)
    assert owner.made("list_changes") == before


def test_over_500_scores_none_is_saved(
    *, browser: Client, owner: RestEntryPoint, owner_member: Member, course: Any, categories: Any, path: str
) -> None:
    its = {"course_id": course["id"], "category_id": categories[0]["id"]}
    items = [owner.made("create_item", title=f"HW {place}", **its)["id"] for place in range(2)]
    stored(GradeScoreFactory, 499, member=owner_member, category=GradeCategory(id=categories[1]["id"]))
    page = browser.post(path, form_of(browser, path) | dict.fromkeys(items, "17/20"))
    assert "You have reached the limit of 500 scores in this course." in text_of(page, 409)
    assert form_with(items[0], page.content.decode())[items[1]] == ["17/20"]
    assert len(scores(owner, course)) == 499


def test_a_page_has_a_hundred_items(
    browser: Client, owner: RestEntryPoint, course: Any, categories: Any, path: str
) -> None:
    its = {"course_id": course["id"], "category_id": categories[0]["id"]}
    for start in (0, 75):
        more = [
            {"title": f"Item {number}", "category_id": its["category_id"]} for number in range(start + 1, start + 75)
        ]
        owner.made("create_item", **its, title=f"Item {start}", more=more)
    with CaptureQueriesContext(connection) as statements:
        first = text_of(browser.get(path))
    assert (first.count(">Item "), '<a href="?page=2">Later items</a>' in first) == (100, True)
    assert len([one for one in statements if "SAVEPOINT" not in one["sql"]]) <= 6
    second = text_of(browser.get(f"{path}?page=2"))
    assert (second.count(">Item "), "Earlier items" in second) == (50, True)


def test_without_categories_it_says_so(browser: Client, owner: RestEntryPoint, course: Any, path: str) -> None:
    assert "This course has no grade categories yet." in text_of(browser.get(path))


def test_others_have_no_such_page(browser: Client, client: Client, stranger: RestEntryPoint, path: str) -> None:
    theirs = stranger.made("create_course", name="Theirs")["id"]
    for id_ in (theirs, UNKNOWN_ID):
        other = f"/courses/{id_}/scores"
        assert (browser.get(other).status_code, browser.post(other, {}).status_code) == (404, 404)
    assert client.get(path).status_code == 302
    Member.objects.update(membership_active=False)
    assert browser.get(path).status_code == 403
