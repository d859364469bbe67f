"""A syllabus read by the operator's model in a real browser: the choice, the wait, the table, a failed reading."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.pages.browser.test_accessibility import audit
from tests.pages.test_model_pages import ESSAY, EXAMS, POSTER, TEXT
from tests.support.model_server import ModelServer, answer, rows

pytestmark = pytest.mark.database("sqlite", "page layout")


def sent(open_signed_in: Any) -> Page:
    """The page after the text was sent to the model."""
    page: Page = open_signed_in("/courses/new")
    page.get_by_label("Or paste its text").fill(TEXT)
    page.get_by_label("Read it with the college's model").check()
    audit(page)
    page.get_by_role("button", name="Read the syllabus").click()
    return page


def test_the_page_of_a_reading_turns_into_its_table(open_signed_in: Any, model: ModelServer) -> None:
    model.answers = [model.held(rows(ESSAY, POSTER, categories=EXAMS))]
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
