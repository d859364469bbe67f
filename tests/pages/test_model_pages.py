"""Pages of a syllabus that the operator's model reads: the choice, the wait, the table, a failed reading."""

import time
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import Member
from courses.models import Item, SyllabusFile
from studyservice.rates.limiter import Rate, hit
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import form_with, row_of
from tests.support.model_server import ModelServer, answer, rows

pytestmark = [pytest.mark.rest, pytest.mark.django_db(transaction=True), pytest.mark.same_statements]

TEXT = """BIO 210 Cell Biology, Fall 2026

Essay: due by Thu, Dec 3
Poster in class
Exams 80 %
"""
ESSAY = {"title": "Essay", "kind": "paper", "due_on": "2026-12-03", "quote": "Essay: due by Thu, Dec 3"}
POSTER = {"title": "Poster", "kind": "project", "due_on": None, "quote": "Poster in class"}
EXAMS = [{"name": "Exams", "weight": 80, "quote": "Exams 80 %"}, {"name": "Labs", "weight": 20, "quote": "Labs"}]


@pytest.fixture
def model(model: ModelServer) -> ModelServer:
    model.answers = [rows(ESSAY, POSTER, categories=EXAMS)]
    return model


def sent(browser: Client, path: str = "/courses/new", **fields: Any) -> str:
    """The address of the table of a sent text."""
    page = browser.post(path, {"text": TEXT, "model": "on"} | fields)
    assert page.status_code == 302, page.content.decode()
    return str(page["Location"])


def table(browser: Client, path: str) -> str:
    """The page once the reading has ended."""
    for _ in range(500):
        page = browser.get(path)
        if "Refresh" not in page.headers:
            return str(page.content.decode())
        time.sleep(0.02)
    raise AssertionError("The page still waits.")


def test_the_choice_is_there_only_with_a_model(browser: Client, settings: Any, model: ModelServer) -> None:
    page = browser.get("/courses/new").content.decode()
    assert "Read it with the college&#x27;s model" in page
    assert "The text is sent to the college&#x27;s model." in page
    assert 'name="model"' in page
    assert "checked" not in page
    settings.SYLLABUS_MODEL = None
    assert 'name="model"' not in browser.get("/courses/new").content.decode()


def test_an_unticked_choice_sends_nothing(browser: Client, model: ModelServer) -> None:
    page = browser.post("/courses/new", {"text": TEXT})
    assert (page.status_code, model.asked, SyllabusFile.objects.count()) == (200, [], 0)


def test_while_it_reads_the_page_looks_again_and_offers_the_rules(browser: Client, model: ModelServer) -> None:
    model.answers = [model.silent]
    path = sent(browser)
    page = browser.get(path)
    assert page["Refresh"] == "4"
    assert "The college&#x27;s model is reading" in page.content.decode()
    rules = browser.get(f"{path}?reader=rules")
    assert "Refresh" not in rules.headers
    form = form_with("approve", rules.content.decode())
    assert form["reader"] == ["rules"]
    assert browser.post(path, form).status_code == 302
    assert Item.objects.get().title == "Essay"


def test_the_table_says_how_each_row_was_found(browser: Client, model: ModelServer) -> None:
    page = table(browser, sent(browser))
    form = form_with("approve", page)
    ticked = [title for title in ("Essay", "Poster") if f"{row_of(form, title)}-tick" in form]
    assert ticked == ["Essay"]
    assert "Found in the text." in page
    assert "We left this unticked: no date." in page
    assert "We left this unticked: the text has no line for it." in page
    assert "line 0" not in page


def test_a_table_of_the_model_creates_the_course(browser: Client, model: ModelServer) -> None:
    path = sent(browser)
    form = form_with("approve", table(browser, path))
    assert form["reader"] == ["model"]
    assert browser.post(path, form).status_code == 302
    assert [one.title for one in Item.objects.all()] == ["Essay"]


def test_a_failed_reading_says_why_and_has_the_table_of_the_rules(browser: Client, model: ModelServer) -> None:
    model.answers = [answer(status=401)]
    page = table(browser, sent(browser))
    assert "did not read this file. Its server answered with status 401." in page
    assert "Essay" in page


def test_a_file_is_read_as_well(browser: Client, model: ModelServer) -> None:
    page = browser.post(
        "/courses/new", {"file": SimpleUploadedFile("bio.txt", TEXT.encode()), "text": "", "model": "on"}
    )
    assert "Found in the text." in table(browser, page["Location"])


def test_a_new_version_is_read_and_applied(browser: Client, owner: RestEntryPoint, model: ModelServer) -> None:
    course = owner.made("create_course", name="Cell Biology", term="Fall 2026")
    path = sent(browser, f"/courses/{course['id']}/syllabus")
    page = table(browser, path)
    assert "Found in the text." in page
    assert browser.post(path, form_with("approve", page)).status_code == 302
    assert [one.title for one in Item.objects.all()] == ["Essay"]


def test_the_limit_of_a_day_is_told_beside_the_choice(
    browser: Client, owner_member: Member, model: ModelServer
) -> None:
    hit(Rate.MODEL_READINGS, str(owner_member.id), 20)
    page = browser.post("/courses/new", {"text": TEXT, "model": "on"})
    text = page.content.decode()
    assert (page.status_code, "Retry-After" in page.headers) == (429, True)
    assert "You have used your 20 readings of 24 hours. Untick it, or wait 24 hours." in text
    assert "Essay: due by" in text
