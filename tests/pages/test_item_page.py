"""The page of an item: its details, its milestones, and the plan for an exam."""

import re
from fractions import Fraction
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import Fields, form_with
from tests.support.grade_oracle import half_up
from tests.support.samples import UNKNOWN_ID

pytestmark = [
    pytest.mark.rest,
    pytest.mark.django_db,
    pytest.mark.same_statements,
    pytest.mark.time_machine("2026-11-23T12:00:00Z"),
]


@pytest.fixture
def graded_course(owner: RestEntryPoint) -> Any:
    """A course with two grade categories."""
    course = owner.made("create_course", name="Biology")
    categories = [{"name": "Exams", "weight": 60}, {"name": "Labs", "weight": 40}]
    return owner.made("set_grade_categories", course_id=course["id"], categories=categories)


@pytest.fixture
def essay(owner: RestEntryPoint, graded_course: Any) -> Any:
    fields = {"title": "Essay 1", "kind": "paper", "due_on": "2026-12-01", "note": "Ten pages.\nOn cells."}
    return owner.made("create_item", course_id=graded_course["course_id"], **fields)


def text_of(browser: Client, path: str, status: int = 200) -> str:
    page = browser.get(path)
    assert page.status_code == status, path
    return unescape(" ".join(page.content.decode().split()))


def details(browser: Client, item: Any) -> Fields:
    """The form of the item as a browser has it."""
    return form_with("note", browser.get(f"/items/{item['id']}").content.decode())


def as_a_browser(form: Fields) -> Fields:
    """A browser's form data, with CRLF line ends."""
    return {name: [re.sub(r"\r?\n", "\r\n", value) for value in values] for name, values in form.items()}


def changes(owner: RestEntryPoint) -> list[str]:
    return [one["operation"] for one in owner.made("list_changes")["data"]]


def test_one_form_changes_it(browser: Client, owner: RestEntryPoint, essay: Any, graded_course: Any) -> None:
    labs = graded_course["categories"][1]["id"]
    form = as_a_browser(details(browser, essay))
    form |= {"title": ["Essay 2"], "kind": ["project"], "due_on": ["2026-12-08"], "category_id": [labs]}
    answer = browser.post(f"/items/{essay['id']}", form)
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/items/{essay['id']}")
    stored = owner.made("get_item", item_id=essay["id"])
    assert [stored[name] for name in ("title", "kind", "due_on", "category_id", "note")] == [
        "Essay 2",
        "project",
        "2026-12-08",
        labs,
        "Ten pages.\nOn cells.",
    ]
    assert changes(owner)[0] == "update_item"
    form = details(browser, essay) | {"due_on": [""], "category_id": [""], "note": [""]}
    browser.post(f"/items/{essay['id']}", form)
    stored = owner.made("get_item", item_id=essay["id"])
    assert [stored[name] for name in ("due_on", "category_id", "note")] == [None, None, None]


@pytest.mark.parametrize("note", ["Ten pages.\nOn cells.", "Ten pages.\r\nOn cells.\r", "\n x\n\ny"])
def test_an_unchanged_form_adds_no_change(browser: Client, owner: RestEntryPoint, essay: Any, note: str) -> None:
    owner.made("update_item", item_id=essay["id"], note=note, title="Essay\n1")
    before = changes(owner)
    form = as_a_browser(details(browser, essay)) | {"title": ["Essay1"]}  # a text field drops line ends
    page = browser.post(f"/items/{essay['id']}", form, follow=True)
    assert "Nothing was changed." in page.content.decode()
    bare = {name: value for name, value in form.items() if not name.startswith("initial-")}
    browser.post(f"/items/{essay['id']}", bare)
    assert changes(owner) == before


def test_concurrent_changes_by_others_are_kept(browser: Client, owner: RestEntryPoint, essay: Any) -> None:
    form = details(browser, essay)
    owner.made("update_item", item_id=essay["id"], due_on="2026-12-05", note="Twelve pages.")
    browser.post(f"/items/{essay['id']}", as_a_browser(form | {"title": ["Essay on cells"]}))
    stored = owner.made("get_item", item_id=essay["id"])
    assert [stored[name] for name in ("title", "due_on", "note")] == ["Essay on cells", "2026-12-05", "Twelve pages."]


def test_a_note_with_many_lines_fits(browser: Client, owner: RestEntryPoint, essay: Any) -> None:
    """A browser sends two characters for each line end."""
    note = "x\n" * 999 + "xx"
    browser.post(f"/items/{essay['id']}", as_a_browser(details(browser, essay) | {"note": [note]}))
    assert owner.made("get_item", item_id=essay["id"])["note"] == note


def test_a_rejected_form_is_shown_with_its_input(browser: Client, owner: RestEntryPoint, essay: Any) -> None:
    before = changes(owner)
    form = details(browser, essay)
    wrong = {"title": [""], "kind": ["party"], "due_on": ["2026-02-30"], "note": ["x" * 2001], "category_id": ["none"]}
    page = browser.post(f"/items/{essay['id']}", form | wrong)
    text = page.content.decode()
    assert page.status_code == 422
    for words in (
        "Enter a title.",
        "Choose a listed kind.",
        "Enter a complete date, or leave it empty.",
        "Use at most 2000 characters.",
        "Choose one of the listed categories.",
    ):
        assert words in text
    again = form_with("note", text)
    assert again["due_on"] == ["2026-02-30"]
    assert again["initial-due_on"] == ["2026-12-01"], "the value first shown on the page"
    assert changes(owner) == before
    other = owner.made("create_course", name="Physics")
    foreign = owner.made("set_grade_categories", course_id=other["id"], categories=[{"name": "Labs", "weight": 1}])[
        "categories"
    ][0]["id"]
    assert browser.post(f"/items/{essay['id']}", form | {"category_id": [foreign]}).status_code == 422


def test_a_graded_item_keeps_its_category(
    browser: Client, owner: RestEntryPoint, essay: Any, graded_course: Any
) -> None:
    labs = graded_course["categories"][1]["id"]
    score = {"category_id": labs, "item_id": essay["id"], "label": "Essay", "score": 87.5}
    owner.made("add_grade_score", course_id=graded_course["course_id"], **score)
    page = text_of(browser, f"/items/{essay['id']}")
    assert "Its score sets the category." in page
    assert ">87.5%<" in page
    assert "Tick Essay 1" not in page, "a score marks it as done"
    browser.post(f"/items/{essay['id']}", details(browser, essay) | {"category_id": [""], "title": ["Essay 2"]})
    stored = owner.made("get_item", item_id=essay["id"])
    assert (stored["title"], stored["category_id"]) == ("Essay 2", labs)


def test_a_done_item_is_marked(browser: Client, owner: RestEntryPoint, essay: Any) -> None:
    path = f"/items/{essay['id']}"
    assert "Done</span>" not in text_of(browser, path)
    browser.post(f"{path}/done", {"done": "true", "next": path})
    page = text_of(browser, path)
    assert "Done</span> 23 Nov 2026" in page
    assert "Untick Essay 1" in page


@pytest.mark.parametrize(
    ("target", "leads"),
    [("/courses", "/courses"), ("/?minutes=60", "/?minutes=60"), ("https://evil.example/", "/keys"), ("", "/")],
)
def test_marking_as_done_returns_to_the_page(browser: Client, essay: Any, target: str, leads: str) -> None:
    answer = browser.post(f"/items/{essay['id']}/done", {"done": "true", "next": target})
    assert answer.headers["Location"].partition("#")[0] == leads


def test_it_links_its_course(browser: Client, essay: Any) -> None:
    assert '<a href="/courses" aria-current="true">Courses</a>' in text_of(browser, f"/items/{essay['id']}")


def test_it_shows_its_worth(browser: Client, owner: RestEntryPoint, essay: Any, graded_course: Any) -> None:
    assert "of the grade" not in text_of(browser, f"/items/{essay['id']}")
    owner.made("update_item", item_id=essay["id"], category_id=graded_course["categories"][1]["id"])
    assert "40% of the grade" in text_of(browser, f"/items/{essay['id']}")


def test_milestones_can_be_added_changed_ordered_and_deleted(
    browser: Client, owner: RestEntryPoint, essay: Any
) -> None:
    path = f"/items/{essay['id']}"
    for title in ("Outline", "Draft"):
        form = form_with("form_key", browser.get(path).content.decode())
        for _ in range(2):  # sent twice, it creates one
            answer = browser.post(f"{path}/milestones", form | {"title": [title], "due_on": ["2026-11-25"]})
            assert (answer.status_code, answer.headers["Location"]) == (302, f"{path}#milestones")
    outline, draft = owner.made("list_milestones", item_id=essay["id"])["data"]
    assert [(one["title"], one["due_on"]) for one in (outline, draft)] == [
        ("Outline", "2026-11-25"),
        ("Draft", "2026-11-25"),
    ]
    page = text_of(browser, path)
    for name in ("Tick", "Change", "Save", "Delete"):
        assert re.search(rf'{name}(<span class="unseen">)? Outline</span>', page), name
    change = {"title": "First draft", "due_on": "", "place": "1"}
    answer = browser.post(f"/milestones/{draft['id']}", change)
    assert answer.headers["Location"] == f"{path}#milestones"
    there = owner.made("list_milestones", item_id=essay["id"])["data"]
    assert [(one["title"], one["due_on"]) for one in there] == [("First draft", None), ("Outline", "2026-11-25")]
    before = changes(owner)
    browser.post(f"/milestones/{draft['id']}", change)
    assert changes(owner) == before
    browser.post(f"/milestones/{outline['id']}/delete")
    assert [one["title"] for one in owner.made("list_milestones", item_id=essay["id"])["data"]] == ["First draft"]
    owner.made("undo_change", change_id=owner.made("list_changes", limit=1)["data"][0]["id"])
    assert len(owner.made("list_milestones", item_id=essay["id"])["data"]) == 2


def test_each_field_has_a_unique_id(browser: Client, owner: RestEntryPoint, essay: Any) -> None:
    for title in ("Outline", "Draft"):
        owner.made("create_milestone", item_id=essay["id"], title=title)
    ids = re.findall(r'\sid="([^"]+)"', text_of(browser, f"/items/{essay['id']}"))
    assert sorted(set(ids)) == sorted(ids)


def test_a_rejected_milestone_is_shown_with_its_input(browser: Client, owner: RestEntryPoint, essay: Any) -> None:
    path = f"/items/{essay['id']}"
    step = owner.made("create_milestone", item_id=essay["id"], title="Outline")
    page = browser.post(f"{path}/milestones", {"title": "x" * 301, "due_on": "soon"})
    text = page.content.decode()
    assert page.status_code == 422
    assert "Use at most " in text
    assert 'value="soon"' in text
    page = browser.post(f"/milestones/{step['id']}", {"title": "", "due_on": "", "place": "2"})
    text = page.content.decode()
    assert page.status_code == 422
    assert "Enter a title." in text
    assert "Choose a listed place." in text
    assert '<details class="inline" open>' in text
    for lost in (f"{path}/milestones", f"/milestones/{step['id']}"):
        assert browser.get(lost).headers["Location"] == f"{path}#milestones", "as after a rejected form"
    for number in range(19):
        owner.made("create_milestone", item_id=essay["id"], title=f"Step {number}")
    assert "You have reached the limit of 20 steps." in text_of(browser, path)
    page = browser.post(f"{path}/milestones", {"title": "One more"})
    assert page.status_code == 409


def exam_with_cards(owner: RestEntryPoint, course_id: str, cards: int = 3, due_on: str = "2026-12-03") -> Any:
    terms = [{"term": f"Word {number}", "definition": "Meaning"} for number in range(cards)]
    deck = owner.made("create_vocab_deck", name="Cells", course_id=course_id, cards=terms)
    owner.made("review_vocab_card", card_id=deck["cards"][0]["id"], rating="good")
    return owner.made("create_item", course_id=course_id, title="Midterm", kind="exam", due_on=due_on)


def test_an_exam_has_a_plan(browser: Client, owner: RestEntryPoint, graded_course: Any) -> None:
    exam = exam_with_cards(owner, graded_course["course_id"])
    for query, minutes in (("", 20), ("?minutes=5", 5)):
        plan = owner.made("get_item", item_id=exam["id"], minutes_a_day=minutes)["study_plan"]
        page = text_of(browser, f"/items/{exam['id']}{query}")
        predicted, without = (f"{half_up(Fraction(str(plan[name])), 1):g}%" for name in ("predicted", "without"))
        assert f"<strong>{predicted}</strong> of 3 cards on the day, if your memory follows our" in page
        assert f"Without studying: {without}." in page
        assert re.search(rf'<input type="number" name="minutes" value="{minutes}"[^>]* min="5" max="600"', page)
        told = re.findall(r'<td class="whole">(.*?)</td>', page)
        assert (told[:2], len(told)) == (["Today", "Tue 24 Nov"], len(plan["days"]))
        assert len(re.findall(r'role="img" aria-label="[^"]+ numbers."', page)) == 2
        assert " style=" not in page


def test_one_new_card_counts_as_forgotten(browser: Client, owner: RestEntryPoint, graded_course: Any) -> None:
    course = {"course_id": graded_course["course_id"]}
    exam = owner.made("create_item", **course, title="Quiz", kind="quiz", due_on="2026-12-05")
    deck = owner.made("create_vocab_deck", **course, name="Cells", cards=[{"term": "a", "definition": "b"}])
    page = text_of(browser, f"/items/{exam['id']}")
    assert "of 1 card on the day" in page
    assert "1 card is new to you and counts as forgotten." in page
    owner.made("add_vocab_cards", deck_id=deck["id"], cards=[{"term": "c", "definition": "d"}])
    assert "2 cards are new to you and count as forgotten." in text_of(browser, f"/items/{exam['id']}")


@pytest.mark.parametrize("minutes", ["4", "601", "", "many", "1e9", "9" * 5000])
def test_invalid_minutes_are_rejected(browser: Client, owner: RestEntryPoint, graded_course: Any, minutes: str) -> None:
    exam = exam_with_cards(owner, graded_course["course_id"])
    page = browser.get(f"/items/{exam['id']}", {"minutes": minutes})
    assert page.status_code == 422
    assert "Enter a whole number from 5 to 600." in page.content.decode()


def test_other_items_have_no_plan(browser: Client, owner: RestEntryPoint, graded_course: Any, essay: Any) -> None:
    exam = exam_with_cards(owner, graded_course["course_id"], due_on="2026-11-23")
    page = text_of(browser, f"/items/{exam['id']}")
    assert "Without studying, you will remember" in page
    assert "Minutes a day" not in page
    assert "Are you ready?" not in text_of(browser, f"/items/{essay['id']}")
    other = owner.made("create_course", name="Physics")
    quiz = owner.made("create_item", course_id=other["id"], title="Quiz", kind="quiz", due_on="2026-12-03")
    page = text_of(browser, f"/items/{quiz['id']}")
    assert "This course has no flashcards." in page
    assert "Grade category" not in page


def test_a_strangers_item_is_not_found(browser: Client, stranger: RestEntryPoint) -> None:
    course = stranger.made("create_course", name="Botany")
    item = stranger.made("create_item", course_id=course["id"], title="Herbarium")
    step = stranger.made("create_milestone", item_id=item["id"], title="Collect")
    for id_ in (item["id"], UNKNOWN_ID):
        assert browser.get(f"/items/{id_}").status_code == 404
        assert browser.post(f"/items/{id_}", {"title": "Mine", "kind": "lab"}).status_code == 404
        assert browser.post(f"/items/{id_}/milestones", {"title": "Mine"}).status_code == 404
    for id_ in (step["id"], UNKNOWN_ID):
        assert browser.post(f"/milestones/{id_}", {"title": "Mine", "place": "1"}).status_code == 404
        assert browser.get(f"/milestones/{id_}").status_code == 404
        assert browser.post(f"/milestones/{id_}/delete").status_code == 404
    assert stranger.made("get_item", item_id=item["id"])["title"] == "Herbarium"


def test_lapsed_members_and_visitors_see_nothing(browser: Client, client: Client, essay: Any) -> None:
    path = f"/items/{essay['id']}"
    assert client.get(path).headers["Location"] == f"/sign-in?next={path}"
    Member.objects.update(membership_active=False)
    for answer in (browser.get(path), browser.post(path, {"title": "Mine"}), browser.post(f"{path}/milestones", {})):
        assert answer.status_code == 403
        assert "Your membership is not active" in answer.content.decode()
        assert "Essay 1" not in answer.content.decode()


@pytest.mark.database("both")
def test_it_needs_at_most_eight_statements(browser: Client, owner: RestEntryPoint, graded_course: Any) -> None:
    exam = exam_with_cards(owner, graded_course["course_id"], cards=40)
    for number in range(20):
        owner.made("create_milestone", item_id=exam["id"], title=f"Step {number}")
    with CaptureQueriesContext(connection) as statements:
        page = browser.get(f"/items/{exam['id']}")
    told = [one["sql"] for one in statements if not one["sql"].startswith(("SAVEPOINT", "RELEASE"))]
    assert len(told) <= 8, told
    assert len(page.content) < 100_000


def test_an_item_moved_before_its_steps_says_so(browser: Client, owner: RestEntryPoint, essay: Any) -> None:
    """With a link to them, once, and only for open ones."""
    days = {"Read": "2026-11-25", "Outline": "2026-11-28", "Draft": "2026-11-30", "Done": "2026-11-30"}
    for title, day in days.items():
        step = owner.made("create_milestone", item_id=essay["id"], title=title, due_on=day)
    owner.made("update_milestone", milestone_id=step["id"], done=True)
    path = f"/items/{essay['id']}"

    def moved(day: str) -> str:
        assert browser.post(path, details(browser, essay) | {"due_on": [day]}).status_code == 302
        return text_of(browser, path)

    link = f'<a href="{path}#milestones">Change the steps</a>'
    assert f"2 open steps are now later than “Essay 1”. {link}" in moved("2026-11-27")
    assert f"1 open step is now later than “Essay 1”. {link}" in moved("2026-11-28")
    assert "now later than" not in moved("2026-12-05")
    assert "now later than" not in moved("")
    owner.made("update_item", item_id=essay["id"], title="<b>Essay</b>")
    assert "later than “<b>Essay</b>”" in moved("2026-11-24"), "escaped, which text_of reverts"
    browser.post(path, details(browser, essay) | {"due_on": ["2026-11-24"], "note": ["Other"]})
    assert "now later than" not in text_of(browser, path), "it was not moved"


def test_an_item_given_a_date_in_the_past_says_so(browser: Client, essay: Any) -> None:
    path = f"/items/{essay['id']}"
    browser.post(path, details(browser, essay) | {"due_on": ["2026-01-09"]})
    assert re.search(r"Saved “Essay 1”. 9 January was \d+ days ago.", text_of(browser, path))
    browser.post(path, details(browser, essay) | {"due_on": ["2026-01-09"], "note": ["Other"]})
    assert "days ago" not in text_of(browser, path), "its date is the same"


@pytest.fixture
def late(owner: RestEntryPoint, essay: Any) -> str:
    """What is said of a step after 1 December, the date of its item."""
    owner.made("update_item", item_id=essay["id"], due_on="2026-12-01")
    return f'It is later than “Essay 1”. <a href="/items/{essay["id"]}#milestones">Change the steps</a>'


def test_a_new_step_later_than_its_item_says_so(browser: Client, essay: Any, late: str) -> None:
    path = f"/items/{essay['id']}"
    for day, told in (("2026-12-02", f"Added “Outline”. {late}"), ("2026-12-01", "Added “Outline”. <")):
        browser.post(f"{path}/milestones", {"title": "Outline", "due_on": day})
        assert told in text_of(browser, path)


def test_a_changed_step_later_than_its_item_says_so(
    browser: Client, owner: RestEntryPoint, essay: Any, late: str
) -> None:
    path = f"/items/{essay['id']}"
    step = owner.made("create_milestone", item_id=essay["id"], title="Outline")
    for day, told in (("2026-12-02", f"Saved “Outline”. {late}"), ("2026-12-01", "Saved “Outline”. <")):
        form = form_with("place", browser.get(path).content.decode())
        browser.post(f"/milestones/{step['id']}", form | {"due_on": [day]})
        assert told in text_of(browser, path)
    form = form_with("place", browser.get(path).content.decode())
    browser.post(f"/milestones/{step['id']}", form | {"title": ["Plan"]})
    assert "Saved “Plan”. <" in text_of(browser, path)
