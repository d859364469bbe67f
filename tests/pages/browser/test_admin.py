"""The admin in a real browser, under the pages' policy."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.pages.browser.conftest import sign_in

pytestmark = pytest.mark.database("sqlite", "page layout")


def test_an_operator_signs_in_and_edits_under_the_policy(page: Page, member: Any) -> None:
    """A console error, like a blocked script, fails this test (`open_page`)."""
    member.is_staff = member.is_superuser = True
    member.save()
    page.goto("/admin/")
    sign_in(page)
    page.wait_for_url("**/admin/")
    page.goto("/admin/auth/group/add/")
    page.get_by_label("Name").fill("Support")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was added successfully")).to_be_visible()


def test_an_operator_finds_a_member_while_typing(open_signed_in: Any, member: Any) -> None:
    member.is_staff = member.is_superuser = True
    member.save()
    page: Page = open_signed_in("/admin/courses/course/add/")
    page.get_by_role("combobox").first.click()
    page.get_by_role("searchbox").last.type("ada@ex")
    page.get_by_role("option", name="ada@example.org").click()
    page.get_by_label("Name:").fill("Botany")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was added successfully")).to_be_visible()
