"""The pages of school calendars in a real browser."""

from typing import Any

import pytest
from playwright.sync_api import expect

from accounts.models import Member
from tests.pages.browser.test_accessibility import audit
from tests.support.internet import Internet
from tests.support.schools import URL, School, labelled

pytestmark = pytest.mark.database("sqlite", "page layout")


def test_a_calendar_can_be_added_and_confirmed_on_accessible_pages(
    open_signed_in: Any, member: Member, internet: Internet
) -> None:
    School(internet).has(labelled("a", "20301203", "Essay", "Biology"), labelled("b", "20301204", "Party", "Club"))
    page = open_signed_in("/courses/new/by-hand")
    page.get_by_label("Name").first.fill("Biology")
    page.get_by_role("button", name="Add").first.click()
    page.goto("/calendars")
    audit(page)
    page.get_by_label("Calendar address").fill(URL)
    page.get_by_role("button", name="Add the calendar").click()
    expect(page.get_by_text("Waiting for you")).to_be_visible()
    audit(page)
    page.get_by_role("button", name="Apply these changes").click()
    expect(page.get_by_role("status")).to_contain_text("The dates were taken.")
    page.get_by_label("Club").select_option("Biology")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Saved.")
    page.goto("/calendars")
    audit(page)
