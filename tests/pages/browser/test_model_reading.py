"""A syllabus read by the operator's model in a real browser: the choice, the wait, the table, a failed reading."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from courses.model_reading import asking
from tests.pages.browser.test_accessibility import audit
from tests.support.model_server import ModelServer, answer, model_server, rows

pytestmark = pytest.mark.database("sqlite", "page layout")

TEXT = """BIO 210 Cell Biology, Fall 2026

Essay: due by Thu, Dec 3
Poster in class
Exams 80 %
"""
ITEMS = [
    {"title": "Essay", "kind": "paper", "due_on": "2026-12-03", "quote": "Essay: due by Thu, Dec 3"},
    {"title": "Poster", "kind": "project", "due_on": None, "quote": "Poster in class"},
]
CATEGORIES = [{"name": "Exams", "weight": 80, "quote": "Exams 80 %"}, {"name": "Labs", "weight": 20, "quote": "Labs"}]


@pytest.fixture
def model(settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    settings.MEDIA_ROOT = tmp_path
    monkeypatch.setattr(asking, "PAUSE", 0)
    with model_server() as server:
        settings.SYLLABUS_MODEL = server.model
        yield server


def sent(open_signed_in: Any) -> Page:
    """The page after the text was sent to the model."""
    page: Page = open_signed_in("/courses/new")
    page.get_by_label("Or paste its text").fill(TEXT)
    page.get_by_label("Read it with the college's model").check()
    audit(page)
    page.get_by_role("button", name="Read the syllabus").click()
    return page


def test_the_page_of_a_reading_turns_into_its_table(open_signed_in: Any, model: ModelServer) -> None:
    model.answers = [model.held(rows(*ITEMS, categories=CATEGORIES))]
    page = sent(open_signed_in)
    expect(page.get_by_role("status")).to_contain_text("The college's model is reading")
    audit(page)
    model.released.set()
    expect(page.get_by_role("heading", name="Check the syllabus")).to_be_visible(timeout=30_000)
    expect(page.get_by_text("Found in the text.").first).to_be_visible()
    audit(page)


def test_a_failed_reading_shows_the_table_of_the_rules(open_signed_in: Any, model: ModelServer) -> None:
    model.answers = [answer(status=401)]
    page = sent(open_signed_in)
    expect(page.get_by_text("did not read this file")).to_be_visible(timeout=30_000)
    audit(page)
