"""Changes on the page of a course: items, scores, grade categories."""

import re
from datetime import UTC, datetime
from html import unescape
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import Fields, form_with
from tests.support.samples import UNKNOWN_ID

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.same_statements]


@pytest.fixture
def graded(owner: RestEntryPoint) -> Any:
    """A course with two grade categories."""
    course = owner.made("create_course", name="Biology")
    categories = [{"name": "Exams", "weight": 60}, {"name": "Quizzes", "weight": 40, "drop_lowest": 1}]
    return owner.made("set_grade_categories", course_id=course["id"], categories=categories)


def path_of(graded: Any) -> str:
    return f"/courses/{graded['course_id']}"


def text_of(browser: Client, path: str, status: int = 200) -> str:
    page = browser.get(path)
    assert page.status_code == status, path
    return unescape(" ".join(page.content.decode().split()))


def form_of(browser: Client, path: str, field: str) -> Fields:
    return form_with(field, browser.get(path).content.decode())


def grades(owner: RestEntryPoint, graded: Any) -> Any:
    return owner.made("get_grades", course_id=graded["course_id"])


def changes(owner: RestEntryPoint) -> list[str]:
    return [one["operation"] for one in owner.made("list_changes")["data"]]


@time_machine.travel(datetime(2026, 11, 28, 12, tzinfo=UTC), tick=False)
def test_a_past_date_and_an_older_item_of_title_and_date_are_told(
    browser: Client, owner: RestEntryPoint, graded: Any
) -> None:
    twin = owner.made("create_item", course_id=graded["course_id"], title="Essay", due_on="2026-11-26")
    form = form_of(browser, path_of(graded), "kind") | {"title": ["essay"], "due_on": ["2026-11-26"]}
    browser.post(f"{path_of(graded)}/items", form)
    told = f'Biology already had <a href="/items/{twin["id"]}">an item with this title and date</a>.'
    assert f"Added “essay”. 26 November was 2 days ago. {told}" in text_of(browser, path_of(graded))


def test_an_item_can_be_added(browser: Client, owner: RestEntryPoint, graded: Any) -> None:
    exams = graded["categories"][0]["id"]
    form = form_of(browser, path_of(graded), "kind") | {"title": ["Midterm"], "kind": ["exam"]}
    form |= {"due_on": ["2031-01-10"], "category_id": [exams]}
    for _ in range(2):  # sent twice, it creates one
        answer = browser.post(f"{path_of(graded)}/items", form)
        assert (answer.status_code, answer.headers["Location"]) == (302, f"{path_of(graded)}?open=add-item#add-item")
    [item] = owner.made("list_items")["data"]
    assert [item[name] for name in ("title", "kind", "due_on", "category_id")] == [
        "Midterm",
        "exam",
        "2031-01-10",
        exams,
    ]
    page = text_of(browser, path_of(graded))
    assert f'<a class="title" href="/items/{item["id"]}"><strong>Midterm</strong></a>' in page
    for name in ("Tick Midterm", 'Delete<span class="unseen"> Midterm'):
        assert name in page
    assert browser.get(f"{path_of(graded)}/items").headers["Location"] == f"{path_of(graded)}#items"


def test_a_rejected_item_is_shown_with_its_input(browser: Client, owner: RestEntryPoint, graded: Any) -> None:
    wrong = {"title": "", "kind": "exam", "due_on": "2026-02-30", "category_id": UNKNOWN_ID}
    page = browser.post(f"{path_of(graded)}/items", wrong)
    text = page.content.decode()
    assert page.status_code == 422
    assert "Enter a title." in text
    assert "Choose one of the listed categories." in text
    assert 'value="2026-02-30"' in text
    assert '<option value="exam" selected>' in text
    assert '<details class="adding" id="add-item" open>' in text
    assert '<details class="adding" id="add-item" open>' in text_of(browser, f"{path_of(graded)}?open=add-item")
    assert '<details class="adding" id="add-item">' in text_of(browser, path_of(graded))
    assert owner.made("list_items")["data"] == []


def test_milestones_are_below_their_item(browser: Client, owner: RestEntryPoint, graded: Any) -> None:
    for title in ("Essay", "Report"):
        item = owner.made("create_item", course_id=graded["course_id"], title=title)
        for step in ("Outline", "Draft"):
            owner.made("create_milestone", item_id=item["id"], title=f"{step} of {title}")
    page = text_of(browser, path_of(graded))
    order = [">Essay<", "> Outline of Essay<", "> Draft of Essay<", ">Report<", "> Outline of Report<"]
    order[1:3] = ["Tick Outline of Essay", "Tick Draft of Essay"]
    order[4] = "Tick Outline of Report"
    places = [page.index(text) for text in order]
    assert places == sorted(places)
    step = owner.made("list_milestones", item_id=item["id"])["data"][0]
    browser.post(f"/milestones/{step['id']}/done", {"done": "true", "next": path_of(graded)})
    assert "Untick Outline of Report" in text_of(browser, path_of(graded))


def test_overdue_items_come_first(browser: Client, owner: RestEntryPoint, graded: Any) -> None:
    with time_machine.travel(datetime(2026, 11, 20, 12, tzinfo=UTC), tick=False):
        owner.made("create_item", course_id=graded["course_id"], title="Essay", due_on="2026-11-21")
        owner.made("create_item", course_id=graded["course_id"], title="Quiz", kind="quiz", due_on="2026-11-21")
        owner.made("create_item", course_id=graded["course_id"], title="Report", due_on="2026-11-27")
    with time_machine.travel(datetime(2026, 11, 23, 12, tzinfo=UTC), tick=False):
        page = text_of(browser, path_of(graded))
    order = [">Overdue</h2>", ">Essay<", "Coming up", ">Report<", "Past (1)", ">Quiz<"]
    places = [page.index(text) for text in order]
    assert places == sorted(places)


def test_overdue_steps_are_with_overdue_items(browser: Client, owner: RestEntryPoint, graded: Any) -> None:
    """A ticked one is below its item from the next page on."""
    with time_machine.travel(datetime(2026, 11, 20, 12, tzinfo=UTC), tick=False):
        owner.made("create_item", course_id=graded["course_id"], title="Essay", due_on="2026-11-21")
        item = owner.made("create_item", course_id=graded["course_id"], title="Report", due_on="2026-11-27")
        steps = [
            owner.made("create_milestone", item_id=item["id"], title=title, due_on=f"2026-11-{day}")
            for title, day in (("Outline", 22), ("Draft", 26))
        ]
    with time_machine.travel(datetime(2026, 11, 23, 12, tzinfo=UTC), tick=False):
        late, _, ahead = text_of(browser, path_of(graded)).partition("Coming up")
        assert late.index(">Overdue</h2>") < late.index("Tick Essay") < late.index("Tick Outline")
        assert "for Report · since Sun 22 Nov" in late
        assert "Outline" not in ahead
        assert ahead.index(">Report<") < ahead.index("Tick Draft")
        browser.post(f"/milestones/{steps[0]['id']}/done", {"done": "true", "next": path_of(graded)})
        late, _, ahead = text_of(browser, path_of(graded)).partition("Coming up")
        assert "Tick Outline" not in late
        assert ahead.index(">Report<") < ahead.index("Untick Outline")


def test_overdue_steps_move(browser: Client, owner: RestEntryPoint, graded: Any) -> None:
    path = path_of(graded)
    item = owner.made("create_item", course_id=graded["course_id"], title="Report")
    step = owner.made("create_milestone", item_id=item["id"], title="Outline", due_on="2020-01-01")
    assert "Move<span> Outline</span> to tomorrow" in text_of(browser, path)
    refused = browser.post(f"/milestones/{step['id']}/move", {"due_on": "", "next": path})
    page = refused.content.decode()
    assert refused.status_code == 422
    assert "<title>Error: Biology" in page
    assert f'<a href="#id_{step["id"]}_due_on">Date: Enter a date.</a>' in page
    moved = browser.post(f"/milestones/{step['id']}/move", {"do": "tomorrow", "next": path})
    assert (moved.status_code, moved.headers["Location"]) == (302, f"{path}#overdue")
    assert "Overdue" not in text_of(browser, path)


def test_the_grade_is_one_line_and_a_table(browser: Client, owner: RestEntryPoint, graded: Any) -> None:
    page = text_of(browser, path_of(graded))
    assert "No scores yet." in page
    assert "still possible" not in page
    exams, quizzes = (one["id"] for one in graded["categories"])
    for category, label, score in ((exams, "Midterm", 90), (quizzes, "Quiz 1", 60), (quizzes, "Quiz 2", 80.25)):
        owner.made("add_grade_score", course_id=graded["course_id"], category_id=category, label=label, score=score)
    owner.made("create_item", course_id=graded["course_id"], title="Final", kind="exam", category_id=exams)
    owner.made("create_item", course_id=graded["course_id"], title="Retake", kind="exam", category_id=exams)
    told = grades(owner, graded)
    outlook = told["outlook"]
    page = text_of(browser, path_of(graded))
    section = page[page.index('id="grade"') :]
    assert (
        f'<strong class="figure">{told["current_grade"]:g}%</strong> <span class="badge">{told["letter_grade"]}'
        in section
    )
    assert f"{outlook['worst']:g}% to {outlook['best']:g}% is still possible" in section
    rows = re.findall(r"<tr.*?</tr>", section[: section.index("</table>")])
    cells = [re.sub(r"<span class=.unseen.>,.*?</span>|<[^>]+>", " ", row).split() for row in rows]
    assert cells[1:] == [
        ["Exams", "60%", "90%"],
        ["Midterm", "90%", "Delete", "Midterm"],
        ["Quizzes", "lowest", "score", "dropped", "40%", "80.25%"],
        ["Quiz", "1", "dropped", "60%", "Delete", "Quiz", "1"],
        ["Quiz", "2", "80.25%", "Delete", "Quiz", "2"],
    ]
    assert 'role="img" aria-label="Grades that are still possible' in section


def test_not_everything_is_graded_while_an_item_has_no_category(
    browser: Client, owner: RestEntryPoint, graded: Any
) -> None:
    for category in graded["categories"]:
        fields = {"course_id": graded["course_id"], "category_id": category["id"]}
        owner.made("add_grade_score", **fields, label=category["name"], score=90)
    assert "Everything is graded" in text_of(browser, path_of(graded))
    owner.made("create_item", course_id=graded["course_id"], title="Final", kind="exam")
    page = text_of(browser, path_of(graded))
    assert "Everything is graded" not in page
    assert "Everything with a category is graded" in page
    assert "1 item has no category" in page


def test_a_course_without_categories_shows_the_next_step(browser: Client, course: Any) -> None:
    page = text_of(browser, f"/courses/{course['id']}")
    assert ">Grade</h2>" in page
    assert f'href="/courses/{course["id"]}/categories">Add grade categories</a>' in page
    assert "Add a score" not in page


def test_a_score_can_be_added_with_its_item_and_removed(browser: Client, owner: RestEntryPoint, graded: Any) -> None:
    exams = graded["categories"][0]["id"]
    item = owner.made("create_item", course_id=graded["course_id"], title="Midterm", kind="exam", category_id=exams)
    form = form_of(browser, path_of(graded), "score") | {"item_id": [item["id"]], "score": ["87,5"]}
    for _ in range(2):  # sent twice, it creates one
        answer = browser.post(f"{path_of(graded)}/scores", form)
        assert (answer.status_code, answer.headers["Location"]) == (302, f"{path_of(graded)}?open=add-score#add-score")
    [score] = grades(owner, graded)["categories"][0]["scores"]
    assert [score[name] for name in ("label", "score", "item_id")] == ["Midterm", 87.5, item["id"]]
    assert owner.made("get_item", item_id=item["id"])["status"] == "graded"
    late = form | {"form_key": [""]}
    refused = browser.post(f"{path_of(graded)}/scores", late)
    assert (refused.status_code, "This item has a score already" in refused.content.decode()) == (422, True)
    page = text_of(browser, path_of(graded))
    assert f'<option value="{item["id"]}"' not in page, "one score per item"
    assert f'<a href="/items/{item["id"]}">Midterm</a>' in page
    answer = browser.post(f"/scores/{score['id']}/delete", {"next": "/"})
    assert answer.headers["Location"] == f"{path_of(graded)}#grade"
    assert grades(owner, graded)["categories"][0]["scores"] == []
    assert changes(owner)[:2] == ["delete_grade_score", "add_grade_score"]
    owner.made("undo_change", change_id=owner.made("list_changes", limit=1)["data"][0]["id"])
    assert owner.made("get_item", item_id=item["id"])["status"] == "graded"


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"score": "151"}, "Enter a number from 0 to 150."),
        ({"score": "-0,1"}, "Enter a number from 0 to 150."),
        ({"score": "87,5,1"}, "Enter a number from 0 to 150."),
        ({"score": "NaN"}, "Enter a number from 0 to 150."),
        ({"score": ""}, "Enter a number from 0 to 150."),
        ({"label": ""}, "Enter what was graded."),
        ({"label": "x" * 121}, "Use at most 120 characters."),
        ({"category_id": ""}, "Choose a category."),
        ({"item_id": UNKNOWN_ID}, "Choose one of the listed items, or none."),
    ],
)
def test_a_rejected_score_is_shown_with_its_input(
    browser: Client, owner: RestEntryPoint, graded: Any, sent: dict[str, str], words: str
) -> None:
    owner.made("create_item", course_id=graded["course_id"], title="Midterm")
    right = {"label": "Oral exam", "score": "87,5", "category_id": graded["categories"][0]["id"]}
    page = browser.post(f"{path_of(graded)}/scores", right | sent)
    assert page.status_code == 422
    text = page.content.decode()
    assert words in text
    if "label" not in sent:
        assert 'value="Oral exam"' in text
    assert grades(owner, graded)["categories"][0]["scores"] == []


def test_an_item_of_another_category_is_rejected(browser: Client, owner: RestEntryPoint, graded: Any) -> None:
    exams, quizzes = (one["id"] for one in graded["categories"])
    item = owner.made("create_item", course_id=graded["course_id"], title="Quiz 1", category_id=quizzes)
    page = browser.post(f"{path_of(graded)}/scores", {"item_id": item["id"], "category_id": exams, "score": "80"})
    assert page.status_code == 422
    assert "This item is in another category." in page.content.decode()


def test_an_assumed_score_shows_the_resulting_grade(browser: Client, owner: RestEntryPoint, graded: Any) -> None:
    exams = graded["categories"][0]["id"]
    owner.made("add_grade_score", course_id=graded["course_id"], category_id=exams, label="Midterm", score=90)
    assumed = owner.made("get_grades", course_id=graded["course_id"], assume=72.5)["outlook"]["assumed"]
    page = text_of(browser, f"{path_of(graded)}?assume=72,5%25")
    assert "With 72.5% on everything left your grade is" in page
    assert f"<strong>{assumed['grade']:g}%</strong> ({assumed['letter']})" in page
    page = text_of(browser, f"{path_of(graded)}?assume=151", 422)
    assert "Enter a number from 0 to 150." in page
    assert 'value="151"' in page


def categories_of(owner: RestEntryPoint, graded: Any) -> list[tuple[str, float, int]]:
    return [(one["name"], one["weight"], one["drop_lowest"]) for one in grades(owner, graded)["categories"]]


def test_categories_can_be_changed_added_and_deleted(browser: Client, owner: RestEntryPoint, graded: Any) -> None:
    path = f"{path_of(graded)}/categories"
    exams, quizzes = (one["id"] for one in graded["categories"])
    owner.made("add_grade_score", course_id=graded["course_id"], category_id=exams, label="Midterm", score=90)
    before = changes(owner)
    form = form_of(browser, path, "known")
    assert browser.post(path, form).headers["Location"] == f"{path_of(graded)}#grade"
    assert changes(owner) == before, "a form without effect adds no change"
    form = form_of(browser, path, "known")
    form |= {f"{exams}-weight": ["33,3333"], f"{quizzes}-delete": ["on"], f"{quizzes}-weight": ["many"]}
    form |= {"new0-name": ["Labs"], "new0-weight": ["40"], "new0-drop_lowest": ["2"]}
    assert browser.post(path, form).status_code == 302
    assert categories_of(owner, graded) == [("Exams", 33.3333, 0), ("Labs", 40, 2)]
    assert [one["label"] for one in grades(owner, graded)["categories"][0]["scores"]] == ["Midterm"]
    late = browser.post(path, form | {"new0-name": ["Essays"]})
    assert late.status_code == 409, "sent before with other content"
    form = form_of(browser, path, "known")
    assert form[f"{exams}-weight"] == ["33.3333"]
    owner.made("undo_change", change_id=owner.made("list_changes", limit=1)["data"][0]["id"])
    assert categories_of(owner, graded) == [("Exams", 60, 0), ("Quizzes", 40, 1)]


@each(("typed", "weight"), [("50%", 50), ("50 %", 50), ("33,5%", 33.5), (" 12.5 % ", 12.5)])
def test_a_weight_may_end_with_a_percent_sign(
    *, browser: Client, owner: RestEntryPoint, graded: Any, typed: str, weight: float
) -> None:
    path = f"{path_of(graded)}/categories"
    form = form_of(browser, path, "known") | {f"{graded['categories'][0]['id']}-weight": [typed]}
    assert browser.post(path, form).status_code == 302
    assert categories_of(owner, graded)[0] == ("Exams", weight, 0)


def test_invalid_categories_are_shown_with_their_input(browser: Client, owner: RestEntryPoint, graded: Any) -> None:
    path = f"{path_of(graded)}/categories"
    exams = graded["categories"][0]["id"]
    form = form_of(browser, path, "known")
    wrong = {
        f"{exams}-name": [""],
        f"{exams}-weight": ["101"],
        f"{exams}-drop_lowest": ["21"],
        "new0-name": ["Labs"],
    } | {"new0-weight": ["%"]}
    page = browser.post(path, form | wrong)
    text = page.content.decode()
    assert page.status_code == 422
    assert "Enter a name." in text
    assert text.count("<li>Enter a number from 0 to 100.") == 2, "the new one has no weight"
    assert "Enter a whole number from 0 to 20." in text
    assert 'value="101"' in text
    assert categories_of(owner, graded) == [("Exams", 60, 0), ("Quizzes", 40, 1)]


def test_categories_changed_meanwhile_are_shown_again(browser: Client, owner: RestEntryPoint, graded: Any) -> None:
    path = f"{path_of(graded)}/categories"
    exams, quizzes = (one["id"] for one in graded["categories"])
    form = form_of(browser, path, "known") | {f"{exams}-weight": ["50"]}
    others = [{"id": exams, "name": "Exams", "weight": 70}, {"id": quizzes, "name": "Quizzes", "weight": 20}]
    others.append({"name": "Labs", "weight": 10})
    owner.made("set_grade_categories", course_id=graded["course_id"], categories=others)
    page = browser.post(path, form)
    assert page.status_code == 409
    again = form_with("known", page.content.decode())
    assert again[f"{exams}-weight"] == ["50"], "the input is kept"
    assert len(grades(owner, graded)["categories"]) == 3
    assert browser.post(path, again).status_code == 302
    assert categories_of(owner, graded) == [("Exams", 50, 0), ("Quizzes", 40, 1), ("Labs", 10, 0)]


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_a_double_click_saves_categories_once(
    browser: Client, owner: RestEntryPoint, graded: Any, owner_member: Member, in_threads: Any
) -> None:
    path = f"{path_of(graded)}/categories"
    form = form_of(browser, path, "known") | {"new0-name": ["Labs"], "new0-weight": ["10"]}
    clients = [Client(), Client(), Client()]
    for client in clients:
        client.force_login(owner_member)
    answers = in_threads(lambda client: client.post(path, form), clients)
    assert [answer.status_code for answer in answers] == [302, 302, 302]
    assert [one[0] for one in categories_of(owner, graded)] == ["Exams", "Quizzes", "Labs"]
    assert changes(owner).count("set_grade_categories") == 2, "the first form created the categories"


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_one_of_two_concurrent_forms_is_shown_again(
    browser: Client, owner: RestEntryPoint, graded: Any, owner_member: Member, in_threads: Any
) -> None:
    """Neither removes what the other added."""
    path = f"{path_of(graded)}/categories"

    def add(name: str) -> int:
        client = Client()
        client.force_login(owner_member)
        return client.post(path, forms[name]).status_code

    forms = {
        name: form_of(browser, path, "known") | {"new0-name": [name], "new0-weight": ["10"]}
        for name in ("Labs", "Essays")
    }
    assert sorted(in_threads(add, list(forms))) == [302, 409]
    assert len(categories_of(owner, graded)) == 3


def test_decks_of_the_course_link_to_studying(browser: Client, owner: RestEntryPoint, graded: Any) -> None:
    cards = [{"term": term, "definition": "Meaning"} for term in ("Nucleus", "Ribosome")]
    deck = owner.made("create_vocab_deck", name="Cells", course_id=graded["course_id"], cards=cards)
    owner.made("create_vocab_deck", name="French", cards=cards)
    page = text_of(browser, path_of(graded))
    assert f'href="/decks/{deck["id"]}/study">Study<span class="unseen"> Cells</span>' in page
    assert "2 cards · 2 today" in page
    assert "French" not in page


def test_a_strangers_course_is_not_found(browser: Client, stranger: RestEntryPoint, graded: Any) -> None:
    course = stranger.made("create_course", name="Botany")
    theirs = stranger.made("set_grade_categories", course_id=course["id"], categories=[{"name": "Labs", "weight": 1}])[
        "categories"
    ][0]["id"]
    score = stranger.made("add_grade_score", course_id=course["id"], category_id=theirs, label="Lab", score=1)
    for id_ in (course["id"], UNKNOWN_ID):
        assert browser.get(f"/courses/{id_}/categories").status_code == 404
        for form in ("items", "scores", "categories"):
            assert browser.post(f"/courses/{id_}/{form}", {"title": "Mine", "kind": "lab"}).status_code == 404
    for id_ in (score["id"], UNKNOWN_ID):
        assert browser.post(f"/scores/{id_}/delete").status_code == 404
    assert browser.get(f"/scores/{score['id']}/delete").status_code == 405
    answer = browser.post(f"{path_of(graded)}/scores", {"label": "Lab", "score": "1", "category_id": theirs})
    assert answer.status_code == 422
    assert len(stranger.made("get_grades", course_id=course["id"])["categories"][0]["scores"]) == 1


def test_a_lapsed_member_sees_where_to_renew(browser: Client, graded: Any) -> None:
    Member.objects.update(membership_active=False)
    for form in ("items", "scores", "categories"):
        answer = browser.post(f"{path_of(graded)}/{form}", {})
        assert answer.status_code == 403
        assert "Your membership is not active" in answer.content.decode()


@pytest.mark.parametrize("courses", [1, 2])
@pytest.mark.database("both")
def test_it_needs_at_most_eight_statements(browser: Client, owner: RestEntryPoint, graded: Any, courses: int) -> None:
    if courses == 2:
        owner.made("create_course", name="Physics")
    for number in range(12):
        item = owner.made("create_item", course_id=graded["course_id"], title=f"Sheet {number}", due_on="2031-01-10")
        owner.made("create_milestone", item_id=item["id"], title="Read")
        cards = [{"term": "Nucleus", "definition": "Meaning"}]
        owner.made("create_vocab_deck", name=f"Deck {number}", course_id=graded["course_id"], cards=cards)
    exams = graded["categories"][0]["id"]
    owner.made("add_grade_score", course_id=graded["course_id"], category_id=exams, label="Midterm", score=90)
    with CaptureQueriesContext(connection) as statements:
        page = browser.get(path_of(graded))
    told = [one["sql"] for one in statements if not one["sql"].startswith(("SAVEPOINT", "RELEASE"))]
    assert len(told) <= 8, told
    assert " style=" not in page.content.decode()
