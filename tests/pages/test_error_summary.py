"""A rejected form says so in its title and in a summary, with a link to each wrong field."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import resolve

from accounts.models import Member
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import form_with
from tests.support.page_forms import form_paths

pytestmark = [
    pytest.mark.rest,
    pytest.mark.django_db,
    pytest.mark.database("sqlite", "the look of pages"),
]

SUMMARY = re.compile(r'<div class="notice bad summary"[^>]*>.*?</div>', re.DOTALL)
LINK = re.compile(r'<a href="#([^"]+)">([^<]+)</a>')


@pytest.fixture
def known(owner: RestEntryPoint, owner_member: Member) -> dict[str, Any]:
    """An item with a step, its course with a category and a score, a deck with a card, and a key, as parts of paths."""
    course = owner.made("create_course", name="Biology")
    today = str(owner_member.today())
    item = owner.made("create_item", course_id=course["id"], title="Task 3", due_on=today)
    grades = owner.made("set_grade_categories", course_id=course["id"], categories=[{"name": "Exams", "weight": 100}])
    deck = owner.made("create_vocab_deck", name="Cells", cards=[{"term": "a", "definition": "b"}])
    step = owner.made("create_milestone", item_id=item["id"], title="Outline", due_on=today)
    fields = {"category_id": grades["categories"][0]["id"], "label": "Lab 1", "score": 80}
    score = owner.made("add_grade_score", course_id=course["id"], **fields)
    return {
        "course": course["id"],
        "item": item["id"],
        "step": step["id"],
        "deck": deck["id"],
        "card": deck["cards"][0]["id"],
        "category": grades["categories"][0]["id"],
        "score": score["id"],
        "key": str(owner_member.api_keys.get().id),
    }


def summary_of(page: str) -> list[tuple[str, str]]:
    """The targets and texts of the links in the only summary."""
    (summary,) = SUMMARY.findall(page)
    assert 'role="alert"' in summary
    assert 'tabindex="-1" autofocus' in summary
    return LINK.findall(summary)


def element(page: str, element_id: str) -> str:
    (found,) = re.findall(rf'<(?:input|select|textarea)[^>]*\bid="{re.escape(element_id)}"[^>]*>', page)
    return str(found)


def group_of(page: str, field: str) -> list[str]:
    """The descriptions of groups of boxes up to that of this field."""
    return re.findall(r'<fieldset[^>]* aria-describedby="([^"]+)"', page.partition(field)[0])


REJECTED: list[tuple[str, dict[str, str], list[str]]] = [
    ("/courses/{course}/items", {"title": "", "kind": "quiz"}, ["Title"]),
    ("/courses/{course}/items", {"title": "x" * 161, "kind": "sport", "due_on": "soon"}, ["Title", "Kind", "Date"]),
    ("/courses/{course}/scores", {"score": "many", "item_id": "{item}"}, ["Score (%)", "Category"]),
    ("/scores/{score}", {"score": "many", "label": ""}, ["Score (%)", "Category", "Name"]),
    ("/add", {"line": ""}, ["Add an item"]),
    ("/items/{item}/move", {"due_on": ""}, ["Date"]),
    ("/milestones/{step}/move", {"due_on": ""}, ["Date"]),
    ("/items/{item}", {"title": "", "kind": "quiz"}, ["Title"]),
    ("/items/{item}/milestones", {"title": ""}, ["Title"]),
    ("/courses/new/by-hand", {"name": ""}, ["Name"]),
    ("/courses/new", {"text": ""}, ["Or paste its text"]),
    (
        "/courses/{course}/categories",
        {"{category}-name": "", "{category}-weight": "x"},
        ["Name", "Weight (%)"],
    ),
    ("/decks/{deck}", {"term": "", "definition": ""}, ["Term", "Definition"]),
    ("/decks/{deck}/change", {"name": ""}, ["Name"]),
    ("/decks/{deck}/cards/{card}", {"term": "", "definition": "x"}, ["Term"]),
    ("/decks/new", {"name": "", "term": "a", "definition": "b"}, ["Name of the deck"]),
    ("/decks/import", {"name": "Cells"}, ["File"]),
    ("/courses/{course}/change", {"name": ""}, ["Name"]),
    ("/courses/{course}/calendar", {}, ["File"]),
    ("/courses/{course}/items/categories", {"{item}": "nothing"}, ["Task 3"]),
    ("/courses/{course}/scores", {"new0-label": "Lab", "new0-score": "many"}, ["Score (%)", "Category"]),
    ("/courses/{course}/syllabus", {"text": ""}, ["Or paste its text"]),
    ("/milestones/{step}", {"title": "", "place": "9"}, ["Title", "Place"]),
    ("/calendars", {"url": "", "name": "x" * 200}, ["Calendar address", "Name (optional)"]),
    ("/keys/{key}/limits", {"which": "these"}, ["Courses"]),
    ("/keys", {"name": "", "expires": "never"}, ["Name"]),
    ("/keys", {"name": "Script", "expires": "never", "which": "these"}, ["Courses"]),
    ("/account", {"time_zone": "Mars/Olympus", "retention": "90"}, ["Time zone"]),
    ("/account/delete", {"email": "someone@example.org"}, ["Your e-mail address, to confirm"]),
    ("/account/import", {}, ["Archive (.zip)"]),
]

WITHOUT_SUMMARY = {
    "a question or a button, which has no field that can be wrong": {
        "delete-course",
        "delete-deck",
        "delete-file",
        "delete-item",
        "delete-milestone",
        "delete-score",
        "delete-calendar",
        "change-cards",
        "end-course",
        "reopen-course",
        "tick-item",
        "tick-milestone",
        "dismiss-assistant",
        "study",
        "study-deck",
        "study-item",
        "undo-answer",
        "undo-answer-deck",
        "undo-answer-item",
        "undo-change",
        "undo-today",
    },
    "a table or form of an object that other tests have": {
        "calendar",
        "limit-app",
        "review-new-syllabus",
        "review-syllabus",
    },
}


def test_every_form_is_rejected_here(browser: Client, known: dict[str, Any]) -> None:
    tried = {resolve(path.format(**known)).url_name for path, *_ in REJECTED}
    assert form_paths(browser).keys() - tried == set().union(*WITHOUT_SUMMARY.values())


@each(("path", "sent", "labels"), REJECTED)
def test_a_rejected_form_has_a_summary_with_links_to_its_fields(
    browser: Client, known: dict[str, Any], path: str, sent: dict[str, str], labels: list[str]
) -> None:
    fields = {name.format(**known): value.format(**known) for name, value in sent.items()}
    answer = browser.post(path.format(**known), fields)
    page = answer.content.decode()
    assert answer.status_code in {409, 422}
    assert "<title>Error: " in page
    links = summary_of(page)
    assert [text.split(": ")[0] for _, text in links] == labels
    for target, _ in links:
        field = element(page, target)
        assert 'aria-invalid="true"' in field, field
        described = re.findall(r'aria-describedby="([^"]+)"', field) or group_of(page, field)
        assert any(f'<ul class="errorlist" id="{one}">' in page for one in described[-1].split())


def test_a_summary_counts_what_it_leaves_out(browser: Client, known: dict[str, Any]) -> None:
    text = "Fall 2026\n\n" + "\n".join(f"Essay {n} due October {n}, 2026" for n in range(1, 15))
    form = form_with("approve", browser.post("/courses/new", {"text": text}).content.decode())
    titles = [name for name in form if name.endswith("-title")]
    page = browser.post("/courses/new", form | dict.fromkeys(titles, [""]) | {"name": ["Biology"]}).content.decode()
    assert len(titles) == 14
    assert len(summary_of(page)) == 10
    assert "And 4 more." in page


def test_a_page_without_errors_has_no_summary(browser: Client, known: dict[str, Any]) -> None:
    for path in ("/courses/{course}", "/items/{item}", "/keys", "/account", "/courses/new", "/decks/{deck}"):
        assert "summary" not in "".join(
            re.findall(r'class="([^"]*)"', browser.get(path.format(**known)).content.decode())
        )


def test_a_key_over_the_limit_is_rejected_with_409(browser: Client, owner_member: Member) -> None:
    for number in range(12):
        answer = browser.post("/keys", {"name": f"Key {number}", "expires": "never"})
    assert answer.status_code == 409
    assert summary_of(answer.content.decode()) == []


def test_no_field_cuts_what_is_pasted(browser: Client, known: dict[str, Any]) -> None:
    """A `maxlength` would cut it without a word. The server says what is too long, and keeps it."""
    for path in ("/courses/{course}", "/items/{item}", "/keys", "/courses/new/by-hand", "/decks/{deck}", "/calendars"):
        fields = re.findall(
            r"<(?:input|textarea)[^>]*maxlength[^>]*>", browser.get(path.format(**known)).content.decode()
        )
        assert [field for field in fields if 'type="search"' not in field] == [], path
    text = "Fall 2026\n\nEssay due October 5, 2026\n\nEssays: 100%"
    assert "maxlength" not in browser.post("/courses/new", {"text": text}).content.decode()
