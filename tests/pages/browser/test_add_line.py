"""Adding an item from one line in a real browser, by keyboard only."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.pages.browser.test_accessibility import audit
from tests.support.factories import CourseFactory

pytestmark = pytest.mark.database("sqlite", "page layout")


def add(page: Page, line: str) -> None:
    """Type a line into the field, and press Enter."""
    page.get_by_label("Add an item").fill(line)
    page.keyboard.press("Enter")


@pytest.mark.django_db(transaction=True)
def test_a_line_is_added_by_keyboard_only(open_signed_in: Any, member: Any) -> None:
    """Also where the page asks for a course."""
    for name in ("Cell Biology", "World History"):
        CourseFactory.create(member=member, name=name)
    page: Page = open_signed_in("/")
    add(page, "Essay tomorrow 17:00 #world")
    expect(page.get_by_role("status")).to_contain_text("Added “Essay” to World History, due")
    expect(page.get_by_label("Add an item")).to_be_focused()
    audit(page)
    add(page, "Quiz today")
    summary = page.get_by_role("alert")
    expect(summary).to_be_focused()
    audit(page)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    choice = page.get_by_label("Course", exact=True)
    expect(choice).to_be_focused()
    page.keyboard.type("Cell")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Added “Quiz” to Cell Biology, due")


@pytest.mark.django_db(transaction=True)
def test_after_a_click_on_the_button_nothing_has_the_focus(open_signed_in: Any, member: Any) -> None:
    CourseFactory.create(member=member, name="Cell Biology")
    page: Page = open_signed_in("/")
    page.get_by_label("Add an item").fill("Quiz")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("Added “Quiz”")
    expect(page.locator(":focus")).to_have_count(0)
