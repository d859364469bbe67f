"""Connecting an app in a real browser."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.pages.browser.conftest import PASSWORD, sign_in
from tests.pages.browser.test_accessibility import audit
from tests.support.entry_points import RestEntryPoint
from tests.support.oauth import BASE, App

pytestmark = pytest.mark.database("sqlite", "page layout")


@pytest.fixture
def app(transactional_db: None, callback: str) -> App:
    return App.registered(client_name="Planner", redirect_uris=[callback])


def answered(page: Page) -> dict[str, str]:
    """The parameters that the app receives in the redirect."""
    expect(page).to_have_title("The app")
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def asking(app: App) -> str:
    """The address of the consent page that the app opens."""
    return f"/oauth/authorize?{app.query()}"


def tokens_of(page: Page, app: App) -> dict[str, Any]:
    tokens: dict[str, Any] = app.exchange(answered(page)["code"]).json()
    return tokens


def test_a_member_signs_in_on_the_way_and_allows(page: Page, member: Any, app: App) -> None:
    page.goto(asking(app))
    expect(page).to_have_title("Sign in · Study Data Service")
    sign_in(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Connect an app on your device?")
    expect(page.get_by_text("“Planner” Name not verified")).to_be_visible()
    expect(page.get_by_text("Unverified app")).to_be_visible()
    expect(page.get_by_text(app.redirect_uri)).to_be_visible()
    page.get_by_role("button", name="Allow").click()
    assert answered(page)["state"] == "xyz"
    assert answered(page)["iss"] == BASE
    tokens = tokens_of(page, app)
    assert tokens["scope"] == "read write"
    assert RestEntryPoint(tokens["access_token"]).made("get_me")["email"] == "ada@example.org"


@pytest.mark.thorough("forms without script, which tests/oauth posts too")
def test_write_access_can_be_withheld(open_signed_in: Any, app: App) -> None:
    page: Page = open_signed_in(asking(app))
    page.get_by_role("checkbox", name="Change your data").uncheck()
    page.get_by_role("button", name="Allow").click()
    tokens = tokens_of(page, app)
    assert tokens["scope"] == "read"
    assert RestEntryPoint(tokens["access_token"]).call("create_course", name="x").error == "insufficient_scope"


@pytest.mark.thorough("forms without script, which tests/oauth posts too")
def test_a_member_can_deny(open_signed_in: Any, app: App) -> None:
    page: Page = open_signed_in(asking(app))
    page.get_by_role("button", name="Deny").click()
    answer = answered(page)
    assert (answer["error"], answer["state"], answer["iss"]) == ("access_denied", "xyz", BASE)


def test_a_connected_app_is_listed_and_can_be_disconnected(open_signed_in: Any, app: App) -> None:
    page: Page = open_signed_in(asking(app))
    page.get_by_role("button", name="Allow").click()
    entry_point = RestEntryPoint(tokens_of(page, app)["access_token"])
    assert entry_point.call("get_me").error is None
    page.goto("/keys")
    expect(page.get_by_role("heading", name="Planner")).to_be_visible()
    expect(page.get_by_text("not verified")).to_be_visible()
    page.get_by_role("link", name="Disconnect Planner").click()
    page.get_by_role("button", name="Disconnect").click()
    expect(page.get_by_role("heading", name="Planner")).to_have_count(0)
    assert entry_point.call("get_me").error == "unauthorized"


def test_the_consent_page_cannot_be_framed(open_signed_in: Any, app: App) -> None:
    page: Page = open_signed_in()
    response = page.goto(f"/oauth/authorize?{app.query()}")
    assert response is not None
    policy = response.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "form-action" not in policy
    assert response.headers["x-frame-options"] == "DENY"


def test_it_works_by_keyboard_and_without_script(open_signed_in: Any, app: App) -> None:
    page: Page = open_signed_in(asking(app), java_script_enabled=False)
    page.get_by_role("checkbox", name="Change your data").focus()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Allow").focus()
    page.keyboard.press("Enter")
    assert tokens_of(page, app)["scope"] == "read"


def test_it_warns_of_an_unverified_app(open_signed_in: Any) -> None:
    page: Page = open_signed_in(
        asking(App.registered(client_name="Planner", redirect_uris=["https://app.example/callback"]))
    )
    expect(page.locator(".notice.warn")).to_contain_text("Unverified app. We do not know who makes it.")
    expect(page.locator(".notice.warn strong")).to_have_text("Unverified app.")


@pytest.mark.thorough("text that tests/oauth reads too")
@pytest.mark.parametrize(
    ("uri", "text"),
    [
        ("http://localhost:3118/callback", "This is a program on your device, like a terminal or an editor."),
        ("http://127.0.0.1/callback", "This is a program on your device, like a terminal or an editor."),
        (
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "It is on your device and handles cursor: addresses.",
        ),
    ],
)
def test_an_app_on_the_members_device_is_named_as_such(open_signed_in: Any, uri: str, text: str) -> None:
    page: Page = open_signed_in(asking(App.registered(client_name="Claude Code", redirect_uris=[uri])))
    expect(page.locator(".notice")).to_contain_text(text)
    expect(page.locator(".warn")).to_have_count(0)


@pytest.mark.thorough("forms without script, which tests/oauth posts too")
def test_somebody_else_can_sign_in(open_signed_in: Any, member: Any, make_member: Any, app: App) -> None:
    """By signing out on the way and returning to the same request."""
    make_member("eve@example.org", password=PASSWORD)
    page: Page = open_signed_in(asking(app))
    expect(page.get_by_role("main")).to_contain_text("ada@example.org")
    page.get_by_role("button", name="Not you?").click()
    sign_in(page, "eve@example.org")
    expect(page.get_by_role("main")).to_contain_text("eve@example.org")
    page.get_by_role("button", name="Allow").click()
    assert RestEntryPoint(tokens_of(page, app)["access_token"]).made("get_me")["email"] == "eve@example.org"


@pytest.mark.thorough("text that tests/oauth reads too")
def test_the_sign_in_page_names_the_requesting_app(page: Page, app: App, member: Any) -> None:
    page.goto(asking(app))
    port = urlsplit(app.redirect_uri).netloc
    expect(page.locator(".notice")).to_have_text(
        f"You are about to connect an app on your device ({port}), which calls itself “Planner”. "
        "Sign in first, then choose what it may do."
    )
    audit(page)
    page.goto("/sign-in")
    expect(page.locator(".notice")).to_have_count(0)


@pytest.mark.thorough("an answer that tests/oauth reads too")
def test_a_foreign_redirect_uri_leads_to_an_error_page(open_signed_in: Any, app: App) -> None:
    page: Page = open_signed_in(f"/oauth/authorize?{app.query(redirect_uri='https://evil.example/')}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Planner could not be connected")
    assert "evil.example" not in page.content()


def test_the_consent_page_is_accessible(open_signed_in: Any, app: App) -> None:
    page: Page = open_signed_in(asking(app))
    audit(page)
    page.goto(asking(App.registered(client_name="Planner", redirect_uris=["https://app.example/callback"])))
    audit(page)
    page.goto(f"/oauth/authorize?{app.query(client_id='unknown')}")
    audit(page)


@pytest.mark.parametrize(
    "app_metadata",
    [
        {"redirect_uris": ["https://app.example/callback"]},
        {"redirect_uris": ["http://localhost:3118/callback"]},
        {"redirect_uris": ["https://claude.ai/api/mcp/auth_callback"]},
    ],
)
def test_essential_details_are_never_collapsed(open_signed_in: Any, member: Any, app_metadata: Any) -> None:
    """Even for a lapsed member. Other details are collapsed at first."""
    type(member).objects.update(membership_active=False)
    registered = App.registered(client_name="Planner", **app_metadata)
    page: Page = open_signed_in(asking(registered), viewport={"width": 390, "height": 844})
    main = page.get_by_role("main")
    expect(main.locator("details")).not_to_have_attribute("open", "")
    for text in (
        "“Planner”",
        "Name not verified",
        registered.redirect_uri,
        "See your data",
        "Change your data",
        "ada@example.org",
        "You have no active membership",
    ):
        expect(main.get_by_text(text).first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
