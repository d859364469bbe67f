"""Times of day on the pages: shown wherever an item's date is, entered in every form of an item."""

from datetime import UTC, datetime
from typing import Any

import pytest
import time_machine
from django.test import Client

from tests.support.calendar_files import CANVAS, calendar, event
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import form_with, row_of

pytestmark = [
    pytest.mark.rest,
    pytest.mark.django_db,
    pytest.mark.database("sqlite", "other tests send the same statements"),
]

TEXT = "BIO 210 Cell Biology\nFall 2026\n\nEssay 1 due Thursday, December 3, 2026 by 5 pm\n"


@pytest.fixture(autouse=True)
def _now() -> Any:
    with time_machine.travel(datetime(2026, 12, 1, 12, tzinfo=UTC), tick=False):
        yield


@pytest.fixture
def essay(owner: RestEntryPoint, course: Any) -> Any:
    fields = {"title": "Essay", "kind": "paper", "due_on": "2026-12-03", "due_time": "17:00"}
    return owner.made("create_item", course_id=course["id"], **fields)


def due(owner: RestEntryPoint) -> list[tuple[str, str | None, str | None]]:
    return [(item["title"], item["due_on"], item["due_time"]) for item in owner.made("list_items")["data"]]


@each("path", ["/", "/courses", "/courses/{course_id}", "/items/{id}", "/courses/{course_id}/items/{id}/delete"])
def test_a_page_that_shows_the_date_shows_the_time(browser: Client, essay: Any, path: str) -> None:
    page = browser.get(path.format(**essay))
    assert page.status_code == 200, path
    assert "17:00" in page.content.decode()


def test_an_item_is_added_with_a_time(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    form = form_with("title", browser.get(f"/courses/{course['id']}").content.decode())
    sent = form | {"title": ["Quiz"], "kind": ["quiz"], "due_on": ["2026-12-03"], "due_time": ["09:30"]}
    assert browser.post(f"/courses/{course['id']}/items", sent).status_code == 302
    assert due(owner) == [("Quiz", "2026-12-03", "09:30")]


@each(
    ("due_at", "error"),
    [
        (("", "09:30"), "Enter a date too, or leave the time empty."),
        (("2026-12-03", "24:00"), "Enter a complete time, like 17:00, or leave it empty."),
    ],
)
def test_a_wrong_time_is_refused_beside_its_field(
    browser: Client, owner: RestEntryPoint, course: Any, due_at: tuple[str, str], error: str
) -> None:
    form = form_with("title", browser.get(f"/courses/{course['id']}").content.decode())
    sent = form | {"title": ["Quiz"], "kind": ["quiz"], "due_on": [due_at[0]], "due_time": [due_at[1]]}
    answer = browser.post(f"/courses/{course['id']}/items", sent)
    assert answer.status_code == 422
    assert error in answer.content.decode()
    assert due(owner) == []


@each(
    ("changes", "expected"),
    [
        ({"due_time": ["09:30"]}, ("2026-12-03", "09:30")),
        ({"due_time": [""]}, ("2026-12-03", None)),
        ({"due_on": ["2026-12-10"]}, ("2026-12-10", "17:00")),
        ({"due_on": [""]}, (None, None)),
    ],
)
def test_the_time_of_an_item_is_changed(
    browser: Client, owner: RestEntryPoint, essay: Any, changes: Any, expected: Any
) -> None:
    form = form_with("note", browser.get(f"/items/{essay['id']}").content.decode())
    assert form["due_time"] == ["17:00"]
    assert browser.post(f"/items/{essay['id']}", form | changes).status_code == 302
    assert due(owner) == [("Essay", *expected)]


def test_another_time_without_a_date_is_refused(browser: Client, owner: RestEntryPoint, essay: Any) -> None:
    form = form_with("note", browser.get(f"/items/{essay['id']}").content.decode())
    answer = browser.post(f"/items/{essay['id']}", form | {"due_on": [""], "due_time": ["09:30"]})
    assert answer.status_code == 422
    assert "Enter a date too, or leave the time empty." in answer.content.decode()
    assert due(owner) == [("Essay", "2026-12-03", "17:00")]


def test_a_new_course_takes_the_times_of_its_table(browser: Client, owner: RestEntryPoint) -> None:
    form = form_with("row", browser.post("/courses/new", {"text": TEXT}).content.decode())
    row = row_of(form, "Essay 1")
    assert form[f"{row}-due_time"] == ["17:00"]
    assert browser.post("/courses/new", form | {f"{row}-due_time": ["18:00"]}).status_code == 302
    assert due(owner) == [("Essay 1", "2026-12-03", "18:00")]


def test_a_new_version_keeps_a_time_that_the_text_does_not_say(browser: Client, owner: RestEntryPoint) -> None:
    browser.post("/courses/new", form_with("row", browser.post("/courses/new", {"text": TEXT}).content.decode()))
    [course] = owner.made("list_courses")["data"]
    path = f"/courses/{course['id']}/syllabus"
    moved = TEXT.replace("Thursday, December 3, 2026 by 5 pm", "Friday, December 4, 2026")
    page = browser.post(path, {"text": moved}).content.decode()
    assert "was Thu, 3 December 2026, 17:00" in page
    assert browser.post(path, form_with("row", page)).status_code == 302
    assert due(owner) == [("Essay 1", "2026-12-04", "17:00")]


def test_a_calendar_file_is_approved_with_its_times(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    path = f"/courses/{course['id']}/calendar"

    def table(start: str) -> Any:
        file = calendar(CANVAS, event("a", f"DTSTART:{start}", summary="Essay 1"))
        page = browser.post(path, {"file": SimpleUploadedFile("calendar.ics", file)})
        return page.content.decode()

    browser.post(path, form_with("calendar", table("20261203T160000Z")))
    assert due(owner) == [("Essay 1", "2026-12-03", "17:00")]
    page = table("20261203T170000Z")
    assert "was Thu, 3 December 2026, 17:00" in page
    browser.post(path, form_with("calendar", page))
    assert due(owner) == [("Essay 1", "2026-12-03", "18:00")]


def test_the_page_offers_the_first_known_time(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    """Of an event that was imported before times were kept."""
    from django.core.files.uploadedfile import SimpleUploadedFile

    from planning.models import ImportedEvent

    path = f"/courses/{course['id']}/calendar"

    def table() -> str:
        file = calendar(CANVAS, event("a", "DTSTART:20261203T160000Z", summary="Essay 1"))
        return browser.post(path, {"file": SimpleUploadedFile("calendar.ics", file)}).content.decode()

    browser.post(path, form_with("calendar", table()))
    [item] = owner.made("list_items")["data"]
    owner.made("update_item", item_id=item["id"], due_time=None)
    ImportedEvent.objects.update(due_time="")
    page = table()
    assert "was Thu, 3 December 2026" in page
    browser.post(path, form_with("calendar", page))
    assert due(owner) == [("Essay 1", "2026-12-03", "17:00")]


def test_activity_says_what_became_of_the_time(browser: Client, owner: RestEntryPoint, essay: Any) -> None:
    for time in ("18:00", None, "09:00"):
        owner.made("update_item", item_id=essay["id"], due_time=time)
    page = browser.get("/activity").content.decode()
    for words in ("changed the time of “Essay” from 17:00 to 18:00", "removed the time of “Essay”"):
        assert words in page
    assert "set the time of “Essay” to 09:00" in page
