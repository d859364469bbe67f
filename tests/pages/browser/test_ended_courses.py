"""Ending and reopening a course in a real browser, by keyboard only."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.pages.browser.test_accessibility import audit
from tests.support.factories import CourseFactory, DeckFactory, ItemFactory

pytestmark = pytest.mark.database("sqlite", "page layout")


def press(page: Page, name: str) -> None:
    """Reach the button with Tab, and press it with Enter."""
    button = page.get_by_role("button", name=name)
    for _ in range(60):
        if button.evaluate("one => one === document.activeElement"):
            break
        page.keyboard.press("Tab")
    expect(button).to_be_focused()
    page.keyboard.press("Enter")


@pytest.mark.django_db(transaction=True)
def test_a_course_is_ended_and_reopened_by_keyboard_only(open_signed_in: Any, member: Any) -> None:
    course = CourseFactory.create(member=member, name="Cell Biology")
    ItemFactory.create(member=member, course=course, title="Midterm")
    DeckFactory.create(member=member, course=course, name="Organelles")
    page = open_signed_in(f"/courses/{course.id}")
    press(page, "End this course")
    expect(page.get_by_role("status")).to_contain_text("“Cell Biology” has ended.")
    audit(page)
    for path, summary, name in (
        ("/courses", "Ended courses (1)", "Cell Biology"),
        ("/decks", "Decks of ended courses (1)", "Organelles"),
    ):
        page.goto(path)
        link = page.get_by_role("link", name=name)
        expect(link).to_be_hidden()
        page.get_by_text(summary).focus()
        page.keyboard.press("Enter")
        expect(link).to_be_visible()
        audit(page)
    page.goto(f"/courses/{course.id}")
    press(page, "Reopen")
    expect(page.get_by_role("status")).to_contain_text("“Cell Biology” is open again.")
