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


def test_an_operator_revokes_a_leaked_key_on_its_page(open_signed_in: Any, member: Any, make_key: Any) -> None:
    """The first click shows what it does, the second one does it."""
    member.is_staff = member.is_superuser = True
    member.save()
    _, key = make_key(member, "Leaked")
    page: Page = open_signed_in(f"/admin/accounts/apikey/{key.id}/change/")
    page.get_by_text("Revoke", exact=True).click()
    expect(page.get_by_text("The key stops working with its next request, for good.")).to_be_visible()
    page.get_by_role("button", name="Yes, revoke").click()
    expect(page.get_by_text("Revoked: 1 key.")).to_be_visible()
