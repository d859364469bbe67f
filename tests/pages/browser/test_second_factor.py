"""The operators' second factor in a real browser, with Chromium's virtual authenticator (WebAuthn section 11)."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.pages.browser.conftest import ask_for_code, enter_code
from tests.pages.browser.test_accessibility import audit
from tests.support.second_factor import shown

pytestmark = pytest.mark.database("sqlite", "page layout and browser passkeys")

CODES = re.compile(r"(?:[a-z2-9]{5}-){3}[a-z2-9]{5}")


@pytest.fixture
def operator(member: Any) -> Any:
    member.is_staff = member.is_superuser = True
    member.save()
    return member


@pytest.fixture
def page(open_page: Callable[..., Page], origin: str, settings: Any, operator: Any) -> Page:
    """As in production, with a domain: browsers do not support passkeys on 127.0.0.1."""
    settings.ADMIN_SECOND_FACTOR = "required"
    settings.BASE_URL = f"http://localhost:{urlsplit(origin).port}"
    return open_page(base_url=settings.BASE_URL)


@pytest.fixture
def authenticator(page: Page) -> Callable[[], None]:
    """Plugs in a device that needs no confirmation."""

    def plug_in() -> None:
        session = page.context.new_cdp_session(page)
        session.send("WebAuthn.enable")
        device = {
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": True,
            "hasUserVerification": True,
            "isUserVerified": True,
            "automaticPresenceSimulation": True,
        }
        session.send("WebAuthn.addVirtualAuthenticator", {"options": device})

    return plug_in


@pytest.fixture
def open_admin(page: Page, newest_code: Callable[[], str]) -> Callable[[], None]:
    """Open the admin and sign in with a code."""

    def sign_in() -> None:
        ask_for_code(page, next_="/admin/")
        enter_code(page, newest_code())

    return sign_in


def make_passkey(page: Page, name: str) -> None:
    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Create a passkey").click()


def sign_out(page: Page) -> None:
    page.goto("/account")
    page.locator("summary", has_text="Account").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    page.wait_for_url("**/")


def test_a_passkey_can_be_created_and_opens_the_admin(page: Page, authenticator: Any, open_admin: Any) -> None:
    authenticator()
    open_admin()
    expect(page.get_by_role("heading", name="Your second factor")).to_be_visible()
    make_passkey(page, "Laptop")
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    assert len(CODES.findall(page.content())) == 10
    page.get_by_role("link", name="Saved, go to the admin").click()
    expect(page.get_by_role("heading", name="Operators")).to_be_visible()
    sign_out(page)
    open_admin()
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("heading", name="Operators")).to_be_visible()


def test_a_reload_does_not_repeat_codes_and_a_refusing_device_is_reported(
    page: Page, authenticator: Any, open_admin: Any
) -> None:
    """The device refuses because it already has a passkey of the operator."""
    authenticator()
    open_admin()
    make_passkey(page, "Laptop")
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Your second factor")).to_be_visible()
    expect(page.get_by_text("10 left")).to_be_visible()
    make_passkey(page, "The same laptop")
    expect(page.get_by_role("alert")).to_contain_text("No passkey was created.")
    expect(page.get_by_role("button", name="Create a passkey")).to_be_enabled()


def test_an_app_can_be_set_up_by_keyboard_only(page: Page, open_admin: Any) -> None:
    open_admin()
    page.get_by_role("link", name="Set up an app").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("img", name="QR code of the secret below")).to_be_visible()
    secret = page.get_by_label("secret", exact=True).inner_text().strip()
    expect(page.get_by_label("Six-digit code")).to_be_focused()
    page.keyboard.type(shown(secret))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    sign_out(page)
    open_admin()
    expect(page.get_by_label("Six-digit code")).to_be_focused()
    page.keyboard.type(shown(secret, steps=1))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Operators")).to_be_visible()


@pytest.mark.thorough("an old browser")
def test_a_browser_without_passkeys_offers_none(page: Page, open_admin: Any) -> None:
    page.add_init_script("delete window.PublicKeyCredential")
    open_admin()
    page.get_by_role("link", name="Add a passkey").click()
    expect(page.get_by_text("This browser cannot create passkeys here.")).to_be_visible()
    expect(page.get_by_role("button", name="Create a passkey")).to_be_hidden()


@pytest.mark.thorough("pages with tested forms")
def test_second_factor_pages_are_accessible(page: Page, authenticator: Any, open_admin: Any) -> None:
    authenticator()
    open_admin()
    audit(page)
    for path in ("/account/second-factor/code", "/account/second-factor/app", "/account/second-factor/passkey"):
        page.goto(path)
        audit(page)
    page.goto("/account/second-factor/app")
    secret = page.get_by_label("secret", exact=True).inner_text().strip()
    page.get_by_label("Six-digit code").fill("000000")
    page.get_by_role("button", name="Set up").click()
    expect(page.get_by_text("Wrong or used code.")).to_be_visible()
    audit(page)
    page.get_by_label("Six-digit code").fill(shown(secret))
    page.get_by_role("button", name="Set up").click()
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    audit(page)
    page.goto("/account/second-factor")
    make_passkey(page, "Laptop")
    expect(page.get_by_text("Added: the passkey “Laptop”.")).to_be_visible()
    audit(page)
    sign_out(page)
    open_admin()
    expect(page.get_by_role("heading", name="With a recovery code")).to_be_visible()
    audit(page)
