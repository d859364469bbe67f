"""The account page and related pages in a real browser: by keyboard, with and without script."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from accounts.joining import invite
from accounts.members.mornings import off_link
from accounts.models import Member
from tests.pages.browser.conftest import PASSWORD, ask_for_code, enter_code
from tests.pages.browser.test_accessibility import audit
from tests.support.calendars import path_of

pytestmark = pytest.mark.database("sqlite", "page layout")


def test_the_browsers_time_zone_is_suggested_and_can_be_accepted(open_signed_in: Any, member: Any) -> None:
    """Signing in leads directly to the key page, and the time zone never changes without a question."""
    page = open_signed_in(timezone_id="America/New_York")
    expect(page.get_by_text("Your browser uses America/New_York")).to_be_visible()
    member.refresh_from_db()
    assert member.time_zone == "Europe/Paris"
    page.get_by_role("button", name="Use America/New_York").click()
    page.wait_for_url("**/keys")
    expect(page.get_by_role("status")).to_contain_text("Your time zone is now America/New_York.")
    expect(page.get_by_text("Your browser uses")).to_be_hidden()
    member.refresh_from_db()
    assert member.time_zone == "America/New_York"


@pytest.mark.thorough("forms that tests/pages posts too")
def test_a_declined_time_zone_is_not_suggested_again(open_signed_in: Any, member: Any) -> None:
    page = open_signed_in(timezone_id="America/New_York")
    page.get_by_role("button", name="Keep Europe/Paris").click()
    for path in ("/keys", "/account", "/"):
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.get_by_text("Your browser uses")).to_be_hidden()
    member.refresh_from_db()
    assert member.time_zone == "Europe/Paris"


def test_the_same_time_zone_is_not_suggested(open_signed_in: Any) -> None:
    page = open_signed_in(timezone_id="Europe/Paris")
    expect(page.get_by_role("heading", name="Keys and apps")).to_be_visible()
    expect(page.get_by_text("Your browser uses")).to_be_hidden()


def test_the_profile_can_be_changed_by_keyboard(open_signed_in: Any, member: Any) -> None:
    page = open_signed_in("/account")
    page.get_by_label("Name").focus()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("Ada Park")
    page.keyboard.press("Tab")
    for _ in range(5):  # a slow browser mistakes the pause between two keys for the end of the word
        page.keyboard.type("Vienna")
        if page.get_by_label("Time zone").input_value() == "Europe/Vienna":
            break
        page.wait_for_timeout(1500)
    page.keyboard.press("Tab")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("92.5")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Your profile is saved.")
    member.refresh_from_db()
    assert (member.name, member.time_zone, member.desired_retention) == ("Ada Park", "Europe/Vienna", 0.925)


@pytest.mark.thorough("forms without script, which tests/pages posts too")
def test_the_profile_can_be_changed_without_script(open_signed_in: Any, member: Any) -> None:
    page = open_signed_in("/account", java_script_enabled=False)
    page.get_by_label("Time zone").select_option("Asia/Tokyo")
    page.get_by_role("button", name="Save profile").click()
    expect(page.get_by_role("status")).to_contain_text("Your profile is saved.")


@pytest.mark.thorough("tests/pages posts the same forms")
def test_the_address_can_be_changed(open_signed_in: Any, member: Any, newest_code: Any) -> None:
    page = open_signed_in("/account")
    page.get_by_role("link", name="Change e-mail address").click()
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_label("New e-mail address").fill("ada@example.com")
    page.get_by_role("button", name="Send a code to the new address").click()
    expect(page.get_by_label("Six-digit code")).to_be_visible()
    audit(page)
    page.get_by_label("Six-digit code").fill(newest_code())
    page.get_by_role("button", name="Change the address").click()
    expect(page.get_by_role("status")).to_contain_text("Your address is now ada@example.com")


@pytest.mark.thorough("forms without script, which tests/pages posts too")
def test_a_member_without_a_password_confirms_by_codes(page: Page, member: Any, newest_code: Any) -> None:
    member.set_unusable_password()
    member.save(update_fields=["password"])
    ask_for_code(page, member.email)
    enter_code(page, newest_code())
    page.goto("/account")
    page.get_by_role("link", name="Change e-mail address").click()
    expect(page.get_by_label("New e-mail address")).to_be_hidden()
    audit(page)
    page.get_by_role("button", name="E-mail me a code").click()
    page.get_by_label("New e-mail address").fill("ada@example.com")
    page.get_by_label("Six-digit code").fill(newest_code())
    audit(page)
    page.keyboard.press("Enter")
    page.wait_for_url("**/account/email/code")
    page.get_by_label("Six-digit code").fill(newest_code())
    page.get_by_role("button", name="Change the address").click()
    expect(page.get_by_role("status")).to_contain_text("Your address is now ada@example.com")
    page.goto("/account/password")
    audit(page)
    page.get_by_role("button", name="E-mail me a code").click()
    expect(page.get_by_label("New password")).to_be_visible()
    page.get_by_label("Six-digit code").fill(newest_code())
    page.get_by_label("New password").fill("staple the horse twice")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Your new password is set.")


@pytest.mark.thorough("tests/pages posts the same forms")
def test_the_password_can_be_changed_with_a_code(open_signed_in: Any, newest_code: Any) -> None:
    page = open_signed_in("/account/password")
    page.get_by_role("button", name="Forgot it? E-mail me a code").click()
    page.get_by_label("Six-digit code").fill(newest_code())
    page.get_by_label("New password").fill("staple the horse twice")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("Your new password is set.")


@pytest.mark.thorough("tests/pages posts the same forms")
def test_the_password_can_be_removed(open_signed_in: Any, member: Any) -> None:
    page = open_signed_in("/account/password")
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_role("button", name="Remove password").click()
    expect(page.get_by_role("status")).to_contain_text("Your password is removed")
    member.refresh_from_db()
    assert not member.has_usable_password()


@pytest.mark.thorough("forms without script, which tests/pages posts too")
def test_another_browser_can_be_signed_out(open_signed_in: Any) -> None:
    phone, page = open_signed_in(), open_signed_in()
    page.goto("/account")
    page.get_by_role("button", name="Sign out this unknown browser").click()
    expect(page.get_by_role("status")).to_contain_text("That browser is signed out.")
    phone.goto("/account")
    phone.wait_for_url("**/sign-in?next=/account")


@pytest.mark.thorough("forms without script, which tests/pages posts too")
def test_all_browsers_can_be_signed_out(open_signed_in: Any) -> None:
    page = open_signed_in("/account")
    page.get_by_role("button", name="Sign out everywhere").click()
    page.wait_for_url("**/sign-in")
    expect(page.get_by_role("status")).to_contain_text("You are signed out everywhere.")


@pytest.mark.thorough("forms without script, which tests/pages posts too")
def test_a_new_member_joins_by_a_code(page: Page, settings: Any, newest_code: Any, transactional_db: None) -> None:
    settings.SIGN_UP = "open"
    ask_for_code(page, "new@example.org")
    enter_code(page, newest_code())
    page.wait_for_url("**/")
    expect(page.get_by_role("heading", name="Get started")).to_be_visible()


@pytest.mark.thorough("tests/pages posts the same forms")
def test_a_new_member_joins_by_an_invitation(page: Page, settings: Any, transactional_db: None) -> None:
    settings.SIGN_UP = "invited"
    page.goto("/" + invite("new@example.org").url.split("/", 3)[3])
    page.wait_for_url("**/join")
    audit(page)
    page.get_by_role("button", name="Join").click()
    page.wait_for_url("**/")
    expect(page.get_by_role("heading", name="Get started")).to_be_visible()


def test_account_pages_are_accessible(open_signed_in: Any, member: Any, settings: Any) -> None:
    """With all notices: a suggested time zone, a membership that ends soon, and another signed-in browser."""
    settings.MEMBERSHIP_URL = "https://billing.example.org/renew"
    Member.objects.update(membership_until=member.today() + timedelta(days=3))
    Client().force_login(member)
    page = open_signed_in("/", timezone_id="America/New_York")
    audit(page)
    for path in ("/account", "/account/email", "/account/password", "/keys"):
        page.goto(path)
        audit(page)


@pytest.mark.thorough("another state of a tested page")
def test_account_pages_of_a_lapsed_member_are_accessible(open_signed_in: Any, settings: Any) -> None:
    settings.MEMBERSHIP_URL = "https://billing.example.org/renew"
    Member.objects.update(membership_active=False)
    page = open_signed_in("/")
    for path in ("/", "/account", "/account/import", "/keys"):
        page.goto(path)
        expect(page.get_by_text("You have no active membership")).to_be_visible()
        audit(page)


@pytest.mark.thorough("other states of tested pages")
def test_account_pages_with_errors_are_accessible(open_signed_in: Any) -> None:
    page = open_signed_in("/account")
    page.get_by_label("Target recall").fill("20")
    page.get_by_role("button", name="Save profile").click()
    expect(page.get_by_text("greater than or equal to 70")).to_be_visible()
    audit(page)
    page.goto("/account/password")
    page.get_by_role("button", name="Change password").click()
    expect(page.get_by_text("Enter your current password")).to_be_visible()
    audit(page)
    page.goto("/account/email")
    page.get_by_role("button", name="Send a code to the new address").click()
    expect(page.get_by_text("Enter your e-mail address.")).to_be_visible()
    audit(page)


def test_the_morning_e_mail_is_turned_off_by_its_link(open_signed_in: Any, member: Any) -> None:
    page = open_signed_in(timezone_id="Europe/Paris")
    page.goto("/account")
    page.get_by_label("Morning e-mail").check()
    page.get_by_role("button", name="Save profile").click()
    expect(page.get_by_label("Morning e-mail")).to_be_checked()
    page.goto(path_of(off_link(member.id)))
    audit(page)
    assert member.email not in page.content()
    page.get_by_role("button", name="Turn off").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The morning e-mail is off")
    page.get_by_role("link", name="your account").click()
    expect(page.get_by_label("Morning e-mail")).not_to_be_checked()
