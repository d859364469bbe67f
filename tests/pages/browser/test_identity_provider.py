"""Signing in at a real identity provider, and connecting an account with it, in a browser."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from accounts.joining import invite
from accounts.models import LinkedIdentity, Member
from tests.pages.browser.conftest import PASSWORD
from tests.pages.browser.test_accessibility import audit
from tests.support.oidc_provider import oidc_provider

pytestmark = pytest.mark.database("sqlite", "another program")


@pytest.fixture(autouse=True)
def _college(origin: str, settings: Any) -> Any:
    settings.BASE_URL = origin
    with oidc_provider(origin) as setting:
        settings.IDENTITY_PROVIDER = setting
        yield


def pass_through(page: Page, button: Any, name: str) -> None:
    """Press the button that leads there, sign in under this name, and consent. The fonts of its pages are left out."""
    page.route(re.compile("^https:"), lambda route: route.fulfill(content_type="text/css", body=""))
    button.click()
    page.locator("input[name=login]").fill(name)
    page.locator("input[name=password]").fill("any")
    page.locator("button[type=submit]").click()
    page.get_by_role("button", name="Continue").click()


def test_a_member_signs_in_at_the_college(page: Page, member: Member) -> None:
    page.goto("/sign-in?next=/decks")
    audit(page)
    pass_through(page, page.get_by_role("link", name="Sign in with Example College"), "ada")
    expect(page).to_have_url("/decks")


def test_a_stranger_is_told_what_to_do(page: Page, member: Member) -> None:
    page.goto("/sign-in")
    pass_through(page, page.get_by_role("link", name="Sign in with Example College"), "stranger")
    expect(page.get_by_role("heading", name="You cannot sign in with Example College")).to_be_visible()
    audit(page)


def test_an_invited_student_joins_from_the_link_by_the_college(page: Page, settings: Any, db: None) -> None:
    settings.SIGN_UP = "invited"
    page.goto(invite("student@example.org", name="Nina N.").url)
    audit(page)
    pass_through(page, page.get_by_role("link", name="Sign in with Example College"), "student")
    expect(page).to_have_url("/")
    assert Member.objects.get(email="student@example.org").name == "Nina N."


def test_the_form_leads_to_the_college_and_back(open_signed_in: Any, member: Member) -> None:
    """The policy of the page lets a form redirect there."""
    page = open_signed_in("/account")
    page.get_by_role("link", name="Connect Example College").click()
    audit(page)
    page.get_by_label("Current password").fill(PASSWORD)
    pass_through(page, page.get_by_role("button", name="Connect Example College"), "somebody")
    expect(page.get_by_text("Your account is connected with Example College.")).to_be_visible()
    assert LinkedIdentity.objects.get(member=member).subject == "somebody"
    page.get_by_role("link", name="Disconnect Example College").click()
    audit(page)
